#include "nandi/sim/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "nandi/sim/yaml/document.h"

namespace nandi::sim {

std::string whole_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw yaml::LoadError(path.string(), {}, "this is a directory", "name a file in it");
  }
  std::ifstream input(path, std::ios::binary);
  if (!input) {
    throw yaml::LoadError(path.string(), {},
                          fmt::format("cannot be opened ({})", std::strerror(errno)),
                          "check the name and the permissions");
  }
  std::string text(kLargestFile + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (input.bad()) {
    throw yaml::LoadError(path.string(), {}, "cannot be read",
                          "check the disk and the permissions");
  }
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > kLargestFile) {
    throw yaml::LoadError(path.string(), {}, fmt::format("larger than {} bytes", kLargestFile),
                          "shorten it");
  }
  return text;
}

void replace_file(const std::filesystem::path& path, std::string_view contents) {
  std::error_code unknown;
  if (std::filesystem::is_symlink(path, unknown)) {  // what it points to is replaced, not the link
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, unknown);
    if (!unknown && target != path) return replace_file(target, contents);
  }
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    std::ofstream through(path, std::ios::binary);  // a device or a pipe is written to
    through << contents << std::flush;
    if (!through) throw std::runtime_error("cannot write " + path.string());
    return;
  }
  std::filesystem::path beside = path;
  beside += ".new-" + std::to_string(getpid());
  std::ofstream out(beside, std::ios::binary);
  out << contents;
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(beside, path, failure);
  if (!out || failure) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw std::runtime_error("cannot write " + path.string());
  }
}

}  // namespace nandi::sim
