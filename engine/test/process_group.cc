#include "process_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

namespace nandi::test {

ProcessGroup::ProcessGroup(std::string directory, const std::string& redis_url,
                           ProcessTiming timing, std::vector<std::string> more)
    : directory_(std::move(directory)), arguments_(std::move(more)), timing_(timing) {
  const std::vector<std::string> shared{"--redis",    redis_url,
                                        "--name",     "g",
                                        "--interval", fmt::format("{}ms", timing.interval.count()),
                                        "--gap",      fmt::format("{}/1000", timing.gap_permille),
                                        "--log",      "trace"};
  arguments_.insert(arguments_.begin(), shared.begin(), shared.end());
}

WorkerProcess& ProcessGroup::add() {
  workers_.push_back(std::make_unique<WorkerProcess>(arguments_, directory_,
                                                     fmt::format("worker{}", workers_.size())));
  return *workers_.back();
}

void ProcessGroup::add(int count) {
  for (int i = 0; i < count; ++i) add();
}

bool ProcessGroup::partitioned(const std::vector<std::size_t>& which) const {
  std::set<std::pair<int, int>> pairs;
  for (const std::size_t w : which) {
    if (const auto pair = workers_[w]->pair()) pairs.insert(*pair);
  }
  const int n = static_cast<int>(which.size());
  if (pairs.size() != which.size()) return false;
  return pairs.begin()->second == n && pairs.rbegin()->second == n && pairs.begin()->first == 0 &&
         pairs.rbegin()->first == n - 1;
}

bool ProcessGroup::partitioned() const {
  std::vector<std::size_t> all(workers_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return partitioned(all);
}

bool ProcessGroup::all_idle() const {
  return std::none_of(workers_.begin(), workers_.end(), [](const auto& worker) {
    return worker->pair() || worker->output().empty();
  });
}

bool ProcessGroup::none_ended() const {
  return std::none_of(workers_.begin(), workers_.end(),
                      [](const auto& worker) { return worker->process().ended(); });
}

long ProcessGroup::count(std::string_view message) const {
  long sum = 0;
  for (const auto& worker : workers_) sum += worker->count(message);
  return sum;
}

nlohmann::json ProcessGroup::audit() {
  const std::string name = fmt::format("audit{}", audits_++);
  std::vector<std::string> command{NANDI_SIM_PROGRAM, "audit", "--json", "-"};
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    command.push_back(fmt::format("{}/worker{}.err", directory_, w));
  }
  ChildProcess process(command, directory_, name);
  const int status = process.wait();
  const std::string text = read_file(fmt::format("{}/{}.log", directory_, name));
  if (status > 2 || status < 0) {
    throw std::runtime_error(fmt::format("nandi-sim audit ended with {}: {}", status, text));
  }
  return nlohmann::json::parse(text);
}

void ProcessGroup::expect_expiries_on_time() const {
  for (const auto& worker : workers_) {
    for (const auto& line : worker->log()) {
      if (line["message"] != "lease expired") continue;
      const std::int64_t next = line["interval"].get<std::int64_t>() + 1;
      EXPECT_LE(line["store_us"][1].get<std::int64_t>(), (next + 1) * timing_.interval_us())
          << line;
      EXPECT_GE(line["store_us"][0].get<std::int64_t>(),
                next * timing_.interval_us() + timing_.gap_us())
          << line;
    }
  }
}

std::string ProcessGroup::disturbance(std::int64_t since_us) const {
  const std::int64_t spread_us =
      (timing_.interval_us() - 2 * timing_.gap_us()) / static_cast<std::int64_t>(workers_.size());
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    for (const auto& line : workers_[w]->log()) {
      if (line["time_ms"].get<std::int64_t>() * 1000 < since_us) continue;
      if (line["message"] == "registration failed") {
        return fmt::format("worker {}: {}", w, line.dump());
      }
      if (line["message"] != "registration completed") continue;
      const double late_us = (line["lag"].get<double>() + line["round_trip"].get<double>()) * 1000;
      if (late_us > static_cast<double>(timing_.interval_us())) continue;
      // Two of them can be late towards each other.
      if (late_us > static_cast<double>(spread_us) / 2) {
        return fmt::format("worker {}: {}", w, line.dump());
      }
    }
  }
  return {};
}

void ProcessGroup::let_everybody_renew() const {
  std::this_thread::sleep_for(timing_.interval * 13 / 10);
}

std::optional<std::int64_t> covered_from(const nlohmann::json& audit, int n,
                                         std::int64_t since_us) {
  std::optional<std::int64_t> first;
  const auto covered_at = [&](std::int64_t t) {
    std::set<int> indexes;
    for (const auto& h : audit["holdings"]) {
      if (h["n"] == n && h["from_us"][1] <= t && t < h["until_us"][0])
        indexes.insert(h["i"].get<int>());
    }
    return static_cast<int>(indexes.size()) == n;
  };
  for (const auto& h : audit["holdings"]) {
    const std::int64_t t = std::max(h["from_us"][1].get<std::int64_t>(), since_us);
    if ((!first || t < *first) && covered_at(t)) first = t;
  }
  return first;
}

std::optional<std::int64_t> first_stand_down(const nlohmann::json& audit, std::int64_t since_us) {
  std::optional<std::int64_t> first;
  for (const auto& h : audit["holdings"]) {
    const std::int64_t end = h["until_us"][0];
    if (h["cause"].is_null() || end < since_us) continue;
    if (!first || end < *first) first = end;
  }
  return first;
}

std::int64_t store_time_us(const std::string& time_reply) {
  const std::size_t blank = time_reply.find(' ');
  return std::stoll(time_reply.substr(0, blank)) * 1'000'000 +
         std::stoll(time_reply.substr(blank + 1));
}

}  // namespace nandi::test
