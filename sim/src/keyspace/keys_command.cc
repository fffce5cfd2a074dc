#include "nandi/sim/keyspace/keys_command.h"

#include <charconv>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "nandi/sim/keyspace/key_lint.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/names.h"

namespace nandi::sim {

namespace {

constexpr int kUsage = 64;
constexpr int kBadFile = 65;

const char* const kHelp =
    R"(usage: nandi-sim keys FILE|- [options]
       nandi-sim keys --group NAME [--prefix PREFIX] [options]

Says of each key its hash slot in a Redis Cluster and which part of it is hashed; of each
transaction and script whether its keys stay together; and what is hot or stored many times.

FILE is a list of key patterns, one a line, and lines that begin with one of the words key, values,
weights, transaction, script, group, nodes, node, interval; sim/partition.md describes them. `-`
reads standard input.

  --literal       every line of FILE is a key, byte for byte
  --group NAME    the keys of a worker group's registration
  --prefix TEXT   the group's prefix
  --nodes N       a cluster of N masters as redis-cli --cluster create makes it
  --interval N    what <N> stands for now
  --json FILE     write the answer as JSON; - is the standard output, instead of the text

Exit status: 0 everything stays together, 1 something does not, 2 undecided, 64 usage, 65 bad file.
)";

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::optional<std::string> file;
  std::optional<std::string> group;
  std::optional<std::string> prefix;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> interval;
  std::string json;  // where to write; empty: nowhere
  bool literal = false;
  bool help = false;
};

std::uint64_t number(const std::string& option, const std::string& text, std::uint64_t least,
                     std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw Usage(
        fmt::format("{} takes a number from {} to {}, not `{}`", option, least, most, text));
  }
  return value;
}

Arguments parse(std::span<const std::string> args) {
  static const std::vector<std::string> kOptions = {"--literal",  "--group", "--prefix", "--nodes",
                                                    "--interval", "--json",  "--help"};
  Arguments parsed;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == args.size()) throw Usage(arg + " takes a value");
      return args[++i];
    };
    if (arg == "--literal") {
      parsed.literal = true;
    } else if (arg == "--json") {
      parsed.json = value();
    } else if (arg == "--help" || arg == "-h") {
      parsed.help = true;
    } else if (arg == "--group") {
      parsed.group = value();
    } else if (arg == "--prefix") {
      parsed.prefix = value();
    } else if (arg == "--nodes") {
      parsed.nodes = number(arg, value(), 1, kHashSlots);
    } else if (arg == "--interval") {
      parsed.interval = number(arg, value(), 0, 1ULL << 53U);
    } else if (arg.size() > 1 && arg[0] == '-') {
      throw Usage(fmt::format("unknown option {}; {}", arg, yaml::name_advice(arg, kOptions)));
    } else if (parsed.file) {
      throw Usage(fmt::format("`{}` after `{}`: one file at a time", arg, *parsed.file));
    } else {
      parsed.file = arg;
    }
  }
  if (parsed.help) return parsed;
  if (!parsed.file && !parsed.group) throw Usage("name a file, `-`, or a --group");
  if (parsed.prefix && !parsed.group) throw Usage("--prefix belongs to --group");
  return parsed;
}

std::string read_all(const std::string& file, std::istream& in) {
  std::ostringstream text;
  if (file == "-") {
    text << in.rdbuf();
    return text.str();
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream || stream.peek() == std::ifstream::traits_type::eof()) {
    if (stream.is_open() && stream.eof()) return "";
    throw yaml::LoadError(file, {}, "cannot be read", "name a file that exists and is readable");
  }
  text << stream.rdbuf();
  return text.str();
}

KeyList list_of(const Arguments& arguments, std::istream& in) {
  KeyList list;
  list.file = "group " + arguments.group.value_or("");
  if (arguments.file) {
    const std::string name = *arguments.file == "-" ? "standard input" : *arguments.file;
    const std::string text = read_all(*arguments.file, in);
    list = arguments.literal ? read_literal_keys(text, name) : read_key_list(text, name);
  }
  if (arguments.interval) list.interval = static_cast<std::int64_t>(*arguments.interval);
  if (arguments.nodes) {
    list.slots = SlotMap::redis_cli_ranges(static_cast<std::uint32_t>(*arguments.nodes));
  }
  if (arguments.group) add_group(list, *arguments.group, arguments.prefix.value_or(""), 0);
  return list;
}

}  // namespace

int run_keys_command(std::span<const std::string> args, std::istream& in, std::ostream& out,
                     std::ostream& err) {
  try {
    const Arguments arguments = parse(args);
    if (arguments.help) {
      out << kHelp;
      return 0;
    }
    const KeyLint lint = lint_keys(list_of(arguments, in));
    if (arguments.json == "-") {
      yaml::write_json(key_lint_json(lint), out);
      return exit_status(lint.verdict);
    }
    out << key_lint_text(lint);
    if (!arguments.json.empty()) {
      std::ofstream file(arguments.json, std::ios::binary);
      yaml::write_json(key_lint_json(lint), file);
      file.flush();
      if (!file) {
        throw yaml::LoadError(arguments.json, {}, "cannot be written",
                              "check the folder and its permissions");
      }
    }
    return exit_status(lint.verdict);
  } catch (const Usage& error) {
    err << "nandi-sim keys: " << error.what() << "\n\n" << kHelp;
    return kUsage;
  } catch (const yaml::LoadError& error) {
    err << error.what() << '\n';
    return kBadFile;
  }
}

}  // namespace nandi::sim
