// Whether the states of a checkpoint are those of a model: what a search that goes on from a file
// (search.h) asks once it has read it.
//
// A checksum says that a file is as it was written, not that it was written by this program and
// for this model, whatever its identity says. So each state has to be found before those that it
// was found by, which also ends every path; and a sample of them, all where there are few, has to
// be packed as this model packs them and be in the set once, with the successors of those that
// count as expanded.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "nandi/checker/checkpoint.h"
#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

template <Model M, class Store>
class ResumedStates {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  // `path` names the file in errors.
  ResumedStates(const M& model, const Store& visited, std::string path)
      : model_(model), visited_(visited), path_(std::move(path)), packed_(visited.width()) {}

  // Throws CheckpointError for states that are not the model's. Those before `next` are expanded.
  void require_of_model(std::uint64_t next) {
    const std::uint64_t size = visited_.size();
    for (std::uint64_t i = 0; i < size; ++i) {
      const StateIndex parent = visited_.parent(static_cast<StateIndex>(i));
      require(parent == kNoState || parent < std::min(i, next));
    }
    model_.for_each_initial([this](const State& state) { require_known(state); });
    // Fingerprints alone do not say which state they are of.
    const std::uint64_t first = Store::kIsExact ? 0 : next;
    const std::uint64_t step = (size - first) / kSample + 1;
    for (std::uint64_t i = first; i < size; i += step) {
      const auto index = static_cast<StateIndex>(i);
      State state;
      model_.decode(visited_.packed(index), state);
      require(find(state) == index &&
              std::equal(packed_.begin(), packed_.end(), visited_.packed(index)));
      if (i >= next) continue;
      model_.for_each_successor(
          state, [this](const Action&, const State& after) { require_known(after); });
    }
  }

 private:
  static constexpr std::uint64_t kSample = 64;

  StateIndex find(const State& state) {
    model_.encode(state, packed_.data());
    return visited_.find(packed_.data(), visited_.hash(packed_.data()));
  }
  void require_known(const State& state) { require(find(state) != kNoState); }
  void require(bool is_own) const {
    if (is_own) return;
    throw CheckpointError(fmt::format(
        "checkpoint {}: its states are not those of this model; it was written by another "
        "version of the program: start without --resume",
        path_));
  }

  const M& model_;
  const Store& visited_;
  std::string path_;
  // Scratch for one key.
  std::vector<std::uint64_t> packed_;
};

}  // namespace nandi::checker
