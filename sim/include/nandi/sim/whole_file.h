// Files that others always find whole: the old contents or the new ones.
#pragma once

#include <filesystem>
#include <string_view>

namespace nandi::sim {

/// Writes beside the file and moves over it. Throws std::runtime_error where that fails.
void replace_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace nandi::sim
