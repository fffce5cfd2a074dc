#include "nandi/sim/keyspace/key_pattern.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace nandi::sim {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The placeholder that `text` begins with, and its length.
std::optional<std::pair<KeyPiece, std::size_t>> placeholder_at(std::string_view text) {
  if (text.empty() || text[0] != '<') return std::nullopt;
  std::size_t end = 1;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view name = text.substr(1, end - 1);
  if (name.empty() || end == text.size()) return std::nullopt;
  if (text[end] == '>') {
    const auto kind = name == "N" ? KeyPiece::Kind::interval : KeyPiece::Kind::value;
    return std::pair{KeyPiece{kind, std::string(name), 0}, end + 1};
  }
  if (name != "N" || (text[end] != '+' && text[end] != '-')) return std::nullopt;
  std::size_t at = end + 1;
  std::int64_t offset = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at < end + 7) {
    offset = offset * 10 + (text[at++] - '0');
  }
  if (at == end + 1 || at == text.size() || text[at] != '>') return std::nullopt;
  return std::pair{KeyPiece{KeyPiece::Kind::interval, "N", text[end] == '-' ? -offset : offset},
                   at + 1};
}

struct Spot {
  std::size_t piece = 0;
  std::size_t at = 0;
};

std::optional<Spot> find_from(const std::vector<KeyPiece>& pieces, char wanted, Spot from) {
  for (std::size_t p = from.piece; p < pieces.size(); ++p) {
    if (pieces[p].kind != KeyPiece::Kind::text) continue;
    const std::size_t at = pieces[p].text.find(wanted, p == from.piece ? from.at : 0);
    if (at != std::string::npos) return Spot{p, at};
  }
  return std::nullopt;
}

// What lies between two spots, both left out.
std::vector<KeyPiece> between(const std::vector<KeyPiece>& pieces, Spot open, Spot close) {
  std::vector<KeyPiece> inside;
  for (std::size_t p = open.piece; p <= close.piece; ++p) {
    KeyPiece piece = pieces[p];
    if (piece.kind == KeyPiece::Kind::text) {
      const std::size_t first = p == open.piece ? open.at + 1 : 0;
      const std::size_t last = p == close.piece ? close.at : piece.text.size();
      piece.text = piece.text.substr(first, last - first);
      if (piece.text.empty()) continue;
    }
    inside.push_back(std::move(piece));
  }
  return inside;
}

}  // namespace

void KeyPattern::append(KeyPiece piece) {
  const bool is_text = piece.kind == KeyPiece::Kind::text;
  if (is_text && piece.text.empty()) return;
  if (is_text && !pieces_.empty() && pieces_.back().kind == KeyPiece::Kind::text) {
    pieces_.back().text += piece.text;
    return;
  }
  pieces_.push_back(std::move(piece));
}

KeyPattern KeyPattern::parse(std::string_view source) {
  KeyPattern pattern;
  while (!source.empty()) {
    if (auto found = placeholder_at(source)) {
      pattern.append(std::move(found->first));
      source.remove_prefix(found->second);
      continue;
    }
    const std::size_t next = std::min(source.find('<', 1), source.size());
    pattern.append({KeyPiece::Kind::text, std::string(source.substr(0, next)), 0});
    source.remove_prefix(next);
  }
  return pattern;
}

KeyPattern KeyPattern::literal(std::string_view key) {
  KeyPattern pattern;
  pattern.append({KeyPiece::Kind::text, std::string(key), 0});
  return pattern;
}

KeyPattern KeyPattern::then(KeyPiece piece) const {
  KeyPattern longer = *this;
  longer.append(std::move(piece));
  return longer;
}

std::string KeyPattern::source() const {
  std::string text;
  for (const KeyPiece& piece : pieces_) {
    if (piece.kind == KeyPiece::Kind::text) {
      text += piece.text;
    } else if (piece.offset == 0) {
      text += fmt::format("<{}>", piece.text);
    } else {
      text += fmt::format("<{}{:+}>", piece.text, piece.offset);
    }
  }
  return text;
}

std::vector<std::string> KeyPattern::names() const {
  std::vector<std::string> names;
  for (const KeyPiece& piece : pieces_) {
    if (piece.kind != KeyPiece::Kind::value) continue;
    if (std::find(names.begin(), names.end(), piece.text) == names.end()) {
      names.push_back(piece.text);
    }
  }
  return names;
}

bool KeyPattern::uses_interval() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const KeyPiece& piece) { return piece.kind == KeyPiece::Kind::interval; });
}

std::string KeyPattern::fill(const KeyBinding& binding) const {
  std::string key;
  for (const KeyPiece& piece : pieces_) {
    switch (piece.kind) {
      case KeyPiece::Kind::text: key += piece.text; break;
      case KeyPiece::Kind::value: key += binding.values.at(piece.text); break;
      case KeyPiece::Kind::interval: key += std::to_string(binding.interval + piece.offset); break;
    }
  }
  return key;
}

KeyPattern::Hashed KeyPattern::hashed() const {
  Hashed result;
  result.part = *this;
  const auto open = find_from(pieces_, '{', {});
  if (!open) return result;
  const auto close = find_from(pieces_, '}', {open->piece, open->at + 1});
  if (!close) {
    result.because = HashedBecause::no_close;
    return result;
  }
  // A later pair of braces looks like a tag, and is none.
  const auto later = find_from(pieces_, '{', {close->piece, close->at + 1});
  if (later) {
    const auto end = find_from(pieces_, '}', {later->piece, later->at + 1});
    if (end) {
      KeyPattern inside;
      for (KeyPiece& piece : between(pieces_, *later, *end)) inside.append(std::move(piece));
      result.ignored = '{' + inside.source() + '}';
    }
  }
  std::vector<KeyPiece> inside = between(pieces_, *open, *close);
  if (inside.empty()) {
    result.because = HashedBecause::empty_braces;
    return result;
  }
  result.because = HashedBecause::tag;
  result.part = KeyPattern();
  for (KeyPiece& piece : inside) result.part.append(std::move(piece));
  return result;
}

}  // namespace nandi::sim
