// A value to be written out: what the typed writers produce, printed as YAML or as JSON.
//
// Strings are quoted when a reader could take them for something else, so that what is written
// loads back equal. Mappings keep the order in which their entries were added.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nandi::sim::yaml {

class Tree {
 public:
  enum class Kind : std::uint8_t { string, literal, sequence, mapping };

  static Tree string(std::string text);
  /// A number or a boolean, already spelt as both YAML and JSON spell it.
  static Tree literal(std::string text);
  static Tree integer(std::int64_t number);
  static Tree boolean(bool value);
  static Tree sequence(std::vector<Tree> items = {});
  static Tree mapping();

  /// Precondition: a mapping that does not hold `key`.
  Tree& add(std::string key, Tree value);
  /// Precondition: a sequence.
  Tree& append(Tree value);

  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }
  const std::vector<Tree>& items() const { return items_; }
  const std::vector<std::string>& keys() const { return keys_; }
  bool empty() const { return items_.empty(); }
  const Tree* find(std::string_view key) const;

  friend bool operator==(const Tree&, const Tree&) = default;

 private:
  explicit Tree(Kind kind) : kind_(kind) {}

  Kind kind_;
  std::string text_;
  std::vector<Tree> items_;
  std::vector<std::string> keys_;
};

/// Block style, two spaces of indentation; small values in one line. Precondition: the root is a
/// mapping that is not empty.
void write_yaml(const Tree& tree, std::ostream& out);
/// In one line: `{uniform: {from: 1ms, to: 5ms}}`.
std::string inline_yaml(const Tree& tree);
void write_json(const Tree& tree, std::ostream& out);

}  // namespace nandi::sim::yaml
