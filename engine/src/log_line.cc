#include "nandi/engine/log_line.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "nandi/engine/script.h"

namespace nandi {
namespace {

constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;

std::int64_t to_microseconds_down(std::int64_t nanoseconds) {
  return static_cast<std::int64_t>(floor_div(nanoseconds, kNanosecondsPerMicrosecond));
}
std::int64_t to_microseconds_up(std::int64_t nanoseconds) {
  return static_cast<std::int64_t>(ceil_div(nanoseconds, kNanosecondsPerMicrosecond));
}

/// Milliseconds with three decimals.
std::string in_ms(Duration duration) {
  const std::int64_t us = to_microseconds_down(duration.count());
  const std::int64_t magnitude = us < 0 ? -us : us;
  return fmt::format("{}{}.{:03}", us < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

/// The bytes of the UTF-8 sequence at the front of text, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80U                     ? 1
                             : lead >= 0xC2U && lead < 0xE0U  ? 2
                             : lead >= 0xE0U && lead < 0xF0U  ? 3
                             : lead >= 0xF0U && lead <= 0xF4U ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (lead == 0xE0U && byte(1) < 0xA0U) || (lead == 0xF0U && byte(1) < 0x90U);
  const bool surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
  const bool too_large = lead == 0xF4U && byte(1) >= 0x90U;
  return overlong || surrogate || too_large ? 0 : length;
}

class Line {
 public:
  Line(const LogIdentity& identity, const WallReading& wall, Level level, std::string_view message,
       LocalTime at)
      : identity_(identity) {
    text_ =
        fmt::format(R"({{"level":"{}","message":"{}","group":{},"worker":{},"time_ms":{},)"
                    R"("local_us":{})",
                    to_string(level), message, json_string(identity.options.name),
                    json_string(identity.worker), wall.unix_ms, to_microseconds_down(at.count()));
  }

  void raw(std::string_view members) {
    if (!members.empty()) fmt::format_to(std::back_inserter(text_), ",{}", members);
  }
  void number(std::string_view key, std::int64_t value) {
    fmt::format_to(std::back_inserter(text_), R"(,"{}":{})", key, value);
  }
  void number_or_null(std::string_view key, bool there, std::int64_t value) {
    if (there) return number(key, value);
    fmt::format_to(std::back_inserter(text_), R"(,"{}":null)", key);
  }
  void text(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), R"(,"{}":{})", key, json_string(value));
  }
  void ms(std::string_view key, Duration value) {
    fmt::format_to(std::back_inserter(text_), R"(,"{}":{})", key, in_ms(value));
  }
  void pair(bool there, Pair pair) {
    number_or_null("i", there, pair.index);
    number_or_null("n", there, pair.count);
  }
  void previous(bool there, Pair pair) {
    number_or_null("pi", there, pair.index);
    number_or_null("pn", there, pair.count);
  }
  /// The store's clock at local time `when`: [lower, upper] in microseconds since 1970.
  void bounds(std::string_view key, const ReportContext& context, LocalTime when) {
    if (!context.reading) {
      fmt::format_to(std::back_inserter(text_), R"(,"{}":null)", key);
      return;
    }
    const StoreBounds bounds = store_bounds(timing_of(identity_.options), *context.reading, when);
    fmt::format_to(std::back_inserter(text_), R"(,"{}":[{},{}])", key,
                   to_microseconds_down(bounds.lower.count()),
                   to_microseconds_up(bounds.upper.count()));
  }
  std::string end() { return std::move(text_) + "}"; }

 private:
  const LogIdentity& identity_;
  std::string text_;
};

void add_started(Line& line, const LogIdentity& identity, const Diagnostic& d) {
  const Options& options = identity.options;
  line.number("interval", interval_ms(options));
  // A decimal is a JSON number as it stands; "1/3" has to be a string.
  const std::string gap = to_string(options.gap);
  const bool is_ratio = gap.find('/') != std::string::npos;
  line.raw(fmt::format(R"("gap":{})", is_ratio ? json_string(gap) : gap));
  line.text("prefix", options.prefix);
  line.text("registry", group_key(options));
  line.ms("delay", d.delay);
}

void add_registration(Line& line, const WallReading& wall, const Diagnostic& d,
                      const ReportContext& context) {
  line.number("interval", d.tick.interval);
  line.number("index", d.tick.index);
  line.number_or_null("replicas", d.tick.previous_count.has_value(),
                      d.tick.previous_count.value_or(0));
  line.number("attempt", d.attempt);
  line.bounds("store_us", context, d.at);
  if (!context.reading) return;
  // The store's clock less this machine's wall clock at the moment of the reply.
  const Duration since_reply = wall.local - context.reading->received;
  line.ms("skew",
          Duration(context.reading->at.count() - wall.unix_ms * kNanosecondsPerMillisecond) +
              since_reply);
  line.ms("round_trip", context.reading->received - context.reading->sent);
  line.ms("lag", context.lag);
}

void add_failure(Line& line, const Diagnostic& d, const ReportContext& context) {
  line.text("error", to_string(d.error));
  line.text("detail", context.detail);
  line.number("attempt", d.attempt);
  line.number("failures", d.failures);
  line.ms("delay", d.delay);
  line.bounds("store_us", context, d.at);
}

void add_lease(Line& line, const Diagnostic& d, const ReportContext& context) {
  line.pair(d.has_pair, d.pair);
  line.number("interval", d.interval);
  const bool issued =
      d.code == DiagnosticCode::lease_granted || d.code == DiagnosticCode::lease_renewed;
  const bool expired = d.code == DiagnosticCode::lease_expired;
  // An expiry takes effect when the clock reaches it, whenever it is noticed.
  line.bounds("store_us", context, expired ? d.expires : d.at);
  if (issued) {
    line.bounds("expires_us", context, d.expires);
    line.ms("expires", d.expires - d.at);
    return;
  }
  line.text("cause", to_string(d.cause));
  if (d.error != ErrorClass::none) line.text("error", to_string(d.error));
  if (!expired) return;
  line.ms("after", context.reading ? d.expires - context.reading->received : Duration());
  line.ms("noticed", d.at - d.expires);
}

}  // namespace

std::string_view to_string(Level level) {
  switch (level) {
    case Level::trace: return "trace";
    case Level::debug: return "debug";
    case Level::info: return "info";
    case Level::warn: return "warn";
    case Level::error: return "error";
  }
  return "error";
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      result += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + "\"";
}

std::string log_line(const LogIdentity& identity, const WallReading& wall, const Diagnostic& d,
                     const ReportContext& context) {
  Line line(identity, wall, level(d.code), message(d.code), d.at);
  switch (d.code) {
    case DiagnosticCode::discover_started: add_started(line, identity, d); break;
    case DiagnosticCode::discover_stopped:
      line.text("reason", d.cause == LossCause::aborted ? "abort" : "closed");
      break;
    case DiagnosticCode::registration_completed: add_registration(line, wall, d, context); break;
    case DiagnosticCode::registration_failed: add_failure(line, d, context); break;
    case DiagnosticCode::registration_abandoned:
      line.number("attempt", d.attempt);
      line.raw(R"("ghost index":"possible")");
      break;
    case DiagnosticCode::no_pair_implied: line.previous(d.has_previous, d.previous); break;
    case DiagnosticCode::pair_agreed: line.pair(d.has_pair, d.pair); break;
    case DiagnosticCode::pair_disagreed:
      line.pair(d.has_pair, d.pair);
      line.previous(d.has_previous, d.previous);
      break;
    case DiagnosticCode::lease_granted:
    case DiagnosticCode::lease_renewed:
    case DiagnosticCode::lease_released:
    case DiagnosticCode::lease_expired: add_lease(line, d, context); break;
    case DiagnosticCode::next_registration_scheduled:
      line.ms("delay", d.delay);
      line.ms("expires", d.expires - d.at);
      break;
    case DiagnosticCode::pair_handed:
      line.pair(d.has_pair, d.pair);
      line.bounds("store_us", context, d.at);
      break;
    case DiagnosticCode::script_loaded: line.text("sha", kRegistrationScriptSha1); break;
    case DiagnosticCode::server_changed: line.text("detail", context.detail); break;
    case DiagnosticCode::consumer_overran:
      line.pair(d.has_pair, d.pair);
      line.ms("by", d.delay);
      line.text("cause", to_string(d.cause));
      break;
  }
  return line.end();
}

std::string log_line(const LogIdentity& identity, const WallReading& wall, Level level,
                     std::string_view message, std::string_view attributes) {
  Line line(identity, wall, level, message, wall.local);
  line.raw(attributes);
  return line.end();
}

}  // namespace nandi
