#include "nandi/sim/yaml/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "nandi/sim/whole_file.h"

namespace nandi::sim::yaml {

struct Node {
  NodeKind kind = NodeKind::nothing;
  bool quoted = false;
  Position position;
  std::string text;
  std::vector<std::uint32_t> children;
  std::vector<std::string> keys;
  std::vector<Position> key_positions;
};

struct DocumentState {
  std::string file;
  std::vector<Node> nodes;  // the root is the first
  std::vector<std::string> refused_fields;
};

namespace {

// Far beyond any real file; they keep a hostile one from taking the machine's memory or stack.
constexpr std::size_t kDeepest = 32;

std::string locate(const std::string& file, Position position) {
  if (position.line == 0) return file;
  return fmt::format("{}:{}:{}", file, position.line, position.column);
}

// yaml-cpp counts lines and columns from 0.
Position position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(DocumentState& state) : state_(state) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!state_.nodes.empty()) {
      fail(position_of(mark), "a second document starts here",
           "keep one scenario in a file and remove the `---`");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(position_of(mark), anchor);
    add(position_of(mark), NodeKind::nothing);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(position_of(mark), "an alias (`*name`) stands here", "write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Position position = position_of(mark);
    refuse_anchor(position, anchor);
    // Plain scalars are reported with the tag "?" or none, quoted and block ones with "!".
    const bool quoted = tag == "!";
    if (!quoted && !tag.empty() && tag != "?") refuse_tag(position, tag);
    if (awaits_key()) {
      begin_entry(position, value);
      return;
    }
    Node& node = add(position, NodeKind::scalar);
    node.quoted = quoted;
    node.text = value;
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::sequence);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, NodeKind::mapping);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct OpenNode {
    std::uint32_t node;
    bool key_read = false;
    std::unordered_map<std::string, Position> first_places;  // looked up only, never iterated
  };

  [[noreturn]] void fail(Position position, const std::string& what, const std::string& advice) {
    throw LoadError(state_.file, position, what, advice);
  }

  void refuse_anchor(Position position, YAML::anchor_t anchor) {
    if (anchor != 0) fail(position, "an anchor (`&name`) stands here", "remove it");
  }

  void refuse_tag(Position position, const std::string& tag) {
    fail(position, fmt::format("a tag (`{}`) stands here", tag),
         "remove it: types follow from the keys");
  }

  bool awaits_key() const {
    return !open_.empty() && state_.nodes[open_.back().node].kind == NodeKind::mapping &&
           !open_.back().key_read;
  }

  void begin_entry(Position position, const std::string& key) {
    OpenNode& parent = open_.back();
    const auto [known, fresh] = parent.first_places.emplace(key, position);
    if (!fresh) {
      fail(position, fmt::format("duplicate key `{}`", key),
           fmt::format("it is already given at {}; keep one of the two",
                       locate(state_.file, known->second)));
    }
    Node& node = state_.nodes[parent.node];
    node.keys.push_back(key);
    node.key_positions.push_back(position);
    parent.key_read = true;
  }

  Node& add(Position position, NodeKind kind) {
    if (awaits_key()) {
      fail(position, "a key must be a word", "write `name: value`");
    }
    const auto index = static_cast<std::uint32_t>(state_.nodes.size());
    if (!open_.empty()) {
      OpenNode& parent = open_.back();
      Node& parent_node = state_.nodes[parent.node];
      if (kind == NodeKind::nothing && parent.key_read) {
        fail(parent_node.key_positions.back(),
             fmt::format("`{}` has no value", parent_node.keys.back()),
             "give it one or remove the key");
      }
      parent_node.children.push_back(index);
      parent.key_read = false;
    }
    if (kind == NodeKind::nothing) fail(position, "a value is missing", "give one");
    Node& node = state_.nodes.emplace_back();
    node.kind = kind;
    node.position = position;
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, NodeKind kind) {
    const Position position = position_of(mark);
    refuse_anchor(position, anchor);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(position, tag);
    if (open_.size() == kDeepest) {
      fail(position, fmt::format("nested more than {} levels deep", kDeepest),
           "check the brackets and the indentation");
    }
    add(position, kind);
    open_.push_back({static_cast<std::uint32_t>(state_.nodes.size() - 1), false, {}});
  }

  DocumentState& state_;
  std::vector<OpenNode> open_;
};

}  // namespace

LoadError::LoadError(std::string file, Position position, const std::string& what_is_wrong,
                     const std::string& what_to_do)
    : std::runtime_error(
          fmt::format("{}: {}; {}", locate(file, position), what_is_wrong, what_to_do)),
      file_(std::move(file)),
      position_(position) {}

Document Document::parse(std::string_view text, std::string file) {
  auto state = std::make_shared<DocumentState>();
  state->file = std::move(file);
  if (text.size() > kLargestFile) {
    throw LoadError(state->file, {}, fmt::format("larger than {} bytes", kLargestFile),
                    "split it into several scenarios");
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(nul), '\n');
    throw LoadError(state->file, {static_cast<int>(line), 1}, "a byte of value 0 in this line",
                    "save the file as UTF-8 text");
  }
  std::istringstream input{std::string(text)};
  TreeBuilder builder(*state);
  try {
    YAML::Parser parser(input);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const Position position = error.mark.is_null() ? Position{} : position_of(error.mark);
    throw LoadError(state->file, position, "not valid YAML: " + error.msg,
                    "check indentation, colons and quotes up to here");
  }
  if (state->nodes.empty()) {
    throw LoadError(state->file, {}, "the file is empty", "start from scenarios/scale-up.yaml");
  }
  return Document(std::move(state));
}

Value Document::root() const { return {state_.get(), 0}; }
const std::string& Document::file() const { return state_->file; }
std::filesystem::path Document::directory() const {
  return std::filesystem::path(state_->file).parent_path();
}
void Document::refuse_fields(std::vector<std::string> fields) {
  state_->refused_fields = std::move(fields);
}

const Node& Value::node() const { return state_->nodes[node_]; }
NodeKind Value::kind() const { return node().kind; }
Position Value::position() const { return node().position; }
bool Value::quoted() const { return node().quoted; }
ScalarKind Value::scalar_kind() const {
  return quoted() ? ScalarKind::text : core_kind(node().text);
}

std::string Value::description() const {
  switch (kind()) {
    case NodeKind::mapping: return "a mapping";
    case NodeKind::sequence: return "a list";
    case NodeKind::scalar:
    case NodeKind::nothing: break;
  }
  constexpr std::size_t kShown = 40;
  const std::string& text = node().text;
  if (text.size() > kShown) return fmt::format("`{}…`", text.substr(0, kShown));
  return fmt::format("`{}`", text);
}

std::string_view Value::text() const { return node().text; }
std::size_t Value::size() const { return node().children.size(); }
Value Value::at(std::size_t index) const { return {state_, node().children[index]}; }
std::string_view Value::key(std::size_t index) const { return node().keys[index]; }
Position Value::key_position(std::size_t index) const { return node().key_positions[index]; }

std::optional<Value> Value::find(std::string_view key) const {
  const Node& self = node();
  for (std::size_t index = 0; index < self.keys.size(); ++index) {
    if (self.keys[index] == key) return at(index);
  }
  return std::nullopt;
}

const std::string& Value::file() const { return state_->file; }
std::filesystem::path Value::directory() const {
  return std::filesystem::path(state_->file).parent_path();
}
bool Value::refuses(std::string_view field) const {
  const auto& refused = state_->refused_fields;
  return std::find(refused.begin(), refused.end(), field) != refused.end();
}

void Value::fail(const std::string& what_is_wrong, const std::string& what_to_do) const {
  throw LoadError(state_->file, position(), what_is_wrong, what_to_do);
}
void Value::fail_at(Position position, const std::string& what_is_wrong,
                    const std::string& what_to_do) const {
  throw LoadError(state_->file, position, what_is_wrong, what_to_do);
}

Document load_yaml(const std::filesystem::path& path) {
  return Document::parse(whole_file(path), path.string());
}

namespace {

bool all_of(std::string_view text, std::string_view accepted) {
  return !text.empty() && text.find_first_not_of(accepted) == std::string_view::npos;
}

bool is_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  std::string_view mantissa = text;
  if (const auto e = text.find_first_of("eE"); e != std::string_view::npos) {
    mantissa = text.substr(0, e);
    std::string_view exponent = text.substr(e + 1);
    if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) exponent.remove_prefix(1);
    if (!all_of(exponent, kDigits)) return false;
  }
  const auto point = mantissa.find('.');
  if (point == std::string_view::npos) return all_of(mantissa, kDigits);
  const std::string_view whole = mantissa.substr(0, point);
  const std::string_view part = mantissa.substr(point + 1);
  const bool some_digit = !whole.empty() || !part.empty();
  return some_digit && (whole.empty() || all_of(whole, kDigits)) &&
         (part.empty() || all_of(part, kDigits));
}

}  // namespace

ScalarKind core_kind(std::string_view text) {
  for (const char* word : {"", "~", "null", "Null", "NULL"}) {
    if (text == word) return ScalarKind::null;
  }
  for (const char* word : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == word) return ScalarKind::boolean;
  }
  if (text.substr(0, 2) == "0o" && all_of(text.substr(2), "01234567")) return ScalarKind::integer;
  if (text.substr(0, 2) == "0x" && all_of(text.substr(2), "0123456789abcdefABCDEF")) {
    return ScalarKind::integer;
  }
  std::string_view unsigned_text = text;
  if (text[0] == '+' || text[0] == '-') unsigned_text.remove_prefix(1);
  if (all_of(unsigned_text, "0123456789")) return ScalarKind::integer;
  for (const char* word : {".inf", ".Inf", ".INF"}) {
    if (unsigned_text == word) return ScalarKind::number;
  }
  for (const char* word : {".nan", ".NaN", ".NAN"}) {
    if (text == word) return ScalarKind::number;
  }
  return is_number(unsigned_text) ? ScalarKind::number : ScalarKind::text;
}

}  // namespace nandi::sim::yaml
