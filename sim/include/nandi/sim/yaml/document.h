// A strictly read YAML document: text in, a tree of values with exact positions out.
//
// What YAML leaves to taste is refused here, because a scenario must mean one thing: duplicate
// keys, anchors and aliases, tags, keys that are not plain words, several documents in one file,
// values that are missing. Scalars are kept as the characters written in the file; how they read
// (`010`, `yes`, `5s`) is decided by the typed readers in scalar.h, never by YAML's own rules.
//
// Shape: a Document owns its values; a Value is a small handle into it and must not outlive it.
// Errors: everything that is wrong with a file is a LoadError, `file:line:column: what; what to
// do`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nandi::sim::yaml {

/// One-based, as editors count; line 0 says "the file as a whole".
struct Position {
  int line = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

class LoadError : public std::runtime_error {
 public:
  LoadError(std::string file, Position position, const std::string& what_is_wrong,
            const std::string& what_to_do);

  const std::string& file() const { return file_; }
  Position position() const { return position_; }

 private:
  std::string file_;
  Position position_;
};

enum class NodeKind : std::uint8_t { scalar, sequence, mapping, nothing };

/// How YAML 1.2 would read a scalar that carries no quotes. Editors and JSON follow this reading.
enum class ScalarKind : std::uint8_t { text, integer, number, boolean, null };

struct Node;  ///< storage, private to document.cc
struct DocumentState;

class Value;

class Document {
 public:
  /// Takes ownership of nothing; `file` names the text in errors.
  static Document parse(std::string_view text, std::string file);

  Value root() const;
  const std::string& file() const;
  /// Where relative file names in the document start from.
  std::filesystem::path directory() const;

  /// Names of record fields ("rules.margin") that the reader of this document refuses although they
  /// belong to the language: the vocabulary is wider than what a given program can do.
  void refuse_fields(std::vector<std::string> fields);

 private:
  explicit Document(std::shared_ptr<DocumentState> state) : state_(std::move(state)) {}
  std::shared_ptr<DocumentState> state_;
};

class Value {
 public:
  NodeKind kind() const;
  Position position() const;
  bool quoted() const;
  ScalarKind scalar_kind() const;
  /// "a mapping", "a list", "`abc`": for error texts.
  std::string description() const;

  /// Precondition: kind() is scalar.
  std::string_view text() const;

  /// Elements of a sequence, values of a mapping, both in file order; 0 for anything else.
  std::size_t size() const;
  Value at(std::size_t index) const;
  /// Precondition: kind() is mapping.
  std::string_view key(std::size_t index) const;
  Position key_position(std::size_t index) const;
  std::optional<Value> find(std::string_view key) const;

  const std::string& file() const;
  std::filesystem::path directory() const;
  bool refuses(std::string_view field) const;

  [[noreturn]] void fail(const std::string& what_is_wrong, const std::string& what_to_do) const;
  [[noreturn]] void fail_at(Position position, const std::string& what_is_wrong,
                            const std::string& what_to_do) const;

 private:
  friend class Document;
  Value(const DocumentState* state, std::uint32_t node) : state_(state), node_(node) {}
  const Node& node() const;

  const DocumentState* state_;
  std::uint32_t node_;
};

/// Reads and parses a file. Throws LoadError, also when the file cannot be read.
Document load_yaml(const std::filesystem::path& path);

/// How YAML 1.2's core schema reads an unquoted scalar.
ScalarKind core_kind(std::string_view text);

}  // namespace nandi::sim::yaml
