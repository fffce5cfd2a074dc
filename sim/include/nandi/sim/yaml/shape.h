// What a reader accepts, as data: the one table of fields from which the loader's checks, the JSON
// Schema for editors and the reference for people are all derived.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::sim::yaml {

struct Shape;
using ShapePtr = std::shared_ptr<const Shape>;

/// One key of a record.
struct FieldShape {
  std::string name;
  std::string doc;
  std::string example;   ///< a value in one line of YAML, accepted by `shape`
  std::string fallback;  ///< what holds when the key is absent; empty: the key is required
  ShapePtr shape;
};

/// Exactly one form is filled in: a scalar has a `schema`, a record has `name` and keys, a list has
/// an `item`, a choice between forms has `options`.
struct Shape {
  std::string text;  ///< in a few words: "duration", "list of events"
  Tree schema = Tree::mapping();
  std::string name;  ///< of a record, unique within a language
  std::string doc;
  std::vector<FieldShape> fields;
  std::vector<FieldShape> alternatives;  ///< exactly one of these keys is given
  ShapePtr item;
  std::vector<ShapePtr> options;
};

ShapePtr scalar_shape(std::string text, Tree schema);
ShapePtr list_shape(ShapePtr item);
ShapePtr either_shape(std::string text, std::vector<ShapePtr> options);

/// The values of a record's keys, in the order of its fields; absent keys are empty.
struct MatchedFields {
  std::vector<std::optional<Value>> fields;
  std::optional<std::size_t> alternative;  ///< index into Shape::alternatives
  std::optional<Value> alternative_value;
};

/// Holds a mapping against a record: refuses other kinds of values, unknown keys, fields that the
/// document's reader refuses, missing keys, none or several of the alternatives. Throws LoadError.
MatchedFields match_fields(const Value& value, const Shape& record);

/// All records reachable from `root`, in the order in which a reader meets them. Two different
/// records of one name are a std::logic_error.
std::vector<ShapePtr> records_of(const ShapePtr& root);
/// "record.key" for each key of each of them.
std::vector<std::string> field_names(const ShapePtr& root);

/// JSON Schema (draft 7) of files whose top level is one of `roots`.
Tree json_schema(const std::string& title, const std::vector<ShapePtr>& roots);

/// One table for each record, in Markdown; `refused` fields are marked.
void write_reference(const ShapePtr& root, const std::vector<std::string>& refused,
                     std::ostream& out);

}  // namespace nandi::sim::yaml
