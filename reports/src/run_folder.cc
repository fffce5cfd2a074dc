#include "nandi/reports/run_folder.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace nandi::reports {

void write_folder(const std::filesystem::path& folder, const std::vector<FolderFile>& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(fmt::format("cannot make the folder {}: {}; name one that may be made",
                                         folder.string(), error.message()));
  }
  for (const FolderFile& file : files) {
    const std::filesystem::path path = folder / file.name;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (out) file.write(out);
    out.flush();
    if (!out) {
      throw std::runtime_error(
          fmt::format("cannot write {}; name a folder that may be written", path.string()));
    }
  }
}

std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    name += is_plain ? c : '-';
  }
  // "." and ".." are no names of their own.
  const bool is_empty = name.find_first_not_of('.') == std::string::npos;
  return is_empty ? "run" : name;
}

}  // namespace nandi::reports
