// nandi-worker doctor: looks at a Redis before the first lease.
//
// It registers in a group of its own that expires within seconds, touches the counter of interval 0
// (1970: nobody reads it) to see what the user may do, and reads the rest. engine/doctor.md lists
// the findings.
#pragma once

#include <map>
#include <string>

#include "doctor/finding.h"
#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_options.h"
#include "redis_session.h"

namespace nandi::tools {

struct DoctorRequest {
  RedisOptions redis;
  Options group;          ///< not yet checked: what is wrong with it is a finding
  bool has_group = true;  ///< false: `group` only names a group to try things with
};

[[nodiscard]] DoctorReport examine(const DoctorRequest& request);

/// What the parts of an examination share.
struct Examination {
  const DoctorRequest& request;
  RedisSession& session;
  DoctorReport& report;
  Options group;       ///< the request's, or one with the same rights where that one is wrong
  LeaseTiming timing;  ///< of `group`
  std::map<std::string, std::string, std::less<>> info;  ///< INFO; empty where it is forbidden

  /// A value of INFO, or empty.
  [[nodiscard]] std::string known(std::string_view name) const;
  [[nodiscard]] bool has_info() const { return !info.empty(); }
};

/// INFO's lines by name.
[[nodiscard]] std::map<std::string, std::string, std::less<>> parse_info(std::string_view text);

/// A whole number of at least 0, or `otherwise`.
[[nodiscard]] std::int64_t number_of(std::string_view text, std::int64_t otherwise);

/// A pattern (of SCAN, of an ACL) that matches `text` itself and nothing else.
[[nodiscard]] std::string glob_literal(const std::string& text);

/// The key pattern and the commands that an ACL user needs, as ACL SETUSER takes them.
[[nodiscard]] std::string acl_rules(const Options& group, const RedisUrl& url);

// server_checks.cc
void check_kind(Examination& examination);
void check_memory(Examination& examination);
void check_persistence(Examination& examination);
void check_clients(Examination& examination);

// access_checks.cc
void check_access(Examination& examination);

// replica_checks.cc
void check_replication(Examination& examination);

// cluster_checks.cc
void check_cluster(Examination& examination);

// group_checks.cc
void check_options(const DoctorRequest& request, DoctorReport& report);
void check_keys(Examination& examination);

// trial_checks.cc: registers a few times, for the script, the round trip and the clock.
void check_registration(Examination& examination);

}  // namespace nandi::tools
