#include "ranks/following_rank.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "nandi/sim/campaign_state.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"
#include "ranks/block_threads.h"

namespace nandi::sim {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(1);

Scenario scenario_of(const BeginCampaign& message) {
  const std::string name = "the scenario from rank 0";
  Scenario scenario = read_scenario(yaml::Document::parse(message.scenario, name));
  CampaignOptions options;
  options.seeds = message.seeds;
  options.length = message.length;
  if (campaign_fingerprint(scenario, options) != message.fingerprint) {
    throw std::logic_error(
        "the scenario from rank 0 reads as another one; all ranks must run the "
        "same nandi-sim");
  }
  return scenario;
}

RunOptions run_options_of(const BeginCampaign& message, const std::atomic<bool>& stop) {
  RunOptions options;
  options.length = message.length;
  options.stop = &stop;
  return options;
}

}  // namespace

/// Seeds to run, threads that run them, and what they have to tell rank 0.
class FollowingRank::Campaign {
 public:
  explicit Campaign(const BeginCampaign& message)
      : number_(message.campaign),
        simulator_(scenario_of(message)),
        threads_(simulator_, message.jobs, run_options_of(message, stop_),
                 {[this] { return take(); },
                  [this](CampaignBlock block, std::chrono::nanoseconds spent) {
                    tell(BlockDone{number_, spent, std::move(block)});
                  },
                  [this](const std::exception_ptr& failure) { tell_failure(failure); }}) {}
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign() { stop(); }

  [[nodiscard]] std::uint64_t number() const { return number_; }

  void add(SeedRange seeds) {
    const std::lock_guard lock(mutex_);
    seeds_.push_back(seeds);
    changed_.notify_one();
  }
  /// What the threads found is there afterwards.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    threads_.join();
  }
  /// The next message for rank 0.
  std::optional<std::string> told() {
    const std::lock_guard lock(mutex_);
    if (told_.empty()) return std::nullopt;
    std::string text = std::move(told_.front());
    told_.pop_front();
    return text;
  }

 private:
  std::optional<SeedRange> take() {
    tell(WantSeeds{number_});
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_.load() || !seeds_.empty(); });
    if (stop_.load()) return std::nullopt;
    const SeedRange seeds = seeds_.front();
    seeds_.pop_front();
    return seeds;
  }
  void tell(const RankMessage& message) {
    std::string text = encode(message);
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(text));
  }
  void tell_failure(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      tell(RankFailed{error.what()});
    }
  }

  const std::uint64_t number_;
  Simulator simulator_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SeedRange> seeds_;
  std::deque<std::string> told_;  ///< encoded by the threads
  BlockThreads threads_;          ///< last: they use all of the above
};

FollowingRank::FollowingRank(RankLink& link, const std::atomic<bool>& stop)
    : link_(link), stop_(stop) {}
FollowingRank::~FollowingRank() = default;

void FollowingRank::serve() {
  try {
    for (;;) {
      bool is_idle = !send_found();
      if (stop_.load() && !stop_told_) {
        stop_told_ = true;
        send(StopAsked{});
      }
      if (const std::optional<Incoming> incoming = link_.receive()) {
        const std::optional<RankMessage> message = decode(incoming->text);
        if (!message) throw std::logic_error("what rank 0 sent is no message of this version");
        if (!take(*message)) return;
        is_idle = false;
      }
      if (is_idle) std::this_thread::sleep_for(kBetweenLooks);
    }
  } catch (const std::exception& error) {
    send(RankFailed{error.what()});
  }
}

bool FollowingRank::take(const RankMessage& message) {
  if (const auto* begin_campaign = std::get_if<BeginCampaign>(&message)) {
    campaign_ = std::make_unique<Campaign>(*begin_campaign);
  } else if (const auto* run = std::get_if<RunSeeds>(&message)) {
    if (campaign_ && campaign_->number() == run->campaign) campaign_->add(run->seeds);
  } else if (const auto* stop = std::get_if<StopCampaign>(&message)) {
    if (campaign_ && campaign_->number() == stop->campaign) {
      campaign_->stop();
      send_found();
    }
    send(CampaignStopped{stop->campaign});
  } else if (std::holds_alternative<EndRank>(message)) {
    return false;
  } else {
    throw std::logic_error("rank 0 sent what only a following rank may");
  }
  return true;
}

bool FollowingRank::send_found() {
  bool has_sent = false;
  while (campaign_) {
    std::optional<std::string> text = campaign_->told();
    if (!text) break;
    link_.send(0, std::move(*text));
    has_sent = true;
  }
  return has_sent;
}

void FollowingRank::send(const RankMessage& message) { link_.send(0, encode(message)); }

}  // namespace nandi::sim
