// Tables of text with aligned columns, and decimals that are rounded from exact fractions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nandi::sim {

class TextTable {
 public:
  enum class Align : std::uint8_t { left, right };

  // The first column is aligned to the left, the others to the right.
  explicit TextTable(std::vector<std::string> header);

  TextTable& align(std::size_t column, Align align);
  // Precondition: as many cells as the header has.
  void add_row(std::vector<std::string> cells);

  // Each line begins with `indent` spaces and ends with a newline; none ends with spaces.
  std::string to_string(std::size_t indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<Align> aligns_;
};

// numerator/denominator with `digits` decimals, halves rounded up: 1175/1000 with two is "1.18".
// Precondition: denominator > 0, digits <= 6, numerator below 2^63.
std::string rounded(std::uint64_t numerator, std::uint64_t denominator, unsigned digits);

// 12000 is "12,000".
std::string grouped(std::uint64_t value);

}  // namespace nandi::sim
