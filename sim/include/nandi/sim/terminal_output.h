// What a program prints, laid out for the terminal that it is printed on. Pipes and files get the
// text as it is.
//
// Lines that are wider than the terminal go on under their last column, so that tables stay tables;
// a line that names a command to be copied stays whole. Where colours are wanted, the verdict of a
// line has one.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace nandi::sim {

struct TerminalLayout {
  int width = 100;          ///< columns, at least 20
  bool use_colour = false;  ///< on a terminal, unless NO_COLOR is set
};

/// Of the standard output.
[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] TerminalLayout stdout_layout();

/// One line without its newline, as it is printed: with newlines where it goes on. Colours that are
/// in it already are kept and take no room.
[[nodiscard]] std::string laid_out(std::string_view line, const TerminalLayout& layout);

/// While it lives, std::cout is laid out if it is a terminal.
class TerminalOutput {
 public:
  TerminalOutput();
  ~TerminalOutput();
  TerminalOutput(const TerminalOutput&) = delete;
  TerminalOutput& operator=(const TerminalOutput&) = delete;

 private:
  /// Collects a line; what is flushed in the middle of one is printed as it is.
  class Lines : public std::streambuf {
   public:
    Lines(std::streambuf& under, TerminalLayout layout) : under_(under), layout_(layout) {}

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    bool put(std::string_view text);

    std::streambuf& under_;
    TerminalLayout layout_;
    std::string line_;
  };

  std::streambuf* before_ = nullptr;  ///< of std::cout; null where nothing is laid out
  Lines lines_;
};

}  // namespace nandi::sim
