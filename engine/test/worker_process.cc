#include "worker_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace nandi::test {
namespace {

std::string shell_word(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

WorkerProcess::WorkerProcess(const std::vector<std::string>& arguments,
                             const std::string& directory, const std::string& name,
                             const std::string& environment)
    : output_(directory + "/" + name + ".out"), errors_(directory + "/" + name + ".err") {
  std::string command = environment + " exec " + shell_word(NANDI_WORKER_PROGRAM);
  for (const std::string& argument : arguments) command += " " + shell_word(argument);
  command += " >" + shell_word(output_) + " 2>" + shell_word(errors_);
  process_ = std::make_unique<ChildProcess>(std::vector<std::string>{"/bin/sh", "-c", command},
                                            directory, name);
}

std::vector<std::string> WorkerProcess::output_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(output());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<nlohmann::json> WorkerProcess::log() const {
  const std::string text = errors();
  std::vector<nlohmann::json> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("{\"level\":")) lines.push_back(nlohmann::json::parse(line));
    begin = end + 1;
  }
  return lines;
}

std::optional<std::pair<int, int>> WorkerProcess::pair() const {
  const std::string text = output();
  if (text.empty() || text.back() != '\n') return std::nullopt;
  const std::size_t begin = text.rfind('\n', text.size() - 2);
  const auto last = nlohmann::json::parse(text.substr(begin == std::string::npos ? 0 : begin + 1));
  if (last["i"].is_null()) return std::nullopt;
  return std::pair(last["i"].get<int>(), last["n"].get<int>());
}

long WorkerProcess::count(std::string_view message) const {
  const auto lines = log();
  return std::count_if(lines.begin(), lines.end(),
                       [&](const nlohmann::json& line) { return line["message"] == message; });
}

}  // namespace nandi::test
