#include "nandi/sim/latency_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "nandi/sim/yaml/tree.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::Record;
using yaml::Type;
using yaml::Value;

constexpr int kSubBits = 4;

Type<LatencyDirections> directions_type() {
  return Record<LatencyDirections>("directions", "The two ways of a round trip.")
      .required("known_to", &LatencyDirections::known_to, yaml::duration_type(),
                "How far the split may be off.", "20us")
      .required("request", &LatencyDirections::request, histogram_values_type(),
                "Until the registration had executed.", "{buckets: [{to: 1ms, count: 90}]}")
      .required("reply", &LatencyDirections::reply, histogram_values_type(),
                "From then until the reply was there.", "{buckets: [{to: 1ms, count: 90}]}")
      .type();
}

Type<LatencyProfile> profile_type() {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  const auto version = yaml::checked<std::uint64_t>(
      yaml::count_type<std::uint64_t>(0, kMost), [](std::uint64_t read, const Value& value) {
        if (read == kLatencyProfileVersion) return;
        value.fail(fmt::format("this is format {} of a latency profile", read),
                   fmt::format("this program reads format {}: measure anew with nandi-worker probe",
                               kLatencyProfileVersion));
      });
  struct File {
    std::uint64_t version = kLatencyProfileVersion;
    std::string server;
    std::uint64_t samples = 0;
    std::uint64_t failures = 0;
    HistogramDelay round_trip;
    std::optional<LatencyDirections> directions;
  };
  const Type<File> file =
      Record<File>("latency_profile", "How long registrations took.")
          .required("latency_profile", &File::version, version, "Version of the format.", "1")
          .required("server", &File::server, yaml::string_type(), "For people.", "Redis 7.0.15")
          .required("samples", &File::samples, yaml::count_type<std::uint64_t>(1, kMost),
                    "Registrations that were answered.", "5000")
          .required("failures", &File::failures, yaml::count_type<std::uint64_t>(0, kMost),
                    "Registrations that were not.", "0")
          .required("round_trip", &File::round_trip, histogram_values_type(), "Of registrations.",
                    "{buckets: [{to: 1ms, count: 90}]}")
          .optional("directions", &File::directions, directions_type(), "The two ways apart.",
                    "{known_to: 1us, request: {buckets: [{to: 1ms, count: 1}]}, reply: {buckets: "
                    "[{to: 1ms, count: 1}]}}",
                    "not known")
          .type();
  return yaml::mapped<LatencyProfile, File>(
      file,
      [](const File& read) {
        return LatencyProfile{read.server, read.samples, read.failures, read.round_trip,
                              read.directions};
      },
      [](const LatencyProfile& profile) {
        return File{kLatencyProfileVersion, profile.server,     profile.samples,
                    profile.failures,       profile.round_trip, profile.directions};
      });
}

}  // namespace

DelayDistribution LatencyProfile::request_delay() const {
  if (directions) return directions->request;
  return round_trip;
}

DelayDistribution LatencyProfile::reply_delay() const {
  if (directions) return directions->reply;
  return ConstantDelay{};
}

HistogramDelay histogram_delay(const Histogram& values) {
  HistogramDelay delay;
  delay.from = values.least();
  for (const Histogram::Range& range : values.ranges(kSubBits)) {
    // The ends are exact.
    const Duration to = std::min(range.to, values.most() + Duration(1));
    const Duration last = delay.buckets.empty() ? delay.from : delay.buckets.back().to;
    const Duration from = std::max(range.from, delay.from);
    if (from > last) delay.buckets.push_back({from, 0});
    delay.buckets.push_back({to, range.count});
  }
  return delay;
}

LatencyProfile read_latency_profile(const yaml::Document& document) {
  static const Type<LatencyProfile> type = profile_type();
  return type.read(document.root());
}

LatencyProfile load_latency_profile(const std::filesystem::path& path) {
  return read_latency_profile(yaml::load_yaml(path));
}

void write_latency_profile(const LatencyProfile& profile, std::ostream& out) {
  yaml::write_yaml(profile_type().write(profile), out);
}

}  // namespace nandi::sim
