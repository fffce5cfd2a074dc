#include "nandi/sim/keyspace/key_list.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "nandi/engine/options.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/names.h"

namespace nandi::sim {

namespace {

constexpr std::size_t kMaxValues = 1'000'000;

const std::vector<std::string> kWords = {"key",   "values", "weights", "transaction", "script",
                                         "group", "nodes",  "node",    "interval"};

struct Word {
  std::string text;
  int column = 0;
  bool quoted = false;
};

// One line of the file, cut into words.
class Line {
 public:
  Line(std::string_view text, const std::string& file, int number) : file_(file), number_(number) {
    std::size_t at = 0;
    while (at < text.size()) {
      if (text[at] == ' ' || text[at] == '\t') {
        ++at;
      } else if (text[at] == '"') {
        at = quoted(text, at);
      } else {
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        words_.push_back({std::string(text.substr(at, end - at)), column_of(at), false});
        at = end;
      }
    }
  }

  const std::vector<Word>& words() const { return words_; }
  int number() const { return number_; }

  [[noreturn]] void fail(int column, const std::string& what, const std::string& advice) const {
    throw yaml::LoadError(file_, {number_, column}, what, advice);
  }

  std::uint64_t number_at(const Word& word, std::string_view digits, std::uint64_t most) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value > most) {
      fail(word.column, fmt::format("`{}` is not a number up to {}", digits, most),
           "write plain digits");
    }
    return value;
  }

  std::uint64_t number_at(const Word& word, std::uint64_t most) const {
    return number_at(word, word.text, most);
  }

 private:
  static int column_of(std::size_t at) { return static_cast<int>(at) + 1; }

  std::size_t quoted(std::string_view text, std::size_t open) {
    Word word{"", column_of(open), true};
    std::size_t at = open + 1;
    while (at < text.size() && text[at] != '"') {
      if (text[at] != '\\') {
        word.text += text[at++];
        continue;
      }
      at = escape(text, at, word.text);
    }
    if (at == text.size()) fail(word.column, "a quote that does not end", "close it with \"");
    if (at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\t') {
      fail(column_of(at + 1), "text right behind a quote", "put a blank between, or quote it all");
    }
    words_.push_back(std::move(word));
    return at + 1;
  }

  std::size_t escape(std::string_view text, std::size_t at, std::string& out) const {
    const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
    const std::string_view plain = "\"\\nt";
    const std::string_view means = "\"\\\n\t";
    if (const std::size_t which = plain.find(kind); kind != '\0' && which != plain.npos) {
      out += means[which];
      return at + 2;
    }
    unsigned byte = 0;
    const std::string_view digits = at + 4 <= text.size() ? text.substr(at + 2, 2) : "";
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (kind != 'x' || digits.size() != 2 || error != std::errc() ||
        end != digits.data() + digits.size()) {
      fail(column_of(at), "an escape without a meaning", "write \\\" \\\\ \\n \\t or \\xHH");
    }
    out += static_cast<char>(byte);
    return at + 4;
  }

  const std::string& file_;
  int number_;
  std::vector<Word> words_;
};

class Reader {
 public:
  explicit Reader(const std::string& file) { list_.file = file; }

  void read(const Line& line) {
    const std::vector<Word>& words = line.words();
    if (words.empty()) return;
    if (words.size() == 1) return add_pattern(line, 0);
    const Word& first = words[0];
    if (first.text == "key") return add_pattern(line, 1);
    if (first.text == "values") return add_values(line);
    if (first.text == "weights") return add_weights(line);
    if (first.text == "transaction") return add_set(line, false);
    if (first.text == "script") return add_set(line, true);
    if (first.text == "group") return add_group_line(line);
    if (first.text == "nodes") return set_nodes(line);
    if (first.text == "node") return add_node(line);
    if (first.text == "interval") {
      list_.interval = static_cast<std::int64_t>(line.number_at(only(line), 1ULL << 53U));
      return;
    }
    line.fail(first.column, fmt::format("`{}` begins no kind of line", first.text),
              yaml::name_advice(first.text, kWords) + "; a key with blanks needs quotes");
  }

  KeyList finish() {
    for (const auto& [name, line] : weight_lines_) {
      const auto found = list_.values.find(name);
      if (found != list_.values.end() && found->second.size() == list_.weights[name].size()) {
        continue;
      }
      const std::size_t values = found == list_.values.end() ? 0 : found->second.size();
      throw yaml::LoadError(
          list_.file, {line, 1},
          fmt::format("{} weights for {} values of <{}>", list_.weights[name].size(), values, name),
          "give each value one weight");
    }
    if (!nodes_.empty()) {
      try {
        list_.slots = SlotMap(std::move(nodes_));
      } catch (const std::invalid_argument& error) {
        throw yaml::LoadError(list_.file, {nodes_line_, 1}, error.what(), "correct the ranges");
      }
    }
    return std::move(list_);
  }

 private:
  static const Word& only(const Line& line) {
    const Word& second = line.words()[1];
    if (line.words().size() > 2) {
      line.fail(line.words()[2].column, "a word too many", "write one value");
    }
    return second;
  }

  // The name of a placeholder, with or without its brackets.
  static std::string placeholder(const Line& line) {
    std::string name = line.words()[1].text;
    if (name.size() > 2 && name.front() == '<' && name.back() == '>') {
      name = name.substr(1, name.size() - 2);
    }
    const KeyPattern pattern = KeyPattern::parse('<' + name + '>');
    if (pattern.names().size() != 1) {
      line.fail(line.words()[1].column, fmt::format("`{}` names no placeholder", name),
                "use letters, digits and _; <N> is the interval, set by `interval`");
    }
    return name;
  }

  void add_pattern(const Line& line, std::size_t at) {
    const std::vector<Word>& words = line.words();
    KeyLine entry;
    entry.line = line.number();
    entry.pattern = KeyPattern::parse(words[at].text);
    for (std::size_t w = at + 1; w < words.size(); ++w) {
      const std::string& text = words[w].text;
      if (text.rfind("bytes=", 0) == 0) {
        entry.bytes = line.number_at(words[w], std::string_view(text).substr(6), 1ULL << 40U);
      } else if (text.rfind("of=", 0) == 0) {
        entry.of = identifying(line, words[w], entry.pattern);
      } else {
        line.fail(words[w].column, fmt::format("`{}` says nothing about a key", text),
                  "write bytes=N or of=NAME,NAME; a key with blanks needs quotes");
      }
    }
    list_.patterns.push_back(std::move(entry));
  }

  static std::vector<std::string> identifying(const Line& line, const Word& word,
                                              const KeyPattern& pattern) {
    std::vector<std::string> names;
    std::string_view rest = std::string_view(word.text).substr(3);
    const std::vector<std::string> known = pattern.names();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (std::find(known.begin(), known.end(), names.back()) == known.end()) {
        line.fail(word.column, fmt::format("the key has no placeholder <{}>", names.back()),
                  yaml::name_advice(names.back(), known));
      }
    }
    return names;
  }

  void add_values(const Line& line) {
    const std::string name = placeholder(line);
    if (list_.values.count(name) != 0) {
      line.fail(1, fmt::format("<{}> has values already", name), "list them in one line");
    }
    std::vector<std::string>& values = list_.values[name];
    for (std::size_t w = 2; w < line.words().size(); ++w) {
      const Word& word = line.words()[w];
      const std::size_t dots = word.text.find("..");
      if (word.quoted || dots == std::string::npos) {
        values.push_back(word.text);
        continue;
      }
      const std::string_view text = word.text;
      const std::uint64_t first = line.number_at(word, text.substr(0, dots), 1ULL << 53U);
      const std::uint64_t last = line.number_at(word, text.substr(dots + 2), 1ULL << 53U);
      if (last < first || last - first >= kMaxValues) {
        line.fail(word.column, fmt::format("`{}` is reversed or too long", word.text),
                  fmt::format("list at most {} values, the lower end first", kMaxValues));
      }
      for (std::uint64_t v = first; v <= last; ++v) values.push_back(std::to_string(v));
    }
    if (values.empty()) line.fail(1, "no values", "write `values NAME 0..5` or words");
  }

  void add_weights(const Line& line) {
    const std::string name = placeholder(line);
    weight_lines_[name] = line.number();
    std::vector<std::uint64_t>& weights = list_.weights[name];
    weights.clear();
    for (std::size_t w = 2; w < line.words().size(); ++w) {
      weights.push_back(line.number_at(line.words()[w], 1'000'000));
    }
  }

  void add_set(const Line& line, bool script) {
    const std::vector<Word>& words = line.words();
    KeySet set;
    set.line = line.number();
    set.script = script;
    set.name = words[1].text;
    if (set.name.size() < 2 || set.name.back() != ':') {
      line.fail(words[1].column, "the name does not end with a colon",
                fmt::format("write `{} NAME: KEY KEY`", words[0].text));
    }
    set.name.pop_back();
    std::vector<KeyPattern>* target = &set.declared;
    for (std::size_t w = 2; w < words.size(); ++w) {
      if (script && !words[w].quoted && words[w].text == "->") {
        target = &set.built;
      } else {
        target->push_back(KeyPattern::parse(words[w].text));
      }
    }
    if (set.declared.empty()) {
      line.fail(words[1].column, "no keys", "name the keys behind the colon");
    }
    list_.sets.push_back(std::move(set));
  }

  void add_group_line(const Line& line) {
    const std::vector<Word>& words = line.words();
    std::string prefix;
    for (std::size_t w = 2; w < words.size(); ++w) {
      if (words[w].text.rfind("prefix=", 0) != 0 || w > 2) {
        line.fail(words[w].column, fmt::format("`{}` says nothing about a group", words[w].text),
                  "write `group NAME prefix=PREFIX`");
      }
      prefix = words[w].text.substr(7);
    }
    add_group(list_, words[1].text, prefix, line.number());
  }

  void set_nodes(const Line& line) {
    refuse_second_map(line, true);
    const std::uint64_t count = line.number_at(only(line), kHashSlots);
    if (count == 0) line.fail(line.words()[1].column, "no nodes", "write 1 or more");
    list_.slots = SlotMap::redis_cli_ranges(static_cast<std::uint32_t>(count));
  }

  void add_node(const Line& line) {
    refuse_second_map(line, false);
    nodes_line_ = line.number();
    SlotNode node{line.words()[1].text, {}};
    for (std::size_t w = 2; w < line.words().size(); ++w) {
      const Word& word = line.words()[w];
      const std::string_view text = word.text;
      const std::size_t dash = std::min(text.find('-'), text.size());
      const auto first = line.number_at(word, text.substr(0, dash), kHashSlots - 1);
      const auto last =
          dash == text.size() ? first : line.number_at(word, text.substr(dash + 1), kHashSlots - 1);
      node.ranges.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
    }
    nodes_.push_back(std::move(node));
  }

  void refuse_second_map(const Line& line, bool whole) const {
    if (list_.slots || (whole && !nodes_.empty())) {
      line.fail(1, "a second map of slots to nodes",
                "write one `nodes N`, or one `node NAME RANGES` a node");
    }
  }

  KeyList list_;
  std::map<std::string, int> weight_lines_;
  std::vector<SlotNode> nodes_;
  int nodes_line_ = 0;
};

// Calls `each` with every line, without its end, and its number.
template <class Each>
void for_lines(std::string_view text, Each each) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

KeyList read_key_list(std::string_view text, const std::string& file) {
  Reader reader(file);
  for_lines(text, [&](std::string_view content, int number) {
    if (!content.empty() && content.back() == '\r') content.remove_suffix(1);
    const std::size_t start = content.find_first_not_of(" \t");
    if (start == std::string_view::npos || content[start] == '#') return;
    reader.read(Line(content, file, number));
  });
  return reader.finish();
}

KeyList read_literal_keys(std::string_view text, const std::string& file) {
  KeyList list;
  list.file = file;
  for_lines(text, [&](std::string_view content, int number) {
    list.patterns.push_back({number, KeyPattern::literal(content), 0, std::nullopt});
  });
  return list;
}

void add_group(KeyList& list, const std::string& name, const std::string& prefix, int line) {
  Options options;
  options.name = name;
  options.prefix = prefix;
  KeySet set;
  set.line = line;
  set.name = "registration of group " + name;
  set.script = true;
  const KeyPattern declared = KeyPattern::literal(group_key(options));
  const KeyPattern stem = declared.then({KeyPiece::Kind::text, ":", 0});
  set.declared = {declared};
  set.built = {stem.then({KeyPiece::Kind::interval, "N", 0}),
               stem.then({KeyPiece::Kind::interval, "N", -1})};
  list.groups.push_back({line, name, prefix});
  for (const KeyPattern& pattern : set.built) {
    list.patterns.push_back({line, pattern, 0, std::nullopt});
  }
  list.sets.push_back(std::move(set));
}

}  // namespace nandi::sim
