// Histogram files against buckets worked out by hand, and what is refused.
#include "nandi/sim/tune/histogram_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/sim/yaml/document.h"

namespace nandi::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HistogramDelay read(const char* text, const char* unit = "") {
  return read_histogram_file(text, "h.csv", unit);
}

std::string error_of(const char* text, const char* unit = "") {
  try {
    static_cast<void>(read(text, unit));
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HistogramFile, UpperEndsAndCountsAreBuckets) {
  const HistogramDelay delay = read(
      "# a comment\n"
      "up to, count\r\n"
      "\n"
      "250us,0\n"
      "500us, 5000   # most of them\n"
      "1.5ms\t400\n");
  EXPECT_EQ(delay.from, Duration(250'000));
  EXPECT_THAT(delay.buckets, ElementsAre(HistogramBucket{Duration(500'000), 5000},
                                         HistogramBucket{Duration(1'500'000), 400}));
}

TEST(HistogramFile, WithoutAnEmptyFirstBucketItBeginsAtZero) {
  const HistogramDelay delay = read("1ms,3");
  EXPECT_EQ(delay.from, Duration(0));
  EXPECT_THAT(delay.buckets, ElementsAre(HistogramBucket{Duration(1'000'000), 3}));
}

TEST(HistogramFile, NumbersWithoutAUnitTakeTheFiles) {
  EXPECT_EQ(read("1.5,3\n2500us,4", "ms"), read("1.5ms,3\n2.5ms,4"));
}

TEST(HistogramFile, TheByteOrderMarkOfASpreadsheetIsNoPartOfIt) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "1ms,3\n"),
            read("1ms,3\n"));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "up to,count\n1ms,3\n"),
            read("1ms,3\n"));
}

// What HdrHistogram's outputPercentileDistribution prints. 4999 of the values lie above 0.215 ms
// and up to 0.498 ms, that one included; two lines of one value are one bucket.
TEST(HistogramFile, PercentilesOfHdrHistogramAreBuckets) {
  const HistogramDelay delay = read(
      "       Value     Percentile TotalCount 1/(1-Percentile)\n"
      "\n"
      "       0.215 0.000000000000          1           1.00\n"
      "       0.498 0.500000000000       5000           2.00\n"
      "       0.498 0.550000000000       5100           2.22\n"
      "       0.600 0.550000000000       5100           2.22\n"
      "      50.000 1.000000000000      10000\n"
      "#[Mean    =        0.563, StdDeviation   =        0.21]\n",
      "ms");
  EXPECT_EQ(delay.from, Duration(215'000));
  EXPECT_THAT(delay.buckets, ElementsAre(HistogramBucket{Duration(215'001), 1},
                                         HistogramBucket{Duration(498'001), 5099},
                                         HistogramBucket{Duration(50'000'001), 4900}));
  EXPECT_EQ(read("\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n"
                 "0.215,0.0,1,1.00\n"
                 "50,1.0,10,Infinity\n",
                 "ms")
                .buckets.back(),
            (HistogramBucket{Duration(50'000'001), 9}));
}

TEST(HistogramFile, SaysWhereItIsWrongAndWhatToDo) {
  EXPECT_EQ(error_of("1ms,1\n2,1\n"),
            "h.csv:2:1: `2` has no unit; write one behind it, such as `5ms`, or give the unit of "
            "the whole file (--unit ms)");
  EXPECT_THAT(error_of("1ms,1\n 1ms,1\n"), HasSubstr("h.csv:2:2: `1ms` is not above"));
  EXPECT_THAT(error_of("0ms,1\n"), HasSubstr("h.csv:1:1: `0ms` is not above"));
  EXPECT_THAT(error_of("1ms,-1\n"), HasSubstr("h.csv:1:5: `-1` is no number of values"));
  EXPECT_THAT(error_of("1ms,9999999999999\n"), HasSubstr("at most 1000000000000"));
  EXPECT_THAT(error_of("1ms,,1\n"), HasSubstr("h.csv:1:5: a column is empty"));
  EXPECT_THAT(error_of("1ms,1,\n"), HasSubstr("h.csv:1:6: a column is empty"));
  EXPECT_THAT(error_of("1ms\n"), HasSubstr("h.csv:1:1: 1 column(s) where 2 are wanted"));
  EXPECT_THAT(error_of("1ms,1,2\n"), HasSubstr("h.csv:1:7: a column too many"));
  EXPECT_THAT(error_of("-1ms,1\n"), HasSubstr("h.csv:1:1: `-1ms` is no duration"));
  EXPECT_THAT(error_of("1.5ns,1\n"), HasSubstr("whole nanoseconds"));
  EXPECT_THAT(error_of("2h,1\n"), HasSubstr("`2h` is longer than an hour"));
  EXPECT_THAT(error_of("1ms,0\n2ms,0\n"), HasSubstr("h.csv:2:1: the histogram ends without"));
  EXPECT_THAT(error_of(""), HasSubstr("h.csv: the histogram ends without"));
  EXPECT_THAT(error_of("Value Percentile TotalCount\n2 0.5 10\n3 0.6 9\n", "ms"),
              HasSubstr("h.csv:3:7: 9 values up to here, 10 up to the line before"));
  EXPECT_THAT(error_of("Value Percentile TotalCount\n2 0.5 10\n1 0.6 11\n", "ms"),
              HasSubstr("h.csv:3:1: `1` is below"));
}

TEST(HistogramFile, AFileThatCannotBeReadSaysSo) {
  const auto error = [](const char* path) -> std::string {
    try {
      static_cast<void>(load_histogram_file(path, ""));
    } catch (const yaml::LoadError& found) {
      return found.what();
    }
    return "no error";
  };
  EXPECT_THAT(error("/nowhere.csv"), HasSubstr("/nowhere.csv: cannot be opened"));
  EXPECT_THAT(error("/"), HasSubstr("this is a directory"));
}

}  // namespace
}  // namespace nandi::sim
