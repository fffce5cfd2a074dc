#include "nandi/reports/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "nandi/sim/trace_writer.h"
#include "sample_reports.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHeader =
    "{\"nandi_trace\":1,\"scenario\":\"s\",\"seed\":7,\"unit\":\"ns\",\"interval\":100}\n";
constexpr const char* kEnd = "{\"t\":9,\"end\":true,\"hash\":\"00\"}\n";

std::string trace_of(const char* scenario) {
  const sim::Simulator simulator(
      sim::read_scenario(sim::yaml::Document::parse(scenario, "sample.yaml")));
  std::ostringstream out;
  sim::TraceWriter writer(out, simulator.scenario(), 3);
  sim::RunOptions options;
  options.trace = &writer;
  const sim::RunResult run = simulator.run(3, options);
  writer.finish(run.end, run.trace_hash);
  return out.str();
}

std::string error_of(const std::string& text) {
  std::istringstream in(text);
  try {
    TraceReader reader(in, "t.ndjson");
    sim::RecordingSink sink;
    reader.read(sink);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TraceReader, WhatItReadsIsWrittenTheSameAgain) {
  for (const char* scenario : {kQuiet, kBroken}) {
    const std::string text = trace_of(scenario);
    std::istringstream in(text);
    TraceReader reader(in, "t.ndjson");
    EXPECT_EQ(reader.header().seed, 3U);
    sim::Scenario same;
    same.name = reader.header().scenario;
    same.group.interval = reader.header().interval;
    std::ostringstream out;
    sim::TraceWriter writer(out, same, reader.header().seed);
    const TraceEnd end = reader.read(writer);
    writer.finish(end.at, std::stoull(end.hash, nullptr, 16));
    EXPECT_EQ(out.str(), text);
  }
}

TEST(TraceReader, AnErrorNamesTheLineAndWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("t.ndjson:1: the file is empty"));
  EXPECT_THAT(error_of("hello\n"), HasSubstr("t.ndjson:1: the line is no JSON object"));
  EXPECT_THAT(error_of("{\"nandi_trace\":9}\n"), HasSubstr("version 9 of the format"));
  EXPECT_THAT(error_of(kHeader), HasSubstr("t.ndjson:2: the last line, with the hash, is missing"));
  const auto in_line_2 = [&](const std::string& line) { return error_of(kHeader + line + "\n"); };
  EXPECT_THAT(in_line_2("{\"t\":1,\"do\":\"fly\"}"), HasSubstr(":2: 'fly' is no action"));
  EXPECT_THAT(in_line_2("{\"t\":1,\"do\":\"wake\"}"), HasSubstr("\"worker\" is missing"));
  EXPECT_THAT(in_line_2("{\"t\":1,\"do\":\"wake\",\"worker\":-1}"),
              HasSubstr("\"worker\" is no whole number that fits"));
  EXPECT_THAT(in_line_2("{\"t\":1,\"do\":\"wake\",\"worker\":4294967295}"),
              HasSubstr("\"worker\" is no whole number that fits"));
  EXPECT_THAT(
      in_line_2("{\"t\":1,\"do\":\"wake\",\"worker\":1,\"lease\":\"lost\",\"cause\":\"moon\"}"),
      HasSubstr("'moon' is no cause"));
  EXPECT_THAT(
      in_line_2("{\"t\":1,\"do\":\"wake\",\"worker\":1,\"lease\":\"granted\",\"pair\":[1]}"),
      HasSubstr("\"pair\" is no pair [i, n]"));
  EXPECT_THAT(in_line_2("{\"t\":1,\"fault\":\"moon\",\"number\":0}"),
              HasSubstr("'moon' is no event of a timeline"));
  EXPECT_THAT(error_of(std::string(kHeader) + "{\"t\":5,\"do\":\"flush-all\"}\n" +
                       "{\"t\":4,\"do\":\"flush-all\"}\n"),
              HasSubstr(":3: the time goes backwards"));
}

TEST(TraceReader, KeysOfLaterProgramsArePassedOver) {
  EXPECT_EQ(
      error_of(std::string(kHeader) + "{\"t\":1,\"do\":\"flush-all\",\"mood\":\"good\"}\n" + kEnd),
      "no error");
}

}  // namespace
}  // namespace nandi::reports
