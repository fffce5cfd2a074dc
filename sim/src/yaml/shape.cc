#include "nandi/sim/yaml/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "nandi/sim/yaml/names.h"

namespace nandi::sim::yaml {
namespace {

std::vector<std::string> names_of(const std::vector<FieldShape>& fields) {
  std::vector<std::string> names;
  for (const FieldShape& field : fields) names.push_back(field.name);
  return names;
}

std::optional<std::size_t> index_of(const std::vector<FieldShape>& fields, std::string_view name) {
  for (std::size_t index = 0; index < fields.size(); ++index) {
    if (fields[index].name == name) return index;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_unknown(const Value& value, std::size_t entry, const Shape& record) {
  std::vector<std::string> known = names_of(record.fields);
  const std::vector<std::string> others = names_of(record.alternatives);
  known.insert(known.end(), others.begin(), others.end());
  const std::string_view key = value.key(entry);
  value.fail_at(value.key_position(entry), fmt::format("unknown key `{}` in {}", key, record.name),
                name_advice(key, known));
}

}  // namespace

ShapePtr scalar_shape(std::string text, Tree schema) {
  Shape shape;
  shape.text = std::move(text);
  shape.schema = std::move(schema);
  return std::make_shared<const Shape>(std::move(shape));
}

ShapePtr list_shape(ShapePtr item) {
  Shape shape;
  shape.text = fmt::format("list of: {}", item->text);
  shape.item = std::move(item);
  return std::make_shared<const Shape>(std::move(shape));
}

ShapePtr either_shape(std::string text, std::vector<ShapePtr> options) {
  Shape shape;
  shape.text = std::move(text);
  shape.options = std::move(options);
  return std::make_shared<const Shape>(std::move(shape));
}

MatchedFields match_fields(const Value& value, const Shape& record) {
  if (value.kind() != NodeKind::mapping) {
    value.fail(fmt::format("{} stands where {} is wanted", value.description(), record.name),
               "write keys and values, `key: value`");
  }
  MatchedFields matched;
  matched.fields.resize(record.fields.size());
  Position alternative_position;
  for (std::size_t entry = 0; entry < value.size(); ++entry) {
    const std::string_view key = value.key(entry);
    const Position position = value.key_position(entry);
    if (value.refuses(fmt::format("{}.{}", record.name, key))) {
      value.fail_at(position, fmt::format("`{}` in {} cannot be run yet", key, record.name),
                    "remove it: it would not be obeyed");
    }
    if (const auto index = index_of(record.fields, key)) {
      matched.fields[*index] = value.at(entry);
      continue;
    }
    const auto index = index_of(record.alternatives, key);
    if (!index) refuse_unknown(value, entry, record);
    if (matched.alternative) {
      value.fail_at(position,
                    fmt::format("`{}` stands beside `{}` (line {}) in {}", key,
                                record.alternatives[*matched.alternative].name,
                                alternative_position.line, record.name),
                    "keep one of the two");
    }
    matched.alternative = index;
    matched.alternative_value = value.at(entry);
    alternative_position = position;
  }
  for (std::size_t index = 0; index < record.fields.size(); ++index) {
    const FieldShape& field = record.fields[index];
    if (matched.fields[index] || !field.fallback.empty()) continue;
    value.fail(fmt::format("missing key `{}` in {}", field.name, record.name),
               fmt::format("add for example `{}: {}`", field.name, field.example));
  }
  if (!record.alternatives.empty() && !matched.alternative) {
    value.fail(fmt::format("{} does not say which it is", record.name),
               fmt::format("give one of: {}", fmt::join(names_of(record.alternatives), ", ")));
  }
  return matched;
}

namespace {

void collect(const ShapePtr& shape, std::vector<ShapePtr>& records) {
  if (!shape->name.empty()) {
    const auto known = std::find_if(records.begin(), records.end(), [&](const ShapePtr& other) {
      return other->name == shape->name;
    });
    if (known != records.end()) {
      const bool is_same = names_of((*known)->fields) == names_of(shape->fields) &&
                           names_of((*known)->alternatives) == names_of(shape->alternatives);
      if (!is_same) throw std::logic_error("two records are called " + shape->name);
      return;
    }
    records.push_back(shape);
  }
  for (const FieldShape& field : shape->fields) collect(field.shape, records);
  for (const FieldShape& field : shape->alternatives) collect(field.shape, records);
  if (shape->item) collect(shape->item, records);
  for (const ShapePtr& option : shape->options) collect(option, records);
}

Tree strings(const std::vector<std::string>& texts) {
  Tree list = Tree::sequence();
  for (const std::string& text : texts) list.append(Tree::string(text));
  return list;
}

Tree reference_to(const Shape& shape) {
  Tree tree = Tree::mapping();
  if (!shape.name.empty()) {
    tree.add("$ref", Tree::string("#/definitions/" + shape.name));
  } else if (shape.item) {
    tree.add("type", Tree::string("array")).add("items", reference_to(*shape.item));
  } else if (!shape.options.empty()) {
    Tree options = Tree::sequence();
    for (const ShapePtr& option : shape.options) options.append(reference_to(*option));
    tree.add("anyOf", options);
  } else {
    return shape.schema;
  }
  return tree;
}

Tree property_of(const FieldShape& field) {
  std::string doc = field.doc;
  if (!field.fallback.empty()) doc += fmt::format(" Default: {}.", field.fallback);
  // Beside `$ref`, draft 7 ignores every other keyword: the description needs a shell of its own.
  const Tree value = reference_to(*field.shape);
  Tree tree = Tree::mapping();
  tree.add("description", Tree::string(doc));
  if (value.find("$ref") != nullptr) {
    tree.add("allOf", Tree::sequence({value}));
    return tree;
  }
  for (std::size_t index = 0; index < value.keys().size(); ++index) {
    tree.add(value.keys()[index], value.items()[index]);
  }
  return tree;
}

Tree definition_of(const Shape& record) {
  Tree properties = Tree::mapping();
  std::vector<std::string> required;
  for (const FieldShape& field : record.fields) {
    properties.add(field.name, property_of(field));
    if (field.fallback.empty()) required.push_back(field.name);
  }
  Tree one_of = Tree::sequence();
  for (const FieldShape& field : record.alternatives) {
    properties.add(field.name, property_of(field));
    one_of.append(Tree::mapping().add("required", strings({field.name})));
  }
  Tree tree = Tree::mapping();
  tree.add("description", Tree::string(record.doc));
  tree.add("type", Tree::string("object"));
  tree.add("additionalProperties", Tree::boolean(false));
  if (!required.empty()) tree.add("required", strings(required));
  if (!record.alternatives.empty()) tree.add("oneOf", one_of);
  tree.add("properties", properties);
  return tree;
}

// Broken between words into lines of at most 98 columns, each ended.
std::string wrapped_text(const std::string& text) {
  constexpr std::size_t kColumns = 98;
  std::string out;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > 0) {
      const bool fits = column + 1 + word.size() <= kColumns;
      out += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::vector<ShapePtr> records_of(const ShapePtr& root) {
  std::vector<ShapePtr> records;
  collect(root, records);
  return records;
}

std::vector<std::string> field_names(const ShapePtr& root) {
  std::vector<std::string> names;
  for (const ShapePtr& record : records_of(root)) {
    for (const auto* fields : {&record->fields, &record->alternatives}) {
      for (const FieldShape& field : *fields) names.push_back(record->name + "." + field.name);
    }
  }
  return names;
}

Tree json_schema(const std::string& title, const std::vector<ShapePtr>& roots) {
  std::vector<ShapePtr> records;
  Tree one_of = Tree::sequence();
  for (const ShapePtr& root : roots) {
    collect(root, records);
    one_of.append(reference_to(*root));
  }
  Tree definitions = Tree::mapping();
  for (const ShapePtr& record : records) definitions.add(record->name, definition_of(*record));
  Tree schema = Tree::mapping();
  schema.add("$schema", Tree::string("http://json-schema.org/draft-07/schema#"));
  schema.add("title", Tree::string(title));
  schema.add("oneOf", one_of);
  schema.add("definitions", definitions);
  return schema;
}

void write_reference(const ShapePtr& root, const std::vector<std::string>& refused,
                     std::ostream& out) {
  for (const ShapePtr& record : records_of(root)) {
    out << "\n### " << record->name << "\n\n" << wrapped_text(record->doc);
    if (record->fields.empty() && record->alternatives.empty()) {
      out << "\nIt has no keys: write `{}`.\n";
      continue;
    }
    for (const auto* fields : {&record->fields, &record->alternatives}) {
      if (fields->empty()) continue;
      const bool alternatives = fields == &record->alternatives;
      if (alternatives) out << "\nExactly one of these keys:\n";
      out << (alternatives ? "\n| key | value | meaning | example |\n| --- | --- | --- | --- |\n"
                           : "\n| key | value | default | meaning | example |\n"
                             "| --- | --- | --- | --- | --- |\n");
      for (const FieldShape& field : *fields) {
        const std::string name = record->name + "." + field.name;
        const bool is_refused = std::find(refused.begin(), refused.end(), name) != refused.end();
        out << fmt::format("| `{}` | {} | ", field.name, cell(field.shape->text));
        if (!alternatives) {
          out << (field.fallback.empty() ? "**required**" : cell(field.fallback)) << " | ";
        }
        out << cell(field.doc) << (is_refused ? " *Reserved: refused for now.*" : "");
        out << fmt::format(" | `{}: {}` |\n", field.name, cell(field.example));
      }
    }
  }
}

}  // namespace nandi::sim::yaml
