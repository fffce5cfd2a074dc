// How a worker tells what it does: the engine's diagnostics, with what the driver knows besides.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/reply_watch.h"
#include "nandi/engine/schedule.h"
#include "nandi/engine/time.h"

namespace nandi {

/// Valid during the call only.
struct ReportContext {
  /// The newest tick's reading of the store's clock; nullopt before the first tick.
  std::optional<ClockReading> reading;
  /// registration_failed: what, where, what to do; server_changed: the two servers. Contains no
  /// password.
  std::string_view detail;
  /// registration_completed: how much later than planned its attempt was sent, because the thread
  /// or the machine was busy.
  Duration lag;
  /// registration_completed: what its reply's times tell besides.
  ReplyWatch::Findings findings;
};

/// Called by whoever drives the worker, one call at a time. It must not block (a worker that waits
/// for its log loses its lease), throw, or call back into what it reports about.
using Reporter = std::function<void(const Diagnostic&, const ReportContext&)>;

/// The store's clock at local time `t`, as far as a worker can know it (protocol, "Time: two
/// estimates"): the true reading is in [lower, upper]. Precondition: t >= reading.received.
struct StoreBounds {
  StoreTime lower;
  StoreTime upper;
};

[[nodiscard]] constexpr StoreBounds store_bounds(const LeaseTiming& timing,
                                                 const ClockReading& reading, LocalTime t) {
  const Duration since_received = t - reading.received;
  const Duration since_sent = t - reading.sent;
  return StoreBounds{
      reading.at + since_received - multiply_ceil(since_received, timing.drift),
      reading.at + timing.resolution + since_sent + multiply_ceil(since_sent, timing.drift)};
}

}  // namespace nandi
