#include "doctor/doctor_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>

#include "doctor/doctor.h"
#include "group_arguments.h"

namespace nandi::tools {
namespace {

struct DoctorArguments {
  DoctorRequest request;
  std::string json;
};

constexpr const char* kFooter =
    R"(It registers 21 times in a group of its own, {NAME}:doctor-..., whose keys expire within
three seconds, and touches the counter of interval 0. Without --name and --interval it looks at
the server alone. engine/doctor.md lists what it finds.

Exit status: 0 nothing found, 1 an error (breaks the lease), 2 a warning or something that could not
be checked, 64 wrong usage, 65 a file that cannot be used, 69 a server that cannot be reached, 70 a
bug of ours.)";

DoctorArguments understand(GroupTexts texts, std::string json) {
  DoctorArguments arguments;
  arguments.json = std::move(json);
  arguments.request.redis = redis_of(texts);
  arguments.request.has_group = !texts.name.empty() && !texts.interval.empty();
  if (texts.name.empty() != texts.interval.empty()) {
    throw ArgumentError(kUsage,
                        "--name and --interval go together: give both, or neither to look "
                        "at the server alone");
  }
  if (!arguments.request.has_group) {
    texts.name = "nandi-doctor";
    texts.interval = "5s";
  }
  arguments.request.group = options_of(texts);
  return arguments;
}

bool write_json(const std::string& file, const std::string& json) {
  if (file == "-") return std::fputs(json.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return false;
  const bool is_written = std::fputs(json.c_str(), out) >= 0;
  return std::fclose(out) == 0 && is_written;
}

}  // namespace

int run_doctor(int argc, char** argv) {
  CLI::App app(
      "Looks at a Redis before the first lease: what would break exclusivity, and what to do.",
      "nandi-worker doctor");
  app.footer(kFooter);
  GroupTexts texts;
  std::string json;
  declare_server(app, texts);
  declare_group(app, texts);
  app.add_option("--json", json, "write the findings as JSON to this file; - is standard output");
  const auto parsed = parse_with<DoctorArguments>(
      app, argc, argv, [&] { return understand(std::move(texts), std::move(json)); });
  if (const auto* early = std::get_if<EarlyExit>(&parsed)) {
    std::fputs(early->text.c_str(), early->status == 0 ? stdout : stderr);
    return early->status;
  }
  const auto& arguments = std::get<DoctorArguments>(parsed);
  const DoctorReport report = examine(arguments.request);
  if (!arguments.json.empty() && !write_json(arguments.json, report_json(report))) {
    fmt::print(stderr,
               "nandi-worker doctor: cannot write {}; name a file in a directory that is "
               "there\n",
               arguments.json);
    return kBadFile;
  }
  const bool is_on_stdout = arguments.json != "-" && !report.unreachable;
  std::fputs(report_text(report).c_str(), is_on_stdout ? stdout : stderr);
  return exit_status(report);
}

}  // namespace nandi::tools
