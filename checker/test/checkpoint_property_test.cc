// A search that goes on from a file ends as if it had never stopped; a file that is not whole, or
// not of this search, is refused.
#include "nandi/checker/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rapidcheck/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "models/fischer.h"
#include "models/two_phase_commit.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/word_hash.h"
#include "search_results.h"

namespace nandi::checker {
namespace {

using models::Fischer;
using models::TwoPhaseCommit;
using testing::HasSubstr;

/// A file of this process alone that is gone afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("nandi-checkpoint-" + std::to_string(getpid()) + "-" + name)) {
    std::filesystem::remove(path_);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

ExploreOptions saving_to(const std::string& path, std::uint64_t max_states) {
  ExploreOptions options;
  options.checkpoint.save_to = path;
  options.checkpoint.identity = "the model of this test";
  options.bounds.max_states = max_states;
  return options;
}

ExploreOptions resuming_from(const std::string& path) {
  ExploreOptions options;
  options.checkpoint.resume_from = path;
  options.checkpoint.identity = "the model of this test";
  return options;
}

std::string error_of(const ExploreOptions& options, const TwoPhaseCommit& model) {
  try {
    explore_breadth_first(model, options);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "";
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Checkpoint, ASearchThatABoundEndedGoesOnAsIfUnbroken) {
  const TwoPhaseCommit model(6);
  const auto unbroken = explore_breadth_first(model);
  for (const std::uint64_t states : {1U, 500U, 40'000U}) {
    for (const std::size_t threads : {1U, 3U}) {
      const TemporaryFile file("bound");
      const auto first = explore_breadth_first(model, saving_to(file.path(), states));
      ASSERT_EQ(first.summary.reason, StopReason::max_states);
      ExploreOptions options = resuming_from(file.path());
      options.threads = threads;
      expect_same(model, unbroken, explore_breadth_first(model, options));
    }
  }
}

TEST(Checkpoint, TheViolationIsTheSameAfterAStop) {
  const Fischer model(3, 2, 2);
  const auto unbroken = explore_breadth_first(model);
  ASSERT_EQ(unbroken.summary.verdict, sim::Verdict::violated);
  const TemporaryFile file("violation");
  explore_breadth_first(model, saving_to(file.path(), unbroken.summary.counts.states / 2));
  expect_same(model, unbroken, explore_breadth_first(model, resuming_from(file.path())));
}

TEST(Checkpoint, ASearchByFingerprintsGoesOnToo) {
  const TwoPhaseCommit model(6);
  ExploreOptions options;
  options.fingerprints = true;
  const auto unbroken = explore_breadth_first(model, options);
  const TemporaryFile file("fingerprints");
  options = saving_to(file.path(), 20'000);
  options.fingerprints = true;
  explore_breadth_first(model, options);
  EXPECT_THAT(error_of(resuming_from(file.path()), model), HasSubstr("another form"));
  options = resuming_from(file.path());
  options.fingerprints = true;
  expect_same(model, unbroken, explore_breadth_first(model, options));
}

// The child saves at every round; it is killed without notice once there is a checkpoint.
TEST(Checkpoint, AKilledSearchGoesOnAsIfUnbroken) {
  const TwoPhaseCommit model(8);
  const TemporaryFile file("killed");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ExploreOptions options = saving_to(file.path(), Bounds::kUnbounded);
    options.checkpoint.seconds = 0;
    explore_breadth_first(model, options);
    pause();  // until it is killed
    _exit(0);
  }
  while (!std::filesystem::exists(file.path())) usleep(1000);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::filesystem::remove(file.path() + ".part");
  const auto resumed = explore_breadth_first(model, resuming_from(file.path()));
  expect_same(model, explore_breadth_first(model), resumed);
  EXPECT_EQ(resumed.summary.counts.states, 1'745'408U);
}

TEST(Checkpoint, OneOfAnotherSearchIsRefusedWithBothNames) {
  const TwoPhaseCommit model(6);
  const TemporaryFile file("other");
  explore_breadth_first(model, saving_to(file.path(), 1000));
  ExploreOptions options = resuming_from(file.path());
  options.checkpoint.identity = "something else";
  const std::string error = error_of(options, model);
  EXPECT_THAT(error, HasSubstr("of another search"));
  EXPECT_THAT(error, HasSubstr("the model of this test"));
  EXPECT_THAT(error, HasSubstr("something else"));
  // The same name and width, another model.
  EXPECT_THAT(error_of(resuming_from(file.path()), TwoPhaseCommit(7)),
              HasSubstr("another version of the program"));
}

TEST(Checkpoint, AFileThatIsNoneIsRefused) {
  const TwoPhaseCommit model(3);
  const TemporaryFile file("none");
  EXPECT_THAT(error_of(resuming_from(file.path()), model), HasSubstr("No such file"));
  write(file.path(), "check: {workers: 2}\n and more text than a head has\n");
  EXPECT_THAT(error_of(resuming_from(file.path()), model), HasSubstr("no checkpoint"));
  EXPECT_THAT(error_of(saving_to("/nonexistent/file", 10), model), HasSubstr("cannot be written"));
}

TEST(Checkpoint, OneThatIsLargerThanTheBoundsIsRefused) {
  const TwoPhaseCommit model(6);
  const TemporaryFile file("bounds");
  explore_breadth_first(model, saving_to(file.path(), 20'000));
  ExploreOptions options = resuming_from(file.path());
  options.bounds.max_states = 10;
  EXPECT_THAT(error_of(options, model), HasSubstr("more than the bounds"));
}

/// A small checkpoint to damage.
std::string whole_checkpoint() {
  const TemporaryFile file("whole");
  explore_breadth_first(TwoPhaseCommit(3), saving_to(file.path(), 100));
  return contents(file.path());
}

RC_GTEST_PROP(Checkpoint, ATruncatedFileIsRefused, ()) {
  const std::string whole = whole_checkpoint();
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  const TemporaryFile file("cut");
  write(file.path(), whole.substr(0, length));
  RC_ASSERT(!error_of(resuming_from(file.path()), TwoPhaseCommit(3)).empty());
}

// Where the parents of so many states of `words` words begin, in bytes: behind three words of head,
// the point, the identity and the states.
std::size_t begin_of_parents(std::size_t states, std::size_t words) {
  const std::string identity = saving_to("", 1).checkpoint.identity;
  return 24 + sizeof(SearchPoint) + (identity.size() + 7) / 8 * 8 + states * words * 8;
}

std::uint64_t word_at(const std::string& bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

/// With the right checksum at its end, which checkpoint.h does not hand out: a file as another
/// program would have written it.
std::string forged(std::string bytes) {
  std::uint64_t checksum = 0;
  for (std::size_t at = 0; at + 8 < bytes.size(); at += 8) {
    checksum =
        folded_product(checksum ^ word_at(bytes, at), 0xBB67AE8584CAA73B) + 0x9E3779B97F4A7C15;
  }
  std::memcpy(bytes.data() + bytes.size() - 8, &checksum, 8);
  return bytes;
}

// A state that was found by itself has a path without an end.
TEST(Checkpoint, AFileWithTheRightChecksumAndAParentThatComesLaterIsRefused) {
  const TwoPhaseCommit model(3);
  const TemporaryFile file("forged");
  explore_breadth_first(model, saving_to(file.path(), 100));
  const std::string whole = contents(file.path());
  ASSERT_EQ(forged(whole), whole);
  const std::size_t states = word_at(whole, 24 + 3 * 8);
  ASSERT_GT(states, 10U);
  std::string damaged = whole;
  const std::uint32_t itself = 9;
  std::memcpy(damaged.data() + begin_of_parents(states, model.words()) + 4 * itself, &itself, 4);
  write(file.path(), forged(damaged));
  EXPECT_THAT(error_of(resuming_from(file.path()), model), HasSubstr("not those of this model"));
}

RC_GTEST_PROP(Checkpoint, AFileWithOneOtherByteIsRefused, ()) {
  std::string damaged = whole_checkpoint();
  const auto at = *rc::gen::inRange<std::size_t>(0, damaged.size());
  damaged[at] = static_cast<char>(damaged[at] ^ (1 << *rc::gen::inRange(0, 8)));
  const TemporaryFile file("damaged");
  write(file.path(), damaged);
  RC_ASSERT(!error_of(resuming_from(file.path()), TwoPhaseCommit(3)).empty());
}

}  // namespace
}  // namespace nandi::checker
