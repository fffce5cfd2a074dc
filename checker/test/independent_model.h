// Runs one of the Python models that share nothing with the checker.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>

namespace nandi::checker {

/// What `script` prints with these arguments; fails the test if it does not end well.
inline std::istringstream ask_independently(std::string_view script, const std::string& arguments) {
  const std::string command = fmt::format("'{}' '{}' {}", NANDI_PYTHON, script, arguments);
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  if (pipe != nullptr) {
    std::array<char, 256> line{};
    while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
      text += line.data();
    }
    EXPECT_EQ(pclose(pipe), 0) << command;
  }
  return std::istringstream(text);
}

}  // namespace nandi::checker
