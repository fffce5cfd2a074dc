#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "json_schema.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {
namespace {

using Json = JsonSchema::Json;
using yaml::FieldShape;
using yaml::Shape;

const std::filesystem::path kScenarios = NANDI_SCENARIOS_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string written_schema() {
  std::ostringstream out;
  write_scenario_schema(out);
  return out.str();
}

const JsonSchema& schema() {
  static const JsonSchema schema(Json::parse(written_schema()));
  return schema;
}

std::string schema_error(const std::string& text) {
  return schema().error(json_of(yaml::Document::parse(text, "s.yaml").root()));
}

Scenario loaded(const std::string& text) {
  return read_scenario(yaml::Document::parse(text, "s.yaml"), whole_language());
}

std::string loader_error(const std::string& text) {
  try {
    read_scenario(yaml::Document::parse(text, "s.yaml"), whole_language());
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenarios)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// With NANDI_WRITE_GENERATED set, the generated files are written instead of compared.
void require_generated(const std::filesystem::path& path, const std::string& wanted) {
  if (std::getenv("NANDI_WRITE_GENERATED") != nullptr) {
    std::ofstream(path, std::ios::binary) << wanted;
    return;
  }
  EXPECT_TRUE(text_of(path) == wanted)
      << path << " is not what the loader's table says; run this test once with "
      << "NANDI_WRITE_GENERATED=1 in the environment and look at the difference";
}

TEST(ScenarioSchema, the_file_for_editors_is_what_the_loader_knows) {
  require_generated(kScenarios / "scenario.schema.json", written_schema());
}

TEST(ScenarioSchema, the_reference_is_what_the_loader_knows) {
  const std::string begin = "<!-- generated: keys -->\n";
  const std::string end = "\n<!-- end of generated -->";
  const std::string page = text_of(kScenarios / "README.md");
  const auto from = page.find(begin);
  const auto to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  std::ostringstream tables;
  write_scenario_reference(tables);
  require_generated(kScenarios / "README.md",
                    page.substr(0, from + begin.size()) + tables.str() + page.substr(to));
}

TEST(ScenarioSchema, every_scenario_is_valid_for_editors_and_those_of_groups_load) {
  std::size_t checked = 0;
  for (const auto& path : scenario_files()) {
    const yaml::Document document = yaml::load_yaml(path);
    EXPECT_EQ(schema().error(json_of(document.root())), "") << path;
    if (kind_of(document) != ScenarioKind::lease) continue;
    try {
      load_scenario(path, whole_language());
    } catch (const yaml::LoadError& error) {
      ADD_FAILURE() << error.what();
    }
    ++checked;
  }
  EXPECT_GE(checked, 8u);
}

TEST(ScenarioSchema, every_scenario_opens_with_prose) {
  for (const auto& path : scenario_files()) EXPECT_EQ(text_of(path).substr(0, 2), "# ") << path;
}

// Every key of the language, put into the smallest file that can hold it, with its own example.
class Examples {
 public:
  // What is visited: "record.key", the file, and the same file without the key.
  using Visitor = std::function<void(const std::string&, const std::string&, const std::string&)>;

  static void visit(const Visitor& visit) {
    Examples examples(visit);
    examples.walk(*scenario_shape(), [](const std::string& value) { return value; });
  }

 private:
  using Wrap = std::function<std::string(const std::string&)>;

  explicit Examples(Visitor visit) : visit_(std::move(visit)) {}

  // Keys that make no sense alone, with the company that they need.
  static std::string company(const std::string& key) {
    static const std::map<std::string, std::string> kCompany = {
        {"expect.verdict", "property: lease-exclusive"},
        {"expect.property", "verdict: violated"},
        {"store_restart.lost_writes", "data: rolled_back"},
        {"swarm.drop", "assumptions: dropped"},
        {"timeline_event.times", "every: 1s"},
        {"timeline_event.every", "times: 2"},
        {"latency.workers", "reply: {constant: 1ms}"},
        {"latency.for", "reply: {constant: 1ms}"},
        {"jitter.workers", "reply: {constant: 1ms}"},
        {"jitter.for", "reply: {constant: 1ms}"},
        {"loss.workers", "reply: 1%"},
        {"loss.for", "reply: 1%"},
        {"histogram_delay.from", "buckets: [{to: 1ms, count: 9}]"},
    };
    const auto found = kCompany.find(key);
    return found == kCompany.end() ? "" : found->second;
  }

  // The record in one line, with `entry`, what is required besides, and the key's company.
  static std::string record_with(const Shape& record, const FieldShape& key,
                                 const std::string& entry, bool is_alternative) {
    std::vector<std::string> entries;
    if (!entry.empty()) entries.push_back(entry);
    for (const FieldShape& field : record.fields) {
      if (field.fallback.empty() && field.name != key.name) {
        entries.push_back(field.name + ": " + field.example);
      }
    }
    if (!record.alternatives.empty() && !is_alternative) {
      entries.push_back(record.alternatives[0].name + ": " + record.alternatives[0].example);
    }
    if (record.name == "scenario" && key.name != "workers") entries.push_back("workers: 3");
    const std::string others = company(record.name + "." + key.name);
    if (!others.empty()) entries.push_back(others);
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
  }

  void walk(const Shape& shape, const Wrap& wrap) {
    if (shape.item) walk(*shape.item, [&](const std::string& v) { return wrap("[" + v + "]"); });
    for (const auto& option : shape.options) walk(*option, wrap);
    for (const auto* fields : {&shape.fields, &shape.alternatives}) {
      const bool is_alternative = fields == &shape.alternatives;
      for (const FieldShape& field : *fields) {
        const std::string name = shape.name + "." + field.name;
        const std::string entry = field.name + ": " + field.example;
        visit_(name, wrap(record_with(shape, field, entry, is_alternative)),
               wrap(record_with(shape, field, "", is_alternative)));
        if (!visited_.insert(&field).second) continue;
        walk(*field.shape, [&](const std::string& value) {
          return wrap(record_with(shape, field, field.name + ": " + value, is_alternative));
        });
      }
    }
  }

  Visitor visit_;
  std::set<const FieldShape*> visited_;
};

/// The example names a file that is not there.
bool names_a_file(const std::string& key) {
  return key == "histogram_delay.file" || key == "network.profile" ||
         key == "network_override.profile";
}

TEST(ScenarioSchema, every_key_is_accepted_with_its_example_by_loader_and_schema) {
  std::set<std::string> visited;
  Examples::visit([&](const std::string& key, const std::string& text, const std::string&) {
    visited.insert(key);
    EXPECT_EQ(schema_error(text), "") << key << "\n" << text;
    if (names_a_file(key)) return;
    EXPECT_EQ(loader_error(text), "") << key << "\n" << text;
  });
  const std::vector<std::string> fields = yaml::field_names(scenario_shape());
  EXPECT_EQ(visited, std::set<std::string>(fields.begin(), fields.end()));
  EXPECT_GT(visited.size(), 150u);
}

// A key that is read into nothing, or not written back, would show here.
TEST(ScenarioSchema, every_key_changes_the_scenario_and_survives_being_written) {
  Examples::visit([&](const std::string& key, const std::string& text, const std::string& without) {
    if (names_a_file(key)) return;
    const Scenario scenario = loaded(text);
    std::ostringstream written;
    write_scenario(scenario, written);
    EXPECT_TRUE(loaded(written.str()) == scenario) << key << "\n" << text << "\n" << written.str();
    const bool has_meaning_alone = loader_error(without).empty();
    if (has_meaning_alone && key != "scenario.kind") {
      EXPECT_FALSE(loaded(without) == scenario) << key << "\n" << text << "\n" << without;
    }
  });
}

TEST(ScenarioSchema, a_key_misspelt_anywhere_is_refused_by_loader_and_schema) {
  Examples::visit([&](const std::string& key, const std::string& text, const std::string&) {
    const std::string name = key.substr(key.find('.') + 1) + ":";
    std::string broken = text;
    broken.insert(broken.find(name) + name.size() - 1, "_x");
    if (broken.find("_x: ") == std::string::npos) return;
    EXPECT_NE(schema_error(broken), "") << key << "\n" << broken;
    EXPECT_THAT(loader_error(broken), ::testing::AnyOf(::testing::HasSubstr("unknown key"),
                                                       ::testing::HasSubstr("missing key")))
        << key << "\n"
        << broken;
  });
}

TEST(ScenarioSchema, the_default_that_the_reference_shows_is_the_one_that_holds) {
  // A record's defaults are those of its struct; three that matter are compared with the seeds.
  std::ostringstream out;
  write_scenario_reference(out);
  EXPECT_THAT(out.str(), ::testing::HasSubstr("| `gap` | fraction above 0 below 0.5 | `0.15` |"));
  EXPECT_THAT(out.str(), ::testing::HasSubstr("| `agreement` | count from 1 | `2` |"));
  EXPECT_THAT(out.str(), ::testing::HasSubstr("| `expiry` | `on`, `off` | `on` |"));
}

TEST(JsonSchema, finds_what_is_wrong) {
  // The validator itself must be able to say no.
  const JsonSchema tiny(Json::parse(R"({"type": "object", "additionalProperties": false,
    "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1},
    "b": {"anyOf": [{"type": "string", "pattern": "^x"}, {"enum": [7]}]}}})"));
  EXPECT_EQ(tiny.error(Json::parse(R"({"a": 1, "b": "xy"})")), "");
  EXPECT_EQ(tiny.error(Json::parse(R"({"a": 1, "b": 7})")), "");
  for (const char* wrong : {R"({})", R"({"a": 0})", R"({"a": 1.5})", R"({"a": 1, "c": 1})",
                            R"({"a": 1, "b": "yx"})", R"({"a": 1, "b": 8})", R"([])"}) {
    EXPECT_NE(tiny.error(Json::parse(wrong)), "") << wrong;
  }
}

}  // namespace
}  // namespace nandi::sim
