#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "nandi/checker/proof/prove_command.h"
#include "redis_server.h"

namespace nandi::checker {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

Ran run(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_prove_command(args, out, err);
  return {status, out.str(), err.str()};
}

TEST(ProveCommand, JsonSaysWhatIsProvedAndWhatEachHypothesisIsFor) {
  const Ran ran = run({"--json", "-"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, IsEmpty());
  const nlohmann::json report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["verdict"], "holds");
  EXPECT_GT(report["edges"].size(), 50U);
  bool found = false;
  for (const nlohmann::json& lemma : report["lemmas"]) {
    EXPECT_EQ(lemma["outcome"], "proved") << lemma["name"];
    if (lemma["name"] != "theorem-index-exclusive") continue;
    found = true;
    for (const nlohmann::json& hypothesis : lemma["hypotheses"]) {
      EXPECT_EQ(hypothesis.contains("without"), hypothesis["need"] == "needed");
    }
  }
  EXPECT_TRUE(found);
}

TEST(ProveCommand, InterruptedBeforeItBeginsHasDecidedNothing) {
  const std::atomic<bool> stop{true};
  std::ostringstream out;
  std::ostringstream err;
  const std::vector<std::string> args;
  EXPECT_EQ(run_prove_command(args, out, err, &stop), 2);
  EXPECT_THAT(out.str(), HasSubstr("unknown (interrupted; so far 0 of 0 lemmas proved"));
}

/// The solver takes the signal for itself unless it is told not to. One that comes too late finds
/// the proof done, which is tried again with less patience.
TEST(ProveCommand, TheFirstSigintEndsTheProgramWithWhatItHas) {
  using test::ChildProcess;
  const test::ScratchDirectory directory;
  int status = 0;
  for (const auto patience : {std::chrono::milliseconds(400), std::chrono::milliseconds(20)}) {
    ChildProcess proof({NANDI_CHECK_PROGRAM, "prove"}, directory.path(),
                       "proof" + std::to_string(patience.count()));
    // Before its handler is there the signal would just kill it.
    const std::string path = "/proc/" + std::to_string(proof.pid()) + "/status";
    const auto is_ready = [&path] {
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("SigCgt:")) continue;
        return (std::stoull(line.substr(7), nullptr, 16) & (1ULL << (SIGINT - 1))) != 0;
      }
      return false;
    };
    while (!proof.ended() && !is_ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(patience);
    proof.signal(SIGINT);
    status = proof.wait();
    std::stringstream text;
    text << std::ifstream(directory.path() + "/proof" + std::to_string(patience.count()) + ".log")
                .rdbuf();
    if (status == 0) continue;
    EXPECT_THAT(text.str(), HasSubstr("unknown (interrupted; so far "));
    break;
  }
  EXPECT_EQ(status, 2);
}

TEST(ProveCommand, TextEndsWithTheVerdictAndItsEvidence) {
  const Ran ran = run({"--edges"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("proved theorem-index-exclusive"));
  EXPECT_THAT(ran.out, HasSubstr("needed     counter-unique"));
  EXPECT_THAT(ran.out, HasSubstr("not needed equal-gap"));
  EXPECT_THAT(ran.out, HasSubstr("g = 0.4, n <= 100"));
  EXPECT_THAT(ran.out, HasSubstr("\nholds ("));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("NOT as claimed")));
}

TEST(ProveCommand, ListNamesLemmasWithoutProvingThem) {
  const Ran ran = run({"--list"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("theorem-index-exclusive\n"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("proved ")));
}

TEST(ProveCommand, HelpNamesEveryFlag) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.status, 0);
  for (const char* flag : {"--edges", "--smt2", "--json", "--list", "--help"}) {
    EXPECT_THAT(ran.out, HasSubstr(flag));
  }
}

TEST(ProveCommand, UnknownArgumentIsAUsageErrorThatNamesIt) {
  const Ran ran = run({"--egdes"});
  EXPECT_EQ(ran.status, 64);
  EXPECT_THAT(ran.err, HasSubstr("--egdes"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(ProveCommand, FlagWithoutItsValueIsAUsageError) {
  EXPECT_EQ(run({"--smt2"}).status, 64);
  EXPECT_EQ(run({"--json", ""}).status, 64);
}

TEST(ProveCommand, UnwritableJsonFileIsRefusedBeforeTheProof) {
  const Ran ran = run({"--json", "/nonexistent/report.json"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("/nonexistent/report.json"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST(ProveCommand, UnwritableSmt2DirectoryIsABadFile) {
  const Ran ran = run({"--smt2", "/dev/null/queries"});
  EXPECT_EQ(ran.status, 65);
  EXPECT_THAT(ran.err, HasSubstr("/dev/null/queries"));
}

}  // namespace
}  // namespace nandi::checker
