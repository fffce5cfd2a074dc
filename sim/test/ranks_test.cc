// Campaigns on several ranks are campaigns: the same result, nothing twice, and no rank waits for
// what does not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <sstream>

#include "campaign_block.h"
#include "nandi/sim/campaign_state.h"
#include "nandi/sim/judgement.h"
#include "ranks/leading_rank.h"
#include "swarm_scenario.h"
#include "test_ranks.h"

namespace nandi::sim {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kLongGrace(20'000);

Scenario failing_scenario() {
  Scenario scenario = swarm_scenario();
  scenario.rules.agreement = 1;  // some seeds violate, so that tallies have texts
  return scenario;
}

CampaignOptions options_of(std::uint64_t last) {
  CampaignOptions options;
  options.seeds = {1, last};
  return options;
}

/// Everything that a result is made of.
std::string text_of_result(const CampaignResult& result) {
  std::ostringstream text;
  write_campaign_state(text, 0, {0, result.trace_hash, result, {}});
  return text.str() + (result.interrupted ? "interrupted" : "");
}

CampaignResult run_on(TestPost& post, const Scenario& scenario, const CampaignOptions& options,
                      milliseconds grace = kLongGrace) {
  const TestFollowers followers(post);
  TestLink link(post, 0);
  LeadingRank leading(link, grace);
  struct End {
    LeadingRank& leading;
    ~End() { leading.end(); }
  } const end{leading};
  return leading.run(Simulator(scenario), options);
}

std::string failure_on(TestPost& post, const CampaignOptions& options) {
  try {
    static_cast<void>(run_on(post, failing_scenario(), options, milliseconds(200)));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

/// The seeds of the blocks that other ranks sent.
class SentSeeds {
 public:
  explicit SentSeeds(TestPost& post) {
    post.tamper = [this](int, int, std::string text) {
      const std::optional<RankMessage> message = decode(text);
      const auto* done = message ? std::get_if<BlockDone>(&*message) : nullptr;
      if (done == nullptr) return text;
      for (std::uint64_t seed = done->block.seeds.first; seed <= done->block.seeds.last; ++seed) {
        if (!seeds.insert(seed).second) ADD_FAILURE() << "seed " << seed << " ran twice";
      }
      return text;
    };
  }
  std::set<std::uint64_t> seeds;
};

/// On a loaded machine rank 0 may have done everything before another one starts: then once more.
constexpr int kTries = 200;

TEST(Ranks, AnyNumberOfThemGivesTheResultOfOne) {
  constexpr std::uint64_t kLast = 4000;
  const CampaignResult one = run_campaign(Simulator(failing_scenario()), options_of(kLast));
  ASSERT_GT(one.runs_violated, CampaignResult::kFailingSeeds);
  for (const int ranks : {1, 2, 5}) {
    for (const unsigned jobs : {1U, 3U}) {
      bool have_shared = false;
      for (int tries = 0; tries < kTries && !have_shared; ++tries) {
        TestPost post(ranks);
        const SentSeeds sent(post);
        CampaignOptions options = options_of(kLast);
        options.jobs = jobs;
        const CampaignResult several = run_on(post, failing_scenario(), options);
        EXPECT_EQ(text_of_result(several), text_of_result(one)) << ranks << " ranks, " << jobs;
        have_shared = ranks == 1 || !sent.seeds.empty();
      }
      EXPECT_TRUE(have_shared) << "the others did nothing";
    }
  }
}

/// The state of a campaign of which one early block of rank 1 was lost, and nothing else.
class LostBlock {
 public:
  static constexpr std::uint64_t kLast = 300;

  LostBlock() {
    for (int tries = 0; tries < kTries && lost_.load() == 0; ++tries) run();
  }

  SeedRange seeds;
  CampaignPart state;
  CampaignResult result;

 private:
  void run() {
    TestPost post(3);
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> found{0};
    const auto stop_at_the_end = [&] {
      if (lost_.load() > 0 && found.load() + lost_.load() == kLast) stop = true;
    };
    post.tamper = [&](int from, int, std::string text) {
      const std::optional<RankMessage> message = decode(text);
      const auto* done = message ? std::get_if<BlockDone>(&*message) : nullptr;
      if (done == nullptr || from != 1 || lost_.load() > 0) return text;
      seeds = done->block.seeds;
      lost_ = done->block.result.runs;
      stop_at_the_end();
      return std::string();
    };
    CampaignOptions options = options_of(kLast);
    options.stop = &stop;
    options.progress = [&](const CampaignProgress& progress) {
      found = progress.done;
      stop_at_the_end();
    };
    options.save = [&](const CampaignPart& part) { state = part; };
    result = run_on(post, failing_scenario(), options);
  }

  std::atomic<std::uint64_t> lost_{0};
};

TEST(Ranks, WhatWasFoundOutOfTurnIsSavedAndNotRunAgain) {
  const LostBlock lost;
  EXPECT_TRUE(lost.result.interrupted);
  EXPECT_EQ(lost.result.runs + lost.seeds.last - lost.seeds.first + 1, LostBlock::kLast);
  EXPECT_EQ(lost.state.next, lost.seeds.first);
  // In a row they are one, and the lost one may have been the last.
  ASSERT_EQ(lost.state.ahead.size(), lost.seeds.last == LostBlock::kLast ? 0U : 1U);
  if (!lost.state.ahead.empty()) {
    EXPECT_EQ(lost.state.ahead.front().seeds, (SeedRange{lost.seeds.last + 1, LostBlock::kLast}));
  }

  const Scenario scenario = failing_scenario();
  std::stringstream file;
  write_campaign_state(file, 7, lost.state);
  const CampaignPart part = read_campaign_state(file, "state", 7);
  const Simulator simulator(scenario);
  const std::string whole = text_of_result(run_campaign(simulator, options_of(LostBlock::kLast)));
  std::uint64_t runs = 0;
  CampaignOptions options = options_of(LostBlock::kLast);
  options.resume = &part;
  options.progress = [&](const CampaignProgress&) { ++runs; };
  EXPECT_EQ(text_of_result(run_campaign(simulator, options)), whole);
  EXPECT_EQ(runs, lost.seeds.last - lost.seeds.first + 1);
  options.progress = nullptr;
  TestPost post(2);
  const SentSeeds sent(post);
  EXPECT_EQ(text_of_result(run_on(post, scenario, options)), whole);
  for (const std::uint64_t seed : sent.seeds) {
    EXPECT_TRUE(seed >= lost.seeds.first && seed <= lost.seeds.last) << seed << " ran again";
  }
}

TEST(Ranks, AStopEndsAllWithWhatWasFoundAndTheRestIsRunLater) {
  constexpr std::uint64_t kMany = 1'000'000'000;
  for (const bool is_of_a_follower : {false, true}) {
    TestPost post(3);
    SentSeeds sent(post);
    std::atomic<bool> stop{false};
    CampaignOptions options = options_of(kMany);
    options.stop = &stop;
    CampaignPart part;
    options.save = [&](const CampaignPart& saved) { part = saved; };
    CampaignResult result;
    {
      TestFollowers followers(post);
      options.progress = [&](const CampaignProgress& progress) {
        if (progress.done >= 500) (is_of_a_follower ? followers.stop : stop) = true;
      };
      TestLink link(post, 0);
      LeadingRank leading(link, kLongGrace);
      result = leading.run(Simulator(failing_scenario()), options);
      leading.end();
    }
    EXPECT_TRUE(result.interrupted);
    EXPECT_GE(result.runs, 500U);
    std::uint64_t saved = part.result.runs;
    for (const CampaignBlock& block : part.ahead) saved += block.result.runs;
    EXPECT_GE(result.runs, saved);
    EXPECT_LE(result.runs, saved + 3) << "but half a run of each thread, all that ran is saved";
    EXPECT_EQ(judge(failing_scenario(), result).verdict, Verdict::violated);
  }
}

TEST(Ranks, ARankThatDiesIsNotWaitedFor) {
  TestPost post(3);
  std::atomic<bool> stop{false};
  post.tamper = [](int from, int, std::string text) { return from == 1 ? "" : text; };
  CampaignOptions options = options_of(1'000'000'000);
  options.stop = &stop;
  options.progress = [&](const CampaignProgress& progress) {
    if (progress.done >= 100) stop = true;
  };
  const CampaignResult result = run_on(post, failing_scenario(), options, milliseconds(100));
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.runs, 100U);
}

TEST(Ranks, SeveralCampaignsFollowEachOther) {
  TestPost post(3);
  const TestFollowers followers(post);
  TestLink link(post, 0);
  LeadingRank leading(link, kLongGrace);
  const Simulator failing(failing_scenario());
  const Simulator holding(swarm_scenario());
  for (const std::uint64_t last : {90U, 1U, 50U}) {
    for (const Simulator* simulator : {&failing, &holding}) {
      EXPECT_EQ(text_of_result(leading.run(*simulator, options_of(last))),
                text_of_result(run_campaign(*simulator, options_of(last))));
    }
  }
  CampaignOptions shorter = options_of(60);
  shorter.length = Duration(12 * kNanosecondsPerSecond);
  EXPECT_EQ(text_of_result(leading.run(failing, shorter)),
            text_of_result(run_campaign(failing, shorter)));
  leading.end();
}

/// Changes the first message of this kind that anybody sends.
template <class Kind>
void change_first(TestPost& post, std::function<std::string(std::string, Kind)> change) {
  post.tamper = [change = std::move(change), is_done = false](int, int, std::string text) mutable {
    const std::optional<RankMessage> message = decode(text);
    const Kind* kind = message ? std::get_if<Kind>(&*message) : nullptr;
    if (kind == nullptr || is_done) return text;
    is_done = true;
    return change(text, *kind);
  };
}

TEST(Ranks, WhatIsNoMessageOrNotAskedForIsAnErrorAndNobodyHangs) {
  const CampaignOptions options = options_of(1'000'000'000);
  {
    TestPost post(2);
    change_first<BlockDone>(post, [](const std::string& text, const BlockDone&) {
      return text.substr(0, text.size() / 2);
    });
    EXPECT_THAT(failure_on(post, options), HasSubstr("rank 1 sent"));
  }
  {
    TestPost post(2);
    change_first<RunSeeds>(post, [](const std::string&, const RunSeeds&) { return "hello"; });
    EXPECT_THAT(failure_on(post, options), HasSubstr("rank 1: what rank 0 sent is no message"));
  }
  {
    TestPost post(2);
    change_first<BlockDone>(post, [](const std::string&, BlockDone done) {
      done.block.seeds = {7'000'000, 7'000'000 + done.block.seeds.last - done.block.seeds.first};
      done.block.result.seeds = done.block.seeds;
      return encode(done);
    });
    EXPECT_THAT(failure_on(post, options), HasSubstr("which it was not given"));
  }
  {
    TestPost post(2);
    change_first<BlockDone>(post, [](const std::string&, BlockDone done) {
      done.block.result.faults.pop_back();
      return encode(done);
    });
    EXPECT_THAT(failure_on(post, options), HasSubstr("a block of another scenario"));
  }
  {
    TestPost post(2);
    change_first<WantSeeds>(post,
                            [](const std::string&, const WantSeeds&) { return encode(EndRank{}); });
    EXPECT_THAT(failure_on(post, options), HasSubstr("only the leading rank"));
  }
  {
    TestPost post(2);
    change_first<BeginCampaign>(post, [](const std::string&, BeginCampaign message) {
      ++message.fingerprint;
      return encode(message);
    });
    EXPECT_THAT(failure_on(post, options), HasSubstr("reads as another one"));
  }
}

TEST(Ranks, AFailureOfALeadersThreadIsTheCampaigns) {
  TestPost post(2);
  CampaignOptions options = options_of(1'000'000'000);
  options.save = [](const CampaignPart&) { throw std::runtime_error("no room on the disk"); };
  EXPECT_THROW(static_cast<void>(run_on(post, failing_scenario(), options)), std::runtime_error);
}

TEST(RankMessage, IsReadBackOrRefused) {
  const std::vector<CampaignBlock> blocks =
      run_block(Simulator(failing_scenario()), {3, 40}, RunOptions{});
  ASSERT_EQ(blocks.size(), 1U);
  const std::vector<RankMessage> messages = {
      BeginCampaign{1, 2, {3, 4}, 5, Duration(6), "name: x\n"},
      RunSeeds{1, {7, 7}},
      StopCampaign{1},
      EndRank{},
      WantSeeds{1},
      BlockDone{1, std::chrono::nanoseconds(8), blocks.front()},
      StopAsked{},
      RankFailed{"what\nthat"},
      CampaignStopped{1}};
  for (const RankMessage& message : messages) {
    const std::string text = encode(message);
    const std::optional<RankMessage> again = decode(text);
    ASSERT_TRUE(again) << message.index();
    EXPECT_EQ(again->index(), message.index());
    EXPECT_EQ(encode(*again), text);
    for (std::size_t size = 0; size < text.size(); size += 1 + size / 8) {
      EXPECT_FALSE(decode(std::string_view(text).substr(0, size)));
    }
    std::string damaged = text;
    damaged.back() = damaged.back() == ' ' ? '1' : ' ';
    EXPECT_FALSE(decode(damaged));
  }
  EXPECT_FALSE(decode(""));
  EXPECT_FALSE(decode("nandi-rank 2 0000000000000000\n"));
}

TEST(Blocks, AddUpToTheirCampaignHoweverItIsCut) {
  const Simulator simulator(failing_scenario());
  constexpr std::uint64_t kLast = 120;
  const std::string whole = text_of_result(run_campaign(simulator, options_of(kLast)));
  for (const std::uint64_t size : {1U, 7U, 60U, 1000U}) {
    const CampaignOptions options = options_of(kLast);
    CampaignMerger merger(simulator, options);
    std::vector<CampaignBlock> blocks;
    while (const std::optional<SeedRange> seeds = merger.take(size)) {
      for (CampaignBlock& block : run_block(simulator, *seeds, RunOptions{})) {
        blocks.push_back(std::move(block));
      }
    }
    // The last come first, but for every third.
    for (std::size_t b = blocks.size(); b-- > 0;) {
      if (b % 3 != 0) merger.add(blocks[b]);
    }
    for (std::size_t b = 0; b < blocks.size(); b += 3) merger.add(blocks[b]);
    EXPECT_TRUE(merger.is_complete());
    EXPECT_EQ(text_of_result(merger.finish()), whole) << size;
  }
}

TEST(BlockSizes, AreLongInTheMiddleAndShortTowardsTheEnd) {
  BlockSizes sizes(4);
  EXPECT_EQ(sizes.next(1'000'000), 1U) << "nothing is known";
  sizes.add(10, milliseconds(10));  // 1 ms a seed
  EXPECT_GT(sizes.next(1'000'000), 100U);
  EXPECT_LT(sizes.next(1'000'000), 500U);
  EXPECT_EQ(sizes.next(800), 100U) << "each thread has two more to come";
  EXPECT_EQ(sizes.next(8), 20U) << "below that it gains nothing";
  BlockSizes slow(4);
  slow.add(1, std::chrono::seconds(10));
  EXPECT_EQ(slow.next(1'000), 1U);
}

}  // namespace
}  // namespace nandi::sim
