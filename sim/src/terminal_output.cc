#include "nandi/sim/terminal_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace nandi::sim {
namespace {

constexpr std::string_view kEscape = "\x1b[";

/// Bytes of the character or of the escape sequence at `at`, and the columns that it takes.
struct Glyph {
  std::size_t bytes;
  std::size_t columns;
};

Glyph glyph_at(std::string_view text, std::size_t at) {
  if (text.substr(at, kEscape.size()) == kEscape) {
    const std::size_t end = text.find('m', at);
    if (end != std::string_view::npos) return {end + 1 - at, 0};
  }
  std::size_t bytes = 1;
  while (at + bytes < text.size() && (static_cast<unsigned char>(text[at + bytes]) & 0xc0) == 0x80)
    ++bytes;
  return {bytes, 1};
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Glyph glyph = glyph_at(text, at);
    columns += glyph.columns;
    at += glyph.bytes;
  }
  return columns;
}

/// Where the line's last column begins that leaves most of the width to what goes on below it.
std::size_t hanging(std::string_view line, std::size_t width) {
  std::size_t indent = std::min(line.find_first_not_of(' '), width / 2);
  std::size_t begin = indent;
  std::size_t column = 0;
  std::size_t blanks = 0;
  for (std::size_t at = 0; at < line.size();) {
    const Glyph glyph = glyph_at(line, at);
    if (line[at] == ' ') {
      ++blanks;
    } else if (glyph.columns > 0) {
      if (blanks >= 2 && column > indent && column <= width / 2) begin = column;
      blanks = 0;
    }
    column += glyph.columns;
    at += glyph.bytes;
  }
  return begin == indent ? std::min(indent + 2, width / 2) : begin;
}

bool names_a_command(std::string_view line) {
  for (const std::string_view program : {"nandi-sim ", "nandi-check ", "nandi-worker "}) {
    if (line.find(program) != std::string_view::npos) return true;
  }
  return false;
}

/// "name: holds" and "  name  holds  ...": a verdict that stands in a place of its own.
std::string coloured(std::string_view line) {
  struct Word {
    std::string_view name;
    std::string_view colour;
  };
  constexpr Word kWords[] = {{"holds", "32"}, {"violated", "31"}, {"unknown", "33"}};
  std::size_t first = std::string_view::npos;
  const Word* found = nullptr;
  for (const Word& word : kWords) {
    for (std::size_t at = line.find(word.name); at != std::string_view::npos && at < first;
         at = line.find(word.name, at + 1)) {
      if (at < 2) continue;
      const std::string_view before = line.substr(at - 2, 2);
      const std::size_t end = at + word.name.size();
      const bool ends = end == line.size() || line.find_first_of(" ,;:.(", end) == end;
      if (!ends || (before != "  " && before != ": ")) continue;
      first = at;
      found = &word;
    }
  }
  if (found == nullptr) return std::string(line);
  return std::string(line.substr(0, first)) + "\x1b[1;" + std::string(found->colour) + "m" +
         std::string(found->name) + "\x1b[0m" +
         std::string(line.substr(first + found->name.size()));
}

}  // namespace

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

TerminalLayout stdout_layout() {
  TerminalLayout layout;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) layout.width = size.ws_col;
  const char* no_colour = std::getenv("NO_COLOR");
  layout.use_colour = (no_colour == nullptr || *no_colour == '\0') && stdout_is_terminal();
  return layout;
}

std::string laid_out(std::string_view line, const TerminalLayout& layout) {
  const bool is_coloured = line.find(kEscape) != std::string_view::npos;
  const std::string painted =
      layout.use_colour && !is_coloured ? coloured(line) : std::string(line);
  const auto width = static_cast<std::size_t>(std::max(layout.width, 20));
  if (columns_of(painted) <= width || names_a_command(painted)) return painted;
  const std::size_t hang = hanging(painted, width);
  std::string out;
  std::size_t column = 0;  // of the end of what is written
  std::size_t at = 0;
  bool is_first = true;
  while (at < painted.size()) {
    const std::size_t word = std::min(painted.find_first_not_of(' ', at), painted.size());
    const std::size_t end = std::min(painted.find(' ', word), painted.size());
    const std::size_t blanks = word - at;
    const std::string_view text = std::string_view(painted).substr(word, end - word);
    const std::size_t needed = columns_of(text);
    if (!is_first && column + blanks + needed > width && column > hang) {
      out += '\n' + std::string(hang, ' ');
      column = hang;
    } else {
      out.append(blanks, ' ');
      column += blanks;
    }
    out += text;
    column += needed;
    at = end;
    is_first = false;
  }
  return out;
}

TerminalOutput::TerminalOutput() : lines_(*std::cout.rdbuf(), stdout_layout()) {
  if (stdout_is_terminal()) before_ = std::cout.rdbuf(&lines_);
}

TerminalOutput::~TerminalOutput() {
  std::cout.flush();
  if (before_ != nullptr) std::cout.rdbuf(before_);
}

bool TerminalOutput::Lines::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return under_.sputn(text.data(), size) == size;
}

TerminalOutput::Lines::int_type TerminalOutput::Lines::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  if (traits_type::to_char_type(c) != '\n') {
    line_ += traits_type::to_char_type(c);
    return c;
  }
  const bool is_written = put(laid_out(line_, layout_) + '\n');
  line_.clear();
  return is_written ? c : traits_type::eof();
}

int TerminalOutput::Lines::sync() {
  const bool is_written = put(line_);
  line_.clear();
  return is_written && under_.pubsync() == 0 ? 0 : -1;
}

}  // namespace nandi::sim
