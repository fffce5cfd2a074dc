// Files that others always find whole: the old contents or the new ones.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace nandi::sim {

/// Files that people write are smaller.
inline constexpr std::size_t kLargestFile = std::size_t{16} * 1024 * 1024;

/// What is in a file. Throws yaml::LoadError where it cannot be read or is larger than
/// kLargestFile.
[[nodiscard]] std::string whole_file(const std::filesystem::path& path);

/// Writes beside the file and moves over it; a link stays one, to the new contents. What is no
/// regular file (a device, a pipe) is written to. Throws std::runtime_error where that fails.
void replace_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace nandi::sim
