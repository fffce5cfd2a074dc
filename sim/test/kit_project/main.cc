// A property test of the mailer: whatever comes and goes, nobody sends a mail without a lease on
// it.
#include <nandi/sim/simulated_group.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "mailer.h"

namespace {

using namespace std::chrono_literals;
using nandi::sim::GroupVerdict;
using nandi::sim::Verdict;

/// Some trouble, chosen by `draw`, among mailers.
template <class Draw>
GroupVerdict run(std::uint64_t seed, int overhang, Draw draw) {
  nandi::sim::GroupOptions options;
  options.engine.name = "mail-sender";
  options.engine.interval = 5s;
  options.network.request =
      nandi::sim::LognormalDelay{nandi::Duration(400'000), nandi::Duration(5'000'000)};
  options.network.reply = options.network.request;
  options.seed = seed;
  nandi::sim::SimulatedGroup group(options);
  std::deque<Mailer> mailers;
  const auto join = [&] {
    Mailer& mailer = mailers.emplace_back(overhang);
    group.join([&mailer](const nandi::Peer& peer, nandi::sim::ConsumerContext& context) {
      mailer.adopt(peer, context);
    });
  };
  const auto any = [&] { return static_cast<nandi::sim::WorkerId>(draw(mailers.size())); };
  for (int w = 0; w < 3; ++w) join();
  group.run_for(30s);
  for (int step = 0; step < 8; ++step) {
    switch (draw(5)) {
      case 0: join(); break;
      case 1: group.leave(any()); break;
      case 2: group.crash(any()); break;
      case 3: group.hang_store(2s); break;
      default: group.pause(any(), 3s); break;
    }
    group.run_for(std::chrono::milliseconds(draw(20'000)));
  }
  return group.verdict();
}

GroupVerdict drawn(int overhang) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return run(seed, overhang,
             [](std::size_t below) { return *rc::gen::inRange<std::size_t>(0, below); });
}

}  // namespace

int main() {
  const bool right = rc::check("a mailer that drains sends nothing without a lease", [] {
    const GroupVerdict verdict = drawn(0);
    if (verdict.verdict != Verdict::holds) RC_FAIL(verdict.story);
  });
  int caught = 0;
  std::string story;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint64_t state = seed;
    const GroupVerdict verdict = run(seed, 60, [&state](std::size_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<std::size_t>(state >> 33) % below;
    });
    if (verdict.line("touched-under-lease").verdict == Verdict::violated) ++caught;
    if (story.empty()) story = verdict.story;
  }
  std::printf("60 mails too many are caught under %d of 20 seeds; the first:\n%s", caught,
              story.c_str());
  return right && caught == 20 ? 0 : 1;
}
