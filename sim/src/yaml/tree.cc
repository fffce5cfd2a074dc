#include "nandi/sim/yaml/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "nandi/sim/yaml/document.h"

namespace nandi::sim::yaml {
namespace {

constexpr std::size_t kLineWidth = 96;
constexpr std::size_t kInlineDepth = 3;

bool is_plain(std::string_view text) {
  if (core_kind(text) != ScalarKind::text) return false;
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+-";
  if (text.find_first_not_of(kSafe) != std::string_view::npos) return false;
  return text[0] != '%' && text[0] != '-' && text[0] != '.';
}

// JSON's escapes are understood by YAML's double-quoted style as well.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string scalar(std::string_view text) {
  return is_plain(text) ? std::string(text) : quoted(text);
}

std::size_t depth(const Tree& tree) {
  std::size_t deepest = 0;
  for (const Tree& item : tree.items()) deepest = std::max(deepest, depth(item) + 1);
  return deepest;
}

bool fits_in_line(const Tree& tree, std::size_t used) {
  if (tree.empty()) return true;
  return depth(tree) <= kInlineDepth && used + inline_yaml(tree).size() <= kLineWidth;
}

void write_block(const Tree& tree, std::size_t indent, std::ostream& out);

// Writes what follows `key:`, up to the end of the line or of the block below it.
void write_child(const Tree& tree, std::size_t indent, std::size_t used, std::ostream& out) {
  if (fits_in_line(tree, used + 1)) {
    out << ' ' << inline_yaml(tree) << '\n';
    return;
  }
  out << '\n';
  write_block(tree, indent, out);
}

void write_block(const Tree& tree, std::size_t indent, std::ostream& out) {
  const std::string margin(indent, ' ');
  for (std::size_t index = 0; index < tree.items().size(); ++index) {
    const Tree& item = tree.items()[index];
    if (tree.kind() == Tree::Kind::mapping) {
      const std::string head = margin + scalar(tree.keys()[index]) + ":";
      out << head;
      write_child(item, indent + 2, head.size(), out);
    } else if (fits_in_line(item, indent + 2)) {
      out << margin << "- " << inline_yaml(item) << '\n';
    } else {
      std::ostringstream block;
      write_block(item, indent + 2, block);
      out << margin << "- " << block.str().substr(indent + 2);
    }
  }
}

void write_json_at(const Tree& tree, std::size_t indent, std::ostream& out) {
  const bool is_mapping = tree.kind() == Tree::Kind::mapping;
  if (tree.kind() == Tree::Kind::string) {
    out << quoted(tree.text());
    return;
  }
  if (tree.kind() == Tree::Kind::literal) {
    out << tree.text();
    return;
  }
  out << (is_mapping ? '{' : '[');
  const std::string margin(indent + 2, ' ');
  for (std::size_t index = 0; index < tree.items().size(); ++index) {
    out << (index == 0 ? "\n" : ",\n") << margin;
    if (is_mapping) out << quoted(tree.keys()[index]) << ": ";
    write_json_at(tree.items()[index], indent + 2, out);
  }
  if (!tree.empty()) out << '\n' << std::string(indent, ' ');
  out << (is_mapping ? '}' : ']');
}

}  // namespace

Tree Tree::string(std::string text) {
  Tree tree(Kind::string);
  tree.text_ = std::move(text);
  return tree;
}

Tree Tree::literal(std::string text) {
  Tree tree(Kind::literal);
  tree.text_ = std::move(text);
  return tree;
}

Tree Tree::integer(std::int64_t number) { return literal(std::to_string(number)); }
Tree Tree::boolean(bool value) { return literal(value ? "true" : "false"); }

Tree Tree::sequence(std::vector<Tree> items) {
  Tree tree(Kind::sequence);
  tree.items_ = std::move(items);
  return tree;
}

Tree Tree::mapping() { return Tree(Kind::mapping); }

Tree& Tree::add(std::string key, Tree value) {
  keys_.push_back(std::move(key));
  items_.push_back(std::move(value));
  return *this;
}

Tree& Tree::append(Tree value) {
  items_.push_back(std::move(value));
  return *this;
}

const Tree* Tree::find(std::string_view key) const {
  for (std::size_t index = 0; index < keys_.size(); ++index) {
    if (keys_[index] == key) return &items_[index];
  }
  return nullptr;
}

std::string inline_yaml(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::string: return scalar(tree.text());
    case Tree::Kind::literal: return tree.text();
    case Tree::Kind::sequence:
    case Tree::Kind::mapping: break;
  }
  const bool is_mapping = tree.kind() == Tree::Kind::mapping;
  std::string out = is_mapping ? "{" : "[";
  for (std::size_t index = 0; index < tree.items().size(); ++index) {
    if (index > 0) out += ", ";
    if (is_mapping) out += scalar(tree.keys()[index]) + ": ";
    out += inline_yaml(tree.items()[index]);
  }
  return out + (is_mapping ? "}" : "]");
}

void write_yaml(const Tree& tree, std::ostream& out) { write_block(tree, 0, out); }

void write_json(const Tree& tree, std::ostream& out) {
  write_json_at(tree, 0, out);
  out << '\n';
}

}  // namespace nandi::sim::yaml
