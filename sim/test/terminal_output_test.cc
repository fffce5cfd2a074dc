#include "nandi/sim/terminal_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace nandi::sim {
namespace {

TEST(TerminalOutput, ALineThatFitsStaysAsItIs) {
  EXPECT_EQ(laid_out("  property  holds  1 seed", {25, false}), "  property  holds  1 seed");
  EXPECT_EQ(laid_out("", {25, false}), "");
}

TEST(TerminalOutput, AWideLineGoesOnUnderItsLastColumn) {
  EXPECT_EQ(laid_out("  one  unknown  it was never put to the test at all", {32, false}),
            "  one  unknown  it was never put\n"
            "                to the test at\n"
            "                all");
  EXPECT_EQ(laid_out("a sentence that has no columns", {20, false}),
            "a sentence that has\n  no columns");
}

TEST(TerminalOutput, NoLineIsWiderThanTheTerminalUnlessOneWordIs) {
  const std::string text =
      "  a  b  " + std::string(40, 'x') + " some words that follow the long one";
  std::istringstream lines(laid_out(text, {30, false}));
  for (std::string line; std::getline(lines, line);) {
    if (line.find('x') != std::string::npos) continue;
    EXPECT_LE(line.size(), 30U) << line;
  }
}

TEST(TerminalOutput, ACommandStaysWholeSoThatItCanBeCopied) {
  const std::string text = "  again: nandi-sim scenarios/scale-up.yaml --seed 17 --for 60s";
  EXPECT_EQ(laid_out(text, {30, false}), text);
}

TEST(TerminalOutput, TheVerdictOfALineIsColouredWhereColoursAreWanted) {
  EXPECT_EQ(laid_out("a: violated (1 seed)", {80, true}), "a: \x1b[1;31mviolated\x1b[0m (1 seed)");
  EXPECT_EQ(laid_out("  a  holds  all of b: violated", {80, true}),
            "  a  \x1b[1;32mholds\x1b[0m  all of b: violated");
  EXPECT_EQ(laid_out("a worker holds it", {80, true}), "a worker holds it");
  EXPECT_EQ(laid_out("a: unknown", {80, false}), "a: unknown");
}

TEST(TerminalOutput, ColoursAndCharactersOfSeveralBytesTakeTheRoomThatIsSeen) {
  EXPECT_EQ(laid_out("\x1b[1;32mholds\x1b[0m 123456789 äöü", {20, true}),
            "\x1b[1;32mholds\x1b[0m 123456789 äöü")
      << "19 columns";
}

}  // namespace
}  // namespace nandi::sim
