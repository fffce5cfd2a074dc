#include "nandi/sim/partition/text_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

namespace nandi::sim {

namespace {

__extension__ using Wide = unsigned __int128;

// Code points, for text with a few non-ASCII letters.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) : aligns_(header.size(), Align::right) {
  if (!aligns_.empty()) aligns_[0] = Align::left;
  rows_.push_back(std::move(header));
}

TextTable& TextTable::align(std::size_t column, Align align) {
  aligns_.at(column) = align;
  return *this;
}

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == aligns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string(std::size_t indent) const {
  std::vector<std::size_t> widths(aligns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], shown_width(row[c]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string fill(widths[c] - shown_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += aligns_[c] == Align::right ? fill + row[c] : row[c] + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string rounded(std::uint64_t numerator, std::uint64_t denominator, unsigned digits) {
  assert(denominator > 0 && digits <= 6);
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < digits; ++i) scale *= 10;
  const Wide twice = static_cast<Wide>(numerator) * scale * 2 + denominator;
  const auto units = static_cast<std::uint64_t>(twice / (static_cast<Wide>(denominator) * 2));
  if (digits == 0) return fmt::format("{}", units);
  return fmt::format("{}.{:0{}}", units / scale, units % scale, digits);
}

std::string grouped(std::uint64_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace nandi::sim
