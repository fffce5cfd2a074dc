#include "metrics.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "line_writer.h"

namespace nandi::tools {
namespace {

constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;

/// Seconds with six decimals.
std::string in_seconds(std::int64_t us) {
  return fmt::format("{}.{:06}", us / 1'000'000, us % 1'000'000);
}

/// A label value: backslash, quote and newline are escaped.
std::string label(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

class Page {
 public:
  explicit Page(std::string_view group) : group_(label(group)) {}

  void family(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  }
  template <class Value>
  void sample(std::string_view name, const Value& value, std::string_view more = {}) {
    fmt::format_to(std::back_inserter(text_), "{}{{group=\"{}\"{}}} {}\n", name, group_, more,
                   value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string group_;
  std::string text_;
};

}  // namespace

void Metrics::count(const Diagnostic& d, const ReportContext& context) {
  const std::scoped_lock lock(mutex_);
  switch (d.code) {
    case DiagnosticCode::registration_completed: {
      ++registrations_;
      last_lag_us_ = context.lag.count() / kNanosecondsPerMicrosecond;
      worst_lag_us_ = std::max(worst_lag_us_, last_lag_us_);
      if (!context.reading) break;
      const Duration round_trip = context.reading->received - context.reading->sent;
      const std::int64_t us = round_trip.count() / kNanosecondsPerMicrosecond;
      const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), us) - kBounds.begin();
      ++round_trips_.at(static_cast<std::size_t>(bucket));
      round_trip_sum_us_ += us;
      break;
    }
    case DiagnosticCode::registration_failed: ++failures_[d.error]; break;
    case DiagnosticCode::registration_abandoned: ++ghosts_; break;
    case DiagnosticCode::script_loaded: ++scripts_; break;
    case DiagnosticCode::server_changed: ++server_changes_; break;
    case DiagnosticCode::consumer_overran: ++overruns_; break;
    case DiagnosticCode::lease_granted:
      ++granted_;
      owns_ = true;
      pair_ = d.pair;
      break;
    case DiagnosticCode::lease_renewed: ++renewed_; break;
    case DiagnosticCode::lease_released:
    case DiagnosticCode::lease_expired:
      ++losses_[d.cause];
      owns_ = false;
      break;
    default: break;
  }
}

std::string Metrics::text() const {
  const std::scoped_lock lock(mutex_);
  Page page(group_);
  page.family("nandi_registrations_total", "counter", "Registrations completed.");
  page.sample("nandi_registrations_total", registrations_);
  page.family("nandi_registration_failures_total", "counter", "Registrations failed, by class.");
  for (const auto& [error, count] : failures_) {
    page.sample("nandi_registration_failures_total", count,
                fmt::format(",class=\"{}\"", to_string(error)));
  }
  page.family("nandi_possible_ghosts_total", "counter",
              "Registrations given up that may still count as a member.");
  page.sample("nandi_possible_ghosts_total", ghosts_);
  page.family("nandi_script_loads_total", "counter", "Times the server was sent the script.");
  page.sample("nandi_script_loads_total", scripts_);
  page.family("nandi_server_changes_total", "counter",
              "Times another server answered than the time before.");
  page.sample("nandi_server_changes_total", server_changes_);
  page.family("nandi_consumer_overruns_total", "counter",
              "Times the consumer let go later than a gap after its lease had ended.");
  page.sample("nandi_consumer_overruns_total", overruns_);
  page.family("nandi_leases_granted_total", "counter", "Leases granted.");
  page.sample("nandi_leases_granted_total", granted_);
  page.family("nandi_leases_renewed_total", "counter", "Leases renewed.");
  page.sample("nandi_leases_renewed_total", renewed_);
  page.family("nandi_leases_lost_total", "counter", "Leases released or expired, by cause.");
  for (const auto& [cause, count] : losses_) {
    page.sample("nandi_leases_lost_total", count, fmt::format(",cause=\"{}\"", to_string(cause)));
  }
  page.family("nandi_lease_held", "gauge", "1 while a lease is held.");
  page.sample("nandi_lease_held", owns_ ? 1 : 0);
  page.family("nandi_lease_index", "gauge", "Index of the lease held, -1 when idle.");
  page.sample("nandi_lease_index", owns_ ? std::int64_t{pair_.index} : -1);
  page.family("nandi_lease_replicas", "gauge", "Replicas of the lease held, 0 when idle.");
  page.sample("nandi_lease_replicas", owns_ ? pair_.count : 0);
  page.family("nandi_wakeup_lag_seconds", "gauge", "How late the last registration was sent.");
  page.sample("nandi_wakeup_lag_seconds", in_seconds(last_lag_us_));
  page.family("nandi_wakeup_lag_max_seconds", "gauge",
              "How late the latest registration was sent.");
  page.sample("nandi_wakeup_lag_max_seconds", in_seconds(worst_lag_us_));
  page.family("nandi_round_trip_seconds", "histogram", "From sending to reply.");
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    cumulative += round_trips_.at(i);
    page.sample("nandi_round_trip_seconds_bucket", cumulative,
                fmt::format(",le=\"{}\"", in_seconds(kBounds.at(i))));
  }
  cumulative += round_trips_.at(kBuckets);
  page.sample("nandi_round_trip_seconds_bucket", cumulative, ",le=\"+Inf\"");
  page.sample("nandi_round_trip_seconds_sum", in_seconds(round_trip_sum_us_));
  page.sample("nandi_round_trip_seconds_count", cumulative);
  return page.take();
}

MetricsPublisher::MetricsPublisher(const Metrics& metrics, const std::string& target)
    : metrics_(metrics), closing_(eventfd(0, EFD_CLOEXEC)) {
  const bool is_port =
      !target.empty() && target.find_first_not_of("0123456789") == std::string::npos;
  if (is_port) {
    open_port(target);
    thread_ = std::thread([this] { serve(); });
  } else {
    file_ = target;
    write_file();
    thread_ = std::thread([this] { write_files(); });
  }
}

MetricsPublisher::~MetricsPublisher() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(closing_, &one, sizeof one);
  thread_.join();
  if (listener_ >= 0) close(listener_);
  close(closing_);
}

void MetricsPublisher::open_port(const std::string& text) {
  constexpr std::size_t kLongestPort = 5;
  const unsigned long port = text.size() <= kLongestPort ? std::stoul(text) : 0;
  if (port == 0 || port > 65535) {
    throw std::runtime_error(fmt::format("--metrics {}: a port is a number from 1 to 65535", text));
  }
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 4) != 0) {
    throw std::runtime_error(
        fmt::format("--metrics {}: cannot listen on 127.0.0.1:{}: {}; choose "
                    "another port or a file",
                    text, port, std::strerror(errno)));
  }
}

void MetricsPublisher::serve() {
  while (true) {
    std::array<pollfd, 2> entries{pollfd{listener_, POLLIN, 0}, pollfd{closing_, POLLIN, 0}};
    poll(entries.data(), entries.size(), -1);
    if (entries[1].revents != 0) return;
    if (entries[0].revents == 0) continue;
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) continue;
    answer(connection);
    close(connection);
  }
}

void MetricsPublisher::answer(int connection) const {
  constexpr int kPatienceMs = 500;
  pollfd entry{connection, POLLIN, 0};
  if (poll(&entry, 1, kPatienceMs) <= 0) return;
  // Every request gets the same page, so the request is read only so that the peer may close.
  std::array<char, 4096> request{};
  [[maybe_unused]] const auto bytes = read(connection, request.data(), request.size());
  const std::string body = metrics_.text();
  write_all(connection,
            fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
                        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
                        body.size(), body),
            kPatienceMs);
}

void MetricsPublisher::write_file() const {
  const std::string fresh = file_ + ".new";
  const int out = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool good = out >= 0 && write_all(out, metrics_.text(), -1) == WriteResult::written;
  if (out >= 0) good = close(out) == 0 && good;
  if (!good || rename(fresh.c_str(), file_.c_str()) != 0) {
    throw MetricsFileError(
        fmt::format("--metrics {}: cannot write it: {}; name a file in a directory that is there",
                    file_, std::strerror(errno)));
  }
}

void MetricsPublisher::write_files() {
  constexpr int kPeriodMs = 1000;
  bool closing = false;
  while (!closing) {
    pollfd entry{closing_, POLLIN, 0};
    closing = poll(&entry, 1, kPeriodMs) > 0;
    try {
      write_file();
    } catch (const MetricsFileError&) {
      // A full disk may have room again in a second; a worker does not end for its metrics.
    }
  }
}

}  // namespace nandi::tools
