// For tests of nandi-check's command: files of their own in a directory that is gone afterwards,
// and what the command wrote.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "nandi/checker/check_command.h"

namespace nandi::checker {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class CommandFixture : public testing::Test {
 protected:
  CommandFixture() {
    std::string name = (std::filesystem::temp_directory_path() / "nandi_check_XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~CommandFixture() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }
  CheckRequest request_of(const std::string& text) {
    CheckRequest request;
    request.files = {file("file.yaml", text)};
    return request;
  }
  int run(const CheckRequest& request) {
    out_.str("");
    err_.str("");
    return run_checks(request, out_, err_);
  }

  std::filesystem::path directory_;
  std::ostringstream out_;
  std::ostringstream err_;
};

}  // namespace nandi::checker
