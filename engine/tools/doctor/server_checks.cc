#include <fmt/format.h>

#include <array>
#include <string>

#include "doctor/doctor.h"

namespace nandi::tools {
namespace {

struct Kind {
  std::string name;
  std::string version;
};

Kind kind_of(const Examination& examination) {
  struct Sign {
    const char* field;
    const char* name;
  };
  constexpr std::array<Sign, 4> kSigns{
      Sign{"dragonfly_version", "Dragonfly"}, Sign{"valkey_version", "Valkey"},
      Sign{"garnet_version", "Garnet"}, Sign{"kvrocks_version", "Kvrocks"}};
  for (const Sign& sign : kSigns) {
    const std::string version = examination.known(sign.field);
    if (!version.empty()) return {sign.name, version};
  }
  const std::string version = examination.known("redis_version");
  // KeyDB keeps Redis's field for the version.
  return {examination.known("mvcc_depth").empty() ? "Redis" : "KeyDB", version};
}

}  // namespace

void check_kind(Examination& examination) {
  if (!examination.has_info()) {
    examination.report.server = "a server of unknown kind at " + examination.session.server();
    return;
  }
  const Kind kind = kind_of(examination);
  examination.report.server =
      fmt::format("{} {} at {}", kind.name, kind.version, examination.session.server());
  const std::int64_t major = number_of(kind.version.substr(0, kind.version.find('.')), 0);
  constexpr std::int64_t kOldest = 5;
  if (kind.name == "Redis" && major < kOldest) {
    examination.report.error(
        "version", fmt::format("Redis {} is older than 5", kind.version),
        "Before Redis 5 a script that has read the clock may not write, so that every registration "
        "is refused.",
        "Use Redis 5 or later, or Valkey.");
  }
}

void check_memory(Examination& examination) {
  if (!examination.has_info()) return;
  DoctorReport& report = examination.report;
  const std::string policy = examination.known("maxmemory_policy");
  const std::int64_t most = number_of(examination.known("maxmemory"), 0);
  const std::int64_t used = number_of(examination.known("used_memory"), 0);
  if (!policy.empty() && policy != "noeviction") {
    const std::string why =
        "Only noeviction is safe: the counters expire, so that every other policy may evict one. A "
        "counter that is evicted while its interval is open starts again from 1, and two workers "
        "get the same index.";
    const std::string advice =
        "CONFIG SET maxmemory-policy noeviction, in the configuration file too; give a cache a "
        "server of its own.";
    if (most > 0) {
      report.error(
          "eviction",
          fmt::format("maxmemory-policy is {}, with {} bytes of {} in use", policy, used, most),
          why, advice);
    } else {
      report.warning(
          "eviction",
          fmt::format("maxmemory-policy is {}; without maxmemory nothing is evicted yet", policy),
          why, advice);
    }
  }
  constexpr std::int64_t kAlmost = 90;  // of 100
  if (most > 0 && used / (most / 100 + 1) >= kAlmost && !report.has("memory")) {
    report.warning(
        "memory", fmt::format("{} bytes of maxmemory {} are in use", used, most),
        "At the limit every registration is refused with OOM, and the whole group stands "
        "down.",
        "Raise maxmemory, or move other data elsewhere. A group needs some 200 bytes.");
  }
}

void check_persistence(Examination& examination) {
  if (!examination.has_info() || examination.known("aof_enabled") != "0") return;
  examination.report.warning(
      "persistence",
      "the append-only file is off: a restart forgets what was counted since the last snapshot",
      "A server that is back within the same interval counts from an old value again, so that an "
      "index is given out twice (scenarios/faults/check-flushall.yaml shows two holders of one "
      "index).",
      "CONFIG SET appendonly yes (appendfsync everysec is enough for a crash of the process), or "
      "let the server stay down for two intervals before it serves again.");
}

void check_clients(Examination& examination) {
  const std::int64_t most = number_of(examination.known("maxclients"), 0);
  const std::int64_t now = number_of(examination.known("connected_clients"), 0);
  constexpr std::int64_t kAlmost = 90;  // of 100
  if (most <= 0 || now * 100 < most * kAlmost) return;
  examination.report.warning(
      "clients", fmt::format("{} of maxclients {} connections are taken", now, most),
      "At the limit a worker that has lost its connection gets no other and stands down.",
      "Raise maxclients, or let the workers of a process share a connection.");
}

}  // namespace nandi::tools
