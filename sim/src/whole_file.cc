#include "nandi/sim/whole_file.h"

#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace nandi::sim {

void replace_file(const std::filesystem::path& path, std::string_view contents) {
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
