// A folder for a run: files that are written together.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace nandi::reports {

struct FolderFile {
  std::string name;
  std::function<void(std::ostream&)> write;
};

/// Makes the folder where it is missing and writes the files, over those of an earlier run. Throws
/// std::runtime_error that names what could not be written.
void write_folder(const std::filesystem::path& folder, const std::vector<FolderFile>& files);

/// A name for a file or a folder: letters, digits, `.`, `-` and `_` of the text, `-` for others.
[[nodiscard]] std::string file_name_of(const std::string& text);

}  // namespace nandi::reports
