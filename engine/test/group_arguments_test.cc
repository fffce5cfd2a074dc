#include "../tools/group_arguments.h"

#include <gtest/gtest.h>

namespace nandi::tools {
namespace {

using namespace std::chrono_literals;

TEST(GroupArguments, durations_are_read_exactly) {
  EXPECT_EQ(parse_duration("5s"), 5s);
  EXPECT_EQ(parse_duration("300ms"), 300ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("0s"), 0s);
  EXPECT_EQ(parse_duration("0.000000001s"), 1ns);
}

TEST(GroupArguments, anything_that_is_no_duration_is_refused) {
  for (const char* text : {"", "5", "s", "5 s", "-5s", "5S", "1/2s", "1e3s", "5sec",
                           "0.0000000001s", "999999999999999999h", "5ns"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace nandi::tools
