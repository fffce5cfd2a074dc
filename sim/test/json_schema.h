// A small validator for the part of JSON Schema (draft 7) that the scenario schema uses, written
// from the specification and apart from the loader, so that the two can be held against each other.
// A keyword that it does not know is an error, never ignored.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

#include "nandi/sim/yaml/document.h"

namespace nandi::sim {

class JsonSchema {
 public:
  using Json = nlohmann::ordered_json;

  explicit JsonSchema(Json root) : root_(std::move(root)) {}

  // Empty when `value` is valid, else the first thing that is wrong.
  std::string error(const Json& value) const { return error(root_, value, ""); }
  std::string error(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [keyword, argument] : schema.items()) {
      const std::string found = check(keyword, argument, schema, value, at);
      if (!found.empty()) return found;
    }
    return "";
  }

  const Json& root() const { return root_; }

 private:
  std::string check(const std::string& keyword, const Json& argument, const Json& schema,
                    const Json& value, const std::string& at) const {
    if (keyword == "$schema" || keyword == "title" || keyword == "description" ||
        keyword == "definitions") {
      return "";
    }
    if (keyword == "$ref") return error(resolve(argument.get<std::string>()), value, at);
    if (keyword == "type") return is_type(argument.get<std::string>(), value) ? "" : at + ": type";
    if (keyword == "enum") return contains(argument, value) ? "" : at + ": enum";
    if (keyword == "pattern") {
      if (!value.is_string()) return "";
      const std::regex pattern(argument.get<std::string>());
      return std::regex_search(value.get<std::string>(), pattern) ? "" : at + ": pattern";
    }
    if (keyword == "minimum")
      return compare(value, argument, at, [](double v, double b) { return v >= b; });
    if (keyword == "maximum")
      return compare(value, argument, at, [](double v, double b) { return v <= b; });
    if (keyword == "exclusiveMinimum")
      return compare(value, argument, at, [](double v, double b) { return v > b; });
    if (keyword == "exclusiveMaximum")
      return compare(value, argument, at, [](double v, double b) { return v < b; });
    if (keyword == "anyOf" || keyword == "oneOf" || keyword == "allOf")
      return combine(keyword, argument, value, at);
    if (keyword == "items") return each_item(argument, value, at);
    if (keyword == "required") return required(argument, value, at);
    if (keyword == "properties") return each_property(argument, value, at);
    if (keyword == "additionalProperties") return no_others(schema, value, at);
    throw std::logic_error("unknown keyword " + keyword);
  }

  const Json& resolve(const std::string& reference) const {
    const std::string prefix = "#/definitions/";
    if (reference.compare(0, prefix.size(), prefix) != 0) throw std::logic_error(reference);
    return root_.at("definitions").at(reference.substr(prefix.size()));
  }

  static bool is_type(const std::string& type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    throw std::logic_error("unknown type " + type);
  }

  static bool contains(const Json& list, const Json& value) {
    for (const Json& item : list) {
      if (item == value) return true;
    }
    return false;
  }

  template <class Relation>
  static std::string compare(const Json& value, const Json& bound, const std::string& at,
                             Relation relation) {
    if (!value.is_number()) return "";
    return relation(value.get<double>(), bound.get<double>()) ? "" : at + ": out of bounds";
  }

  std::string combine(const std::string& keyword, const Json& schemas, const Json& value,
                      const std::string& at) const {
    std::size_t valid = 0;
    std::string last;
    for (const Json& schema : schemas) {
      const std::string found = error(schema, value, at);
      if (found.empty())
        ++valid;
      else
        last = found;
    }
    const bool accepted = keyword == "allOf"   ? valid == schemas.size()
                          : keyword == "oneOf" ? valid == 1
                                               : valid >= 1;
    return accepted ? "" : at + ": " + keyword + " (" + last + ")";
  }

  std::string each_item(const Json& schema, const Json& value, const std::string& at) const {
    if (!value.is_array()) return "";
    for (std::size_t index = 0; index < value.size(); ++index) {
      const std::string found = error(schema, value[index], at + "/" + std::to_string(index));
      if (!found.empty()) return found;
    }
    return "";
  }

  static std::string required(const Json& keys, const Json& value, const std::string& at) {
    if (!value.is_object()) return "";
    for (const Json& key : keys) {
      if (!value.contains(key.get<std::string>())) return at + ": lacks " + key.get<std::string>();
    }
    return "";
  }

  std::string each_property(const Json& schemas, const Json& value, const std::string& at) const {
    if (!value.is_object()) return "";
    for (const auto& [key, child] : value.items()) {
      if (!schemas.contains(key)) continue;
      const std::string found = error(schemas.at(key), child, at + "/" + key);
      if (!found.empty()) return found;
    }
    return "";
  }

  static std::string no_others(const Json& schema, const Json& value, const std::string& at) {
    if (schema.at("additionalProperties") != false) throw std::logic_error("additionalProperties");
    if (!value.is_object()) return "";
    for (const auto& [key, child] : value.items()) {
      if (!schema.at("properties").contains(key)) return at + ": unknown key " + key;
    }
    return "";
  }

  Json root_;
};

// A document as an editor sees it: YAML 1.2's core schema.
inline JsonSchema::Json json_of(const yaml::Value& value) {
  using Json = JsonSchema::Json;
  if (value.kind() == yaml::NodeKind::mapping) {
    Json object = Json::object();
    for (std::size_t i = 0; i < value.size(); ++i)
      object[std::string(value.key(i))] = json_of(value.at(i));
    return object;
  }
  if (value.kind() == yaml::NodeKind::sequence) {
    Json array = Json::array();
    for (std::size_t i = 0; i < value.size(); ++i) array.push_back(json_of(value.at(i)));
    return array;
  }
  const std::string text(value.text());
  switch (value.scalar_kind()) {
    case yaml::ScalarKind::integer: return std::stoll(text);
    case yaml::ScalarKind::number: return std::stod(text);
    case yaml::ScalarKind::boolean: return text[0] == 't' || text[0] == 'T';
    case yaml::ScalarKind::null: return nullptr;
    case yaml::ScalarKind::text: break;
  }
  return text;
}

}  // namespace nandi::sim
