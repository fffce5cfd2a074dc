// Builders for mappings: a Record<T> binds keys to the members of a struct, a Choice<V> binds keys,
// of which exactly one is given, to the alternatives of a std::variant.
//
//   struct Group { Duration interval; Fraction gap{3, 20}; };
//   Type<Group> group_type() {
//     return Record<Group>("group", "What all workers share.")
//         .required("interval", &Group::interval, duration_type(), "Length of an interval.", "5s")
//         .optional("gap", &Group::gap, fraction_type(), "Timing slack.", "0.15")
//         .type();
//   }
//
// Defaults are those of the struct itself, so that code and documentation cannot disagree. What
// equals its default is not written. A record's name is unique within a language: schema and
// reference use it.
#pragma once

#include <cassert>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nandi/sim/yaml/type.h"

namespace nandi::sim::yaml {

/// V is a std::variant.
template <class V>
class Choice {
 public:
  struct Alternative {
    FieldShape shape;
    std::function<V(const Value&)> read;
    std::function<std::optional<Tree>(const V&)> write;  ///< empty: another alternative is in force
  };

  Choice(std::string name, std::string doc) : name_(std::move(name)), doc_(std::move(doc)) {}

  /// A is an alternative of V; `applies` tells keys apart that share one.
  template <class A>
  Choice& of(std::string key, const Type<A>& type, std::string doc, std::string example,
             std::function<bool(const A&)> applies = nullptr) {
    Alternative alternative;
    alternative.shape = {std::move(key), std::move(doc), std::move(example), "", type.shape};
    alternative.read = [type](const Value& value) { return V(type.read(value)); };
    alternative.write = [type, applies](const V& choice) -> std::optional<Tree> {
      const A* held = std::get_if<A>(&choice);
      if (held == nullptr || (applies && !applies(*held))) return std::nullopt;
      return type.write(*held);
    };
    alternatives_.push_back(std::move(alternative));
    return *this;
  }

  const std::vector<Alternative>& alternatives() const { return alternatives_; }

  Type<V> type() const {
    Shape shape;
    shape.name = name_;
    shape.text = "[" + name_ + "](#" + name_ + ")";
    shape.doc = doc_;
    for (const Alternative& alternative : alternatives_) {
      shape.alternatives.push_back(alternative.shape);
    }
    const auto shared = std::make_shared<const Shape>(std::move(shape));
    return {[alternatives = alternatives_, shared](const Value& value) {
              const MatchedFields matched = match_fields(value, *shared);
              return alternatives[*matched.alternative].read(*matched.alternative_value);
            },
            [alternatives = alternatives_](const V& choice) {
              Tree tree = Tree::mapping();
              add_written(alternatives, choice, tree);
              return tree;
            },
            shared};
  }

  static void add_written(const std::vector<Alternative>& alternatives, const V& choice,
                          Tree& tree) {
    for (const Alternative& alternative : alternatives) {
      if (auto written = alternative.write(choice)) {
        tree.add(alternative.shape.name, std::move(*written));
        return;
      }
    }
    assert(false && "every value of the variant has a key");
  }

 private:
  std::string name_;
  std::string doc_;
  std::vector<Alternative> alternatives_;
};

template <class T>
class Record {
 public:
  Record(std::string name, std::string doc, T initial = T{}) : initial_(std::move(initial)) {
    shape_.name = std::move(name);
    shape_.text = "[" + shape_.name + "](#" + shape_.name + ")";
    shape_.doc = std::move(doc);
  }

  template <class M>
  Record& required(std::string key, M T::*member, const Type<M>& type, std::string doc,
                   std::string example) {
    Field field;
    field.read = [member, type](const Value& value, T& out) { out.*member = type.read(value); };
    field.write = [member, type](const T& in) {
      return std::optional<Tree>(type.write(in.*member));
    };
    return add({std::move(key), std::move(doc), std::move(example), "", type.shape}, field);
  }

  template <class M>
  Record& optional(std::string key, M T::*member, const Type<M>& type, std::string doc,
                   std::string example) {
    Field field;
    field.read = [member, type](const Value& value, T& out) { out.*member = type.read(value); };
    const M fallback = initial_.*member;
    field.write = [member, type, fallback](const T& in) {
      if (in.*member == fallback) return std::optional<Tree>();
      return std::optional<Tree>(type.write(in.*member));
    };
    const Tree written = type.write(fallback);
    const bool is_all_default = written.kind() == Tree::Kind::mapping && written.empty();
    const std::string shown = is_all_default ? "its defaults" : "`" + inline_yaml(written) + "`";
    return add({std::move(key), std::move(doc), std::move(example), shown, type.shape}, field);
  }

  /// The member stays empty when the key is absent; `fallback` says in words what that means.
  template <class M>
  Record& optional(std::string key, std::optional<M> T::*member, const Type<M>& type,
                   std::string doc, std::string example, std::string fallback) {
    Field field;
    field.read = [member, type](const Value& value, T& out) { out.*member = type.read(value); };
    field.write = [member, type](const T& in) {
      if (!(in.*member)) return std::optional<Tree>();
      return std::optional<Tree>(type.write(*(in.*member)));
    };
    return add(
        {std::move(key), std::move(doc), std::move(example), std::move(fallback), type.shape},
        field);
  }

  /// The keys of the choice stand among those of the record.
  template <class V>
  Record& choice(V T::*member, const Choice<V>& choice) {
    const auto alternatives = choice.alternatives();
    for (const auto& alternative : alternatives) shape_.alternatives.push_back(alternative.shape);
    read_choice_ = [member, alternatives](std::size_t index, const Value& value, T& out) {
      out.*member = alternatives[index].read(value);
    };
    write_choice_ = [member, alternatives](const T& in, Tree& tree) {
      Choice<V>::add_written(alternatives, in.*member, tree);
    };
    return *this;
  }

  /// A condition over several keys: inspects what was read and throws by value.fail; runs last.
  Record& check(std::function<void(const T&, const Value&)> rule) {
    rules_.push_back(std::move(rule));
    return *this;
  }

  /// Sees the position of each record that is read (for messages long after loading).
  Record& located(std::function<void(Position, T&)> remember) {
    remember_ = std::move(remember);
    return *this;
  }

  Type<T> type() const {
    const auto record = std::make_shared<const Record>(*this);
    const auto shape = std::make_shared<const Shape>(shape_);
    return {[record, shape](const Value& value) { return record->read(value, *shape); },
            [record](const T& in) { return record->write(in); }, shape};
  }

 private:
  struct Field {
    std::function<void(const Value&, T&)> read;
    std::function<std::optional<Tree>(const T&)> write;
  };

  Record& add(FieldShape shape, Field field) {
    shape_.fields.push_back(std::move(shape));
    fields_.push_back(std::move(field));
    return *this;
  }

  T read(const Value& value, const Shape& shape) const {
    const MatchedFields matched = match_fields(value, shape);
    T out = initial_;
    for (std::size_t index = 0; index < fields_.size(); ++index) {
      if (matched.fields[index]) fields_[index].read(*matched.fields[index], out);
    }
    if (matched.alternative) read_choice_(*matched.alternative, *matched.alternative_value, out);
    if (remember_) remember_(value.position(), out);
    for (const auto& rule : rules_) rule(out, value);
    return out;
  }

  Tree write(const T& in) const {
    Tree tree = Tree::mapping();
    for (std::size_t index = 0; index < fields_.size(); ++index) {
      if (auto written = fields_[index].write(in)) {
        tree.add(shape_.fields[index].name, std::move(*written));
      }
    }
    if (write_choice_) write_choice_(in, tree);
    return tree;
  }

  T initial_;
  Shape shape_;
  std::vector<Field> fields_;
  std::function<void(std::size_t, const Value&, T&)> read_choice_;
  std::function<void(const T&, Tree&)> write_choice_;
  std::vector<std::function<void(const T&, const Value&)>> rules_;
  std::function<void(Position, T&)> remember_;
};

/// A mapping from some of `keys` to values of one type, each as (index into keys, value), rising.
template <class T>
Type<std::vector<std::pair<std::size_t, T>>> keyed_type(
    const std::string& name, const std::string& doc, const std::vector<std::string>& keys,
    const Type<T>& type, const std::string& key_doc, const std::string& example) {
  using Entries = std::vector<std::pair<std::size_t, T>>;
  Shape shape;
  shape.name = name;
  shape.text = "[" + name + "](#" + name + ")";
  shape.doc = doc;
  for (const std::string& key : keys) {
    shape.fields.push_back({key, key_doc, example, "none", type.shape});
  }
  const auto shared = std::make_shared<const Shape>(std::move(shape));
  return {[type, shared](const Value& value) {
            const MatchedFields matched = match_fields(value, *shared);
            Entries entries;
            for (std::size_t index = 0; index < matched.fields.size(); ++index) {
              if (matched.fields[index])
                entries.emplace_back(index, type.read(*matched.fields[index]));
            }
            return entries;
          },
          [type, keys](const Entries& entries) {
            Tree tree = Tree::mapping();
            for (const auto& [index, value] : entries) tree.add(keys[index], type.write(value));
            return tree;
          },
          shared};
}

}  // namespace nandi::sim::yaml
