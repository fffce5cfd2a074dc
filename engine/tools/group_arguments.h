// The flags that every command of nandi-worker shares: which server, which group, which timing.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_options.h"

namespace nandi::tools {

inline constexpr int kUsage = 64;
inline constexpr int kBadFile = 65;
inline constexpr int kUnreachable = 69;
inline constexpr int kOwnBug = 70;

/// What to print and how to exit instead of working.
struct EarlyExit {
  int status = 0;
  std::string text;  ///< to standard output when status is 0, else to standard error
};

/// What is wrong with the command line or a file that it names, one sentence a line.
struct ArgumentError : std::runtime_error {
  ArgumentError(int exit_status, const std::string& text)
      : std::runtime_error(text), status(exit_status) {}
  int status;
};

/// The texts of the shared flags before they are understood.
struct GroupTexts {
  std::string url;
  std::string url_file;
  std::string password_file;
  TlsOptions tls;
  bool tls_no_verify = false;
  std::string name;
  std::string interval;
  std::string gap;
  std::string timeout;
  std::string prefix;
  std::string drift;
  std::string first_spread;
  std::optional<std::uint64_t> seed;
};

/// --redis, --redis-file, --password-file and the --tls flags.
void declare_server(CLI::App& app, GroupTexts& texts);
/// --name, --interval, --gap, --timeout, --prefix and --drift.
void declare_group(CLI::App& app, GroupTexts& texts);

/// The server, with what files and environment variables say. Throws ArgumentError.
[[nodiscard]] RedisOptions redis_of(const GroupTexts& texts);

/// The group, not yet checked (check()). Throws ArgumentError where a value cannot be read, or name
/// or interval is missing.
[[nodiscard]] Options options_of(const GroupTexts& texts);

/// "300ms", "1.5s", "2m", "1h": a number and a unit (us, ms, s, m, h), exact. nullopt for anything
/// else, what is not a whole number of nanoseconds or above a thousand years included.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// The same for the value of an option. Throws ArgumentError.
[[nodiscard]] std::chrono::nanoseconds duration_of(std::string_view option,
                                                   const std::string& text);

/// Blanks the part of every URL in argv that may be a password.
void hide_passwords(int argc, char** argv);

/// Reads the command line and understands it: what `understand` returns, or why there is nothing to
/// do. A password found in argv is overwritten there.
template <class Arguments, class Understand>
[[nodiscard]] std::variant<Arguments, EarlyExit> parse_with(CLI::App& app, int argc, char** argv,
                                                            const Understand& understand) {
  const std::string program = app.get_name();
  try {
    app.parse(argc, argv);
    hide_passwords(argc, argv);
    return understand();
  } catch (const CLI::CallForHelp&) {
    return EarlyExit{0, app.help()};
  } catch (const CLI::ParseError& error) {
    hide_passwords(argc, argv);
    return EarlyExit{kUsage,
                     fmt::format("{}: {}\n{} --help says more\n", program, error.what(), program)};
  } catch (const ArgumentError& error) {
    std::string text;
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);) {
      text += fmt::format("{}: {}\n", program, line);
    }
    return EarlyExit{error.status, text};
  }
}

}  // namespace nandi::tools
