#include "nandi/sim/yaml/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>

namespace nandi::sim::yaml {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Stop {
  std::uint32_t count = 1;
  friend bool operator==(const Stop&, const Stop&) = default;
};
struct Delay {
  Duration by;
  friend bool operator==(const Delay&, const Delay&) = default;
};
using Happening = std::variant<Stop, Delay>;

struct Plan {
  Duration at;
  Fraction share{3, 20};
  std::optional<std::string> label;
  std::vector<std::uint32_t> ids;
  Happening happening;
  friend bool operator==(const Plan&, const Plan&) = default;
};

Type<Plan> plan_type() {
  const auto stop =
      Record<Stop>("stop", "Stops.")
          .optional("count", &Stop::count, count_type<std::uint32_t>(1, 9), "How many.", "2")
          .type();
  const auto choice =
      Choice<Happening>("happening", "What happens.")
          .of<Stop>("stop", stop, "Stops some.", "{count: 2}")
          .of<Delay>("delay",
                     {[](const Value& v) { return Delay{read_duration(v)}; },
                      [](const Delay& d) { return Tree::string(format_duration(d.by)); },
                      duration_type().shape},
                     "Waits.", "5s");
  return Record<Plan>("plan", "A plan.")
      .required("at", &Plan::at, duration_type(), "When.", "5s")
      .optional(
          "share", &Plan::share,
          fraction_type(
              {.above = Fraction(0, 1), .at_least = {}, .at_most = {}, .below = Fraction(1, 2)}),
          "How much.", "0.2")
      .optional("label", &Plan::label, string_type(), "A name.", "x", "none")
      .optional("ids", &Plan::ids, list_type(count_type<std::uint32_t>(0)), "Which.", "[1, 2]")
      .choice(&Plan::happening, choice)
      .check([](const Plan& plan, const Value& value) {
        if (plan.label && *plan.label == "bad")
          value.find("label")->fail("bad label", "choose another");
      })
      .type();
}

Plan load(const std::string& text) {
  return plan_type().read(Document::parse(text, "p.yaml").root());
}

std::string error_of(const std::string& text) {
  try {
    load(text);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Record, absent_keys_take_the_defaults_of_the_struct) {
  const Plan plan = load("at: 5s\nstop: {}\n");
  EXPECT_EQ(plan.share, Fraction(3, 20));
  EXPECT_EQ(plan.label, std::nullopt);
  EXPECT_EQ(std::get<Stop>(plan.happening).count, 1u);
}

TEST(Record, reads_every_key) {
  const Plan plan = load("at: 5s\nshare: 0.2\nlabel: x\nids: [3, 4]\ndelay: 2s\n");
  EXPECT_EQ(plan.at, Duration(5'000'000'000));
  EXPECT_EQ(plan.share, Fraction(1, 5));
  EXPECT_EQ(plan.label, "x");
  EXPECT_EQ(plan.ids, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(std::get<Delay>(plan.happening).by, Duration(2'000'000'000));
}

TEST(Record, names_the_parent_of_a_missing_key) {
  EXPECT_EQ(error_of("share: 0.2\nstop: {}\n"),
            "p.yaml:1:1: missing key `at` in plan; add for example `at: 5s`");
}

TEST(Record, refuses_an_unknown_key_with_the_nearest_known_one) {
  EXPECT_EQ(error_of("at: 5s\nshaer: 0.2\nstop: {}\n"),
            "p.yaml:2:1: unknown key `shaer` in plan; did you mean `share`?");
  EXPECT_EQ(error_of("at: 5s\nstopp: {}\n"),
            "p.yaml:2:1: unknown key `stopp` in plan; did you mean `stop`?");
  EXPECT_THAT(error_of("at: 5s\nstop: {cuont: 2}\n"),
              StartsWith("p.yaml:2:8: unknown key `cuont`"));
}

TEST(Record, wants_exactly_one_alternative) {
  EXPECT_THAT(error_of("at: 5s\n"), HasSubstr("give one of: stop, delay"));
  EXPECT_THAT(error_of("at: 5s\nstop: {}\ndelay: 1s\n"),
              StartsWith("p.yaml:3:1: `delay` stands beside `stop` (line 2) in plan;"));
}

TEST(Record, refuses_other_kinds_of_values) {
  EXPECT_THAT(error_of("[1]\n"), HasSubstr("a list stands where plan is wanted"));
  EXPECT_THAT(error_of("at: 5s\nstop: 3\n"), HasSubstr("`3` stands where stop is wanted"));
  EXPECT_THAT(error_of("at: 5s\nids: 3\nstop: {}\n"),
              HasSubstr("`3` stands where a list is wanted"));
}

TEST(Record, limits_are_enforced_with_what_would_be_right) {
  EXPECT_THAT(error_of("at: 5s\nshare: 0.5\nstop: {}\n"),
              HasSubstr("p.yaml:2:8: `0.5` is out of range; write a fraction above 0 below 0.5"));
  EXPECT_THAT(error_of("at: 5s\nshare: 0\nstop: {}\n"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("at: -5s\nstop: {}\n"), HasSubstr("`-5s` is too short"));
}

TEST(Record, rules_over_several_keys_report_where_they_point) {
  EXPECT_EQ(error_of("at: 5s\nlabel: bad\nstop: {}\n"), "p.yaml:2:8: bad label; choose another");
}

TEST(Record, a_refused_field_is_an_error_of_its_own) {
  Document document = Document::parse("at: 5s\nstop: {count: 2}\n", "p.yaml");
  document.refuse_fields({"stop.count"});
  try {
    plan_type().read(document.root());
    FAIL() << "no error";
  } catch (const LoadError& error) {
    EXPECT_STREQ(
        error.what(),
        "p.yaml:2:8: `count` in stop cannot be run yet; remove it: it would not be obeyed");
  }
}

TEST(Record, writes_what_differs_from_the_defaults_and_reads_it_back) {
  Plan plan;
  plan.at = Duration(5'000'000'000);
  plan.happening = Delay{Duration(1'500'000'000)};
  EXPECT_EQ(inline_yaml(plan_type().write(plan)), "{at: 5s, delay: 1500ms}");
  plan.share = Fraction(1, 3);
  plan.label = "5";
  plan.ids = {7};
  std::ostringstream out;
  write_yaml(plan_type().write(plan), out);
  EXPECT_EQ(load(out.str()), plan) << out.str();
}

TEST(Shape, lists_every_field_of_every_record) {
  EXPECT_EQ(field_names(plan_type().shape),
            (std::vector<std::string>{"plan.at", "plan.share", "plan.label", "plan.ids",
                                      "plan.stop", "plan.delay", "stop.count"}));
}

TEST(Shape, two_records_cannot_share_a_name) {
  const auto one = Record<Stop>("same", "")
                       .optional("a", &Stop::count, count_type<std::uint32_t>(1), "", "2")
                       .type();
  const auto other = Record<Stop>("same", "")
                         .optional("b", &Stop::count, count_type<std::uint32_t>(1), "", "2")
                         .type();
  const ShapePtr both = either_shape("", {one.shape, other.shape});
  EXPECT_THROW(records_of(both), std::logic_error);
}

TEST(Shape, the_reference_names_every_key_with_its_default) {
  std::ostringstream out;
  write_reference(plan_type().shape, {"stop.count"}, out);
  EXPECT_THAT(out.str(), HasSubstr("| `at` | duration | **required** | When. | `at: 5s` |"));
  EXPECT_THAT(out.str(),
              HasSubstr("| `share` | fraction above 0 below 0.5 | `0.15` | How much. |"));
  EXPECT_THAT(out.str(), HasSubstr("| `1` | How many. *Reserved: refused for now.* |"));
}

}  // namespace
}  // namespace nandi::sim::yaml
