// Names of keys with placeholders: `<prefix>{<name>}:<N>` stands for a family of keys.
//
// `<word>` is a placeholder for a value, `<N>`, `<N-1>`, `<N+2>` for the number of an interval;
// anything else is text, also a `<` that begins no placeholder. What Redis would hash is found on
// the pattern itself: values are taken to be neither empty nor to hold braces, unless they are
// listed and say otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::sim {

struct KeyPiece {
  enum class Kind : std::uint8_t { text, value, interval };
  Kind kind = Kind::text;
  std::string text;         // the text, or the placeholder's name
  std::int64_t offset = 0;  // -1 for <N-1>
  friend bool operator==(const KeyPiece&, const KeyPiece&) = default;
};

// Values for the placeholders, and the number that <N> stands for.
struct KeyBinding {
  std::map<std::string, std::string> values;
  std::int64_t interval = 0;
};

class KeyPattern {
 public:
  // Every text is a pattern.
  static KeyPattern parse(std::string_view source);
  // The text itself, without placeholders.
  static KeyPattern literal(std::string_view key);

  const std::vector<KeyPiece>& pieces() const { return pieces_; }
  // The pattern as it was written.
  std::string source() const;
  // Names of the value placeholders, each once, in order.
  std::vector<std::string> names() const;
  bool uses_interval() const;
  // Precondition: every name has a value.
  std::string fill(const KeyBinding& binding) const;

  // The pattern followed by a piece.
  KeyPattern then(KeyPiece piece) const;

  struct Hashed;
  // The part that is hashed, as a pattern, and why.
  Hashed hashed() const;

  friend bool operator==(const KeyPattern&, const KeyPattern&) = default;

 private:
  void append(KeyPiece piece);

  std::vector<KeyPiece> pieces_;  // neighbouring texts are one
};

struct KeyPattern::Hashed {
  KeyPattern part;
  HashedBecause because = HashedBecause::no_open;
  // A later {...}, as written, that people may take for a tag; empty when there is none.
  std::string ignored;
};

}  // namespace nandi::sim
