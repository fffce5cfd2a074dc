#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "nandi/checker/proof/prove.h"

namespace nandi::checker::proof {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "nandi-smt2-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  std::string output;
  char buffer[256];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) output += buffer;
  return output;
}

std::string answer_of_cvc5(const fs::path& file) {
  const std::string output = output_of("cvc5 --tlimit=60000 '" + file.string() + "' 2>&1");
  return output.substr(0, output.find('\n'));
}

std::string declared_status(const fs::path& file) {
  std::ifstream in(file);
  const std::string start = "(set-info :status ";
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(start, 0) == 0) return line.substr(start.size(), line.size() - start.size() - 1);
  }
  return "none";
}

TEST(ProofSecondSolver, Cvc5AgreesWithZ3OnEveryFile) {
  if (output_of("command -v cvc5").empty()) GTEST_SKIP() << "cvc5 is not installed";
  const TemporaryDirectory directory;
  ProveOptions options;
  options.smt2_directory = directory.path() / "made" / "on demand";
  const ProofReport report = prove(options);
  ASSERT_EQ(report.verdict(), sim::Verdict::holds);

  // One file for each lemma, its consistency and each hypothesis left out; two for an edge.
  std::size_t expected = 0;
  for (const LemmaReport& lemma : report.lemmas) expected += 2 + lemma.hypotheses.size();
  std::size_t files = 0;
  std::size_t refuted = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(options.smt2_directory)) {
    ++files;
    const std::string status = declared_status(entry.path());
    refuted += status == "unsat" ? 1U : 0U;
    EXPECT_EQ(answer_of_cvc5(entry.path()), status) << entry.path().filename();
  }
  EXPECT_GT(files, expected + report.edges.size());
  EXPECT_GT(refuted, report.lemmas.size() + report.edges.size() - 1);
}

// The comparison can fail: a file with the wrong status is told from a right one.
TEST(ProofSecondSolver, AWrongStatusIsNoticed) {
  if (output_of("command -v cvc5").empty()) GTEST_SKIP() << "cvc5 is not installed";
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "wrong.smt2";
  std::ofstream(file) << "(set-logic QF_LRA)\n(set-info :status sat)\n(declare-const x Real)\n"
                         "(assert (< x x))\n(check-sat)\n";
  EXPECT_EQ(declared_status(file), "sat");
  EXPECT_NE(answer_of_cvc5(file), "sat");
}

}  // namespace
}  // namespace nandi::checker::proof
