// Reading the logs of nandi-worker.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nandi/sim/audit.h"

namespace nandi::sim {

using Json = nlohmann::json;

/// One line, its members looked up with errors that name the line.
struct AuditReader::Fields {
  const Json& line;
  const std::string& where;

  [[nodiscard]] AuditError error(const std::string& what) const {
    return AuditError(where + ": " + what +
                      "; give the standard error of nandi-worker, logged with --log trace");
  }
  [[nodiscard]] const Json& at(const char* key) const {
    const auto found = line.find(key);
    if (found == line.end()) throw error(fmt::format("no member `{}`", key));
    return *found;
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) throw error(fmt::format("`{}` is not a string", key));
    return value.get<std::string>();
  }
  [[nodiscard]] std::int64_t number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number_integer()) throw error(fmt::format("`{}` is not a whole number", key));
    return value.get<std::int64_t>();
  }
  [[nodiscard]] std::uint32_t count(const char* key) const {
    const std::int64_t value = number(key);
    if (value < 0 || value > std::int64_t{kMaxCount}) {
      throw error(fmt::format("`{}` is out of range", key));
    }
    return static_cast<std::uint32_t>(value);
  }
  [[nodiscard]] bool is_null(const char* key) const { return at(key).is_null(); }
  [[nodiscard]] StoreBounds bounds(const char* key) const {
    const Json& value = at(key);
    const bool is_pair = value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
                         value[1].is_number_integer();
    if (!is_pair) throw error(fmt::format("`{}` is not a pair [lower, upper]", key));
    const StoreBounds read{value[0].get<std::int64_t>(), value[1].get<std::int64_t>()};
    if (read.lower > read.upper) throw error(fmt::format("`{}` has its bounds reversed", key));
    return read;
  }
  [[nodiscard]] Pair pair() const { return {count("i"), count("n")}; }
};

AuditReader::Open& AuditReader::open(const std::string& worker) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.worker == worker; });
  if (found != open_.end()) return *found;
  group_.workers.push_back(worker);
  open_.push_back({worker, std::nullopt, {}, {}, {}, logs_, 0});
  return open_.back();
}

void AuditReader::add(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw AuditError(file.string() + ": cannot be read; check the name and its permissions");
  add(in, file.string());
}

void AuditReader::add(std::istream& in, const std::string& name) {
  std::string line;
  ++logs_;
  const std::uint64_t before = group_.lines;
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    // A command's own output is mixed in, and a killed process may leave half a line.
    const bool is_last = in.peek() == std::istream::traits_type::eof();
    if (!line.starts_with(R"({"level":)") || (is_last && !line.ends_with("}"))) {
      group_.foreign_lines += line.empty() ? 0 : 1;
      continue;
    }
    read_line(line, fmt::format("{}:{}", name, number));
    ++group_.lines;
  }
  if (group_.lines == before) {
    throw AuditError(name +
                     ": no line of a worker's log; give the standard error of nandi-worker, "
                     "logged with --log trace");
  }
}

void AuditReader::read_line(const std::string& line, const std::string& where) {
  Json parsed;
  try {
    parsed = Json::parse(line);
  } catch (const Json::parse_error& error) {
    throw AuditError(
        fmt::format("{}:{}: not JSON; the file may have been cut or mixed up", where, error.byte));
  }
  const Fields fields{parsed, where};
  identify(fields);
  const std::string message = fields.text("message");
  Open& worker = open(fields.text("worker"));
  refuse_repetition(worker, fields);
  // A worker that never had a reply knows nothing of the server's clock.
  if (parsed.contains("store_us") && !fields.is_null("store_us")) {
    const StoreBounds seen = fields.bounds("store_us");
    if (message != "lease expired") worker.last_seen = seen;
  }
  if (message.starts_with("lease ")) {
    read_lease(fields);
  } else if (message == "registration completed") {
    read_registration(fields);
    read_attempt(fields);
  } else if (message == "registration abandoned") {
    ++group_.abandoned;
  } else if (message == "registration failed") {
    ++group_.failed;
    read_attempt(fields);
  } else if (message == "pair handed to the loop") {
    AuditedHandOver handed{worker.worker, std::nullopt};
    if (!fields.is_null("i")) handed.pair = fields.pair();
    group_.hand_overs.push_back(handed);
  }
}

/// A worker is one incarnation of one process: it starts once, and its clock never runs backwards.
void AuditReader::refuse_repetition(Open& worker, const Fields& fields) {
  if (fields.text("message") == "discover started") {
    if (!worker.started_at.empty()) {
      throw AuditError(fmt::format(
          "{}: the worker {} started before, at {}; give each log once, and to each worker a log "
          "of its own",
          fields.where, worker.worker, worker.started_at));
    }
    worker.started_at = fields.where;
  }
  const std::int64_t now = fields.number("local_us");
  if (worker.log != logs_ && now < worker.last_us) {
    throw AuditError(fmt::format(
        "{}: the worker {} was read on to a later time in another log; give each log once, and the "
        "pieces of one oldest first",
        fields.where, worker.worker));
  }
  worker.log = logs_;
  worker.last_us = now;
}

/// All lines are of one group with one interval.
void AuditReader::identify(const Fields& fields) {
  const std::string name = fields.text("group");
  if (group_.name.empty()) group_.name = name;
  if (name != group_.name) {
    throw AuditError(
        fmt::format("{}: of the group `{}`, the lines before are of `{}`; audit one "
                    "group at a time",
                    fields.where, name, group_.name));
  }
  if (fields.text("message") != "discover started") return;
  const Json& interval = fields.at("interval");
  if (!interval.is_number() || interval.get<double>() <= 0) {
    throw fields.error("`interval` is not a length in milliseconds");
  }
  const auto interval_us = static_cast<std::int64_t>(interval.get<double>() * 1000 + 0.5);
  if (group_.interval_us != 0 && group_.interval_us != interval_us) {
    throw AuditError(
        fmt::format("{}: interval {} us, a worker before had {} us; members of a group "
                    "share one interval, so these are not one group",
                    fields.where, interval_us, group_.interval_us));
  }
  group_.interval_us = interval_us;
}

void AuditReader::read_lease(const Fields& fields) {
  const std::string message = fields.text("message");
  Open& worker = open(fields.text("worker"));
  if (message == "lease granted" || message == "lease renewed") {
    worker.expires = fields.bounds("expires_us");
    const Pair pair = fields.pair();
    if (message == "lease renewed" && worker.holding && worker.holding->pair == pair) return;
    if (worker.holding) throw fields.error("a lease is granted while another is held");
    worker.holding = AuditedHolding{worker.worker, pair, fields.bounds("store_us"), {}, {}, false};
    return;
  }
  if (message != "lease released" && message != "lease expired") return;
  if (!worker.holding) throw fields.error("a lease ends that was never granted");
  worker.holding->until = fields.bounds("store_us");
  worker.holding->cause = fields.text("cause");
  group_.holdings.push_back(*worker.holding);
  worker.holding.reset();
}

void AuditReader::read_registration(const Fields& fields) {
  AuditedRegistration registration;
  registration.worker = fields.text("worker");
  registration.interval = fields.number("interval");
  registration.index = fields.count("index");
  if (!fields.is_null("replicas")) registration.replicas = fields.count("replicas");
  group_.registrations.push_back(registration);
}

void AuditReader::read_attempt(const Fields& fields) {
  // Logs of before the member was written have no stalls.
  if (!fields.line.contains("store_us") || fields.is_null("store_us")) return;
  const bool failed = fields.text("message") == "registration failed";
  group_.attempts.push_back(
      {fields.text("worker"), failed ? fields.text("error") : "", fields.bounds("store_us")});
}

AuditedGroup AuditReader::group() const {
  AuditedGroup group = group_;
  for (const Open& worker : open_) {
    if (!worker.holding) continue;
    // The process may have ended at its last line or held on until the lease ran out.
    AuditedHolding holding = *worker.holding;
    holding.log_ends = true;
    holding.until = {std::max(holding.from.upper, worker.last_seen.lower), worker.expires.upper};
    holding.until.upper = std::max(holding.until.upper, holding.until.lower);
    group.holdings.push_back(holding);
  }
  std::sort(group.holdings.begin(), group.holdings.end(),
            [](const AuditedHolding& a, const AuditedHolding& b) {
              return std::tie(a.from.lower, a.worker) < std::tie(b.from.lower, b.worker);
            });
  std::stable_sort(
      group.attempts.begin(), group.attempts.end(),
      [](const AuditedAttempt& a, const AuditedAttempt& b) { return a.at.lower < b.at.lower; });
  return group;
}

}  // namespace nandi::sim
