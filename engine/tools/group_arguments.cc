#include "group_arguments.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace nandi::tools {
namespace {

std::string first_line(const std::string& file, std::string_view option) {
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line)) {
    throw ArgumentError(kBadFile, fmt::format("{} {}: cannot read its first line: {}", option, file,
                                              std::strerror(errno)));
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Fraction fraction_of(std::string_view option, const std::string& text) {
  const auto fraction = parse_fraction(text);
  if (!fraction) {
    throw ArgumentError(kUsage, fmt::format("{} \"{}\" is not a decimal such as 0.15 or a fraction "
                                            "such as 3/20",
                                            option, text));
  }
  return *fraction;
}

}  // namespace

void declare_server(CLI::App& app, GroupTexts& texts) {
  app.add_option("--redis", texts.url,
                 "URL: redis://, rediss:// (TLS), redis+unix://, redis+sentinel:// or "
                 "redis+cluster://, the "
                 "last two with rediss over TLS")
      ->envname("NANDI_REDIS_URL");
  app.add_option("--redis-file", texts.url_file, "file whose first line is that URL");
  app.add_option("--password-file", texts.password_file, "file whose first line is the password");
  app.add_option("--tls-ca", texts.tls.ca_file, "PEM file of certificate authorities");
  app.add_option("--tls-cert", texts.tls.certificate_file, "PEM file of the client's certificate");
  app.add_option("--tls-key", texts.tls.key_file, "PEM file of its key");
  app.add_option("--tls-server-name", texts.tls.server_name, "name to verify [the URL's host]");
  app.add_flag("--tls-no-verify", texts.tls_no_verify, "accept any certificate; for tests only");
}

void declare_group(CLI::App& app, GroupTexts& texts) {
  app.add_option("--name", texts.name, "group, for example mail-sender");
  app.add_option("--interval", texts.interval, "length of an interval, for example 5s or 300ms");
  app.add_option("--gap", texts.gap, "timing slack as a fraction of the interval [0.15]");
  app.add_option("--timeout", texts.timeout, "of one registration [an eighth of the interval]");
  app.add_option("--prefix", texts.prefix, "put before the group's keys");
  app.add_option("--drift", texts.drift, "bound on how far clock rates differ [0.001]");
}

RedisOptions redis_of(const GroupTexts& texts) {
  if (texts.url.empty() && texts.url_file.empty()) {
    throw ArgumentError(kUsage,
                        "no server: give --redis redis://HOST:PORT (or NANDI_REDIS_URL, "
                        "--redis-file, or HOST PORT NAME INTERVAL_MS)");
  }
  const std::string text =
      texts.url_file.empty() ? texts.url : first_line(texts.url_file, "--redis-file");
  auto url = parse_redis_url(text);
  if (const auto* error = std::get_if<RedisUrlError>(&url)) {
    throw ArgumentError(texts.url_file.empty() ? kUsage : kBadFile, to_string(*error));
  }
  RedisOptions redis;
  redis.url = std::get<RedisUrl>(std::move(url));
  redis.tls = texts.tls;
  redis.tls.verify = !texts.tls_no_verify;
  redis.seed = texts.seed;
  const char* password = std::getenv("NANDI_REDIS_PASSWORD");
  if (!texts.password_file.empty()) {
    redis.url.password = Secret(first_line(texts.password_file, "--password-file"));
  } else if (password != nullptr && redis.url.password.empty()) {
    redis.url.password = Secret(password);
  }
  return redis;
}

Options options_of(const GroupTexts& texts) {
  Options options;
  options.name = texts.name;
  if (texts.name.empty()) {
    throw ArgumentError(kUsage, "no group: give --name, for example --name mail-sender");
  }
  if (texts.interval.empty()) {
    throw ArgumentError(kUsage, "no interval: give --interval, for example --interval 5s");
  }
  options.interval = duration_of("--interval", texts.interval);
  if (!texts.gap.empty()) options.gap = fraction_of("--gap", texts.gap);
  if (!texts.timeout.empty()) options.attempt_timeout = duration_of("--timeout", texts.timeout);
  if (!texts.drift.empty()) options.drift_bound = fraction_of("--drift", texts.drift);
  if (!texts.first_spread.empty()) {
    options.first_spread = fraction_of("--first-spread", texts.first_spread);
  }
  options.prefix = texts.prefix;
  options.seed = texts.seed;
  return options;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  // The longer of two names that end alike comes first.
  constexpr std::array<Unit, 5> kUnits{Unit{"us", 1000}, Unit{"ms", 1'000'000},
                                       Unit{"s", 1'000'000'000}, Unit{"m", 60'000'000'000},
                                       Unit{"h", 3'600'000'000'000}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    const bool is_decimal = text.find('/') == std::string_view::npos;
    const auto number = is_decimal ? parse_fraction(text) : std::nullopt;
    if (!number) return std::nullopt;
    const Int128 product = Int128{number->numerator()} * unit.nanoseconds;
    constexpr Int128 kMost = Int128{9'000'000'000} * 1'000'000'000;
    if (product % number->denominator() != 0) return std::nullopt;
    if (product / number->denominator() > kMost) return std::nullopt;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(product / number->denominator()));
  }
  return std::nullopt;
}

std::chrono::nanoseconds duration_of(std::string_view option, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) {
    throw ArgumentError(kUsage, fmt::format("{} \"{}\" is not a number with a unit, for example 5s "
                                            "or 300ms",
                                            option, text));
  }
  return *duration;
}

/// Blanks the part of every URL in argv that may be a password.
void hide_passwords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* const scheme = std::strstr(argv[i], "://");
    char* const at = scheme == nullptr ? nullptr : std::strrchr(scheme, '@');
    if (at == nullptr) continue;
    for (char* c = scheme + 3; c < at; ++c) *c = '*';
  }
}

}  // namespace nandi::tools
