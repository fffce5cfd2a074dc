// Does a model's packed form keep all that matters?
//
// A state is explored as its packed form decodes, not as it was produced. That is sound if the two
// cannot be told apart: same packed form, same properties decided, and for every enabled action
// of one an enabled action of the same class of the other, to a successor with the same packed
// form. Checked for every transition between reachable states, this makes equality of packed forms
// a bisimulation, hence the explored graph equivalent to the unpacked one. It looks one step past a
// decoded state: a field that is left out is seen where its absence shows in that step. One whose
// effect stays masked for longer (a reply that is read much later) needs walks over states that
// were never packed, beside it.
//
// Successors are compared by class and packed form, not by action: with a packed form that is
// canonical under symmetry the actions are permuted.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/model.h"
#include "nandi/checker/path.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

template <Model M>
class EncodingAudit {
 public:
  EncodingAudit(const M& model, std::uint64_t max_states, std::uint64_t max_bytes)
      : model_(model), visited_(model.words(), max_states, max_bytes) {}

  // Once: the first difference, described, or nothing.
  std::optional<std::string> run() {
    model_.for_each_initial([this](const State& state) { meet(state, "initially"); });
    for (StateIndex index = 0; index < visited_.size() && !difference_; ++index) {
      State state;
      model_.decode(visited_.key(index), state);
      model_.for_each_successor(state, [&](const typename M::Action& action, const State& next) {
        if (!difference_) {
          meet(next, fmt::format("after {} in {}", model_.describe_action(action),
                                 model_.describe_state(state)));
        }
      });
    }
    return difference_;
  }

 private:
  using State = typename M::State;
  using Key = std::vector<std::uint64_t>;
  using Successors = std::vector<std::pair<std::size_t, Key>>;

  void meet(const State& produced, const std::string& when) {
    const Key key = pack(model_, produced);
    State decoded;
    model_.decode(key.data(), decoded);
    const char* what = nullptr;
    if (pack(model_, decoded) != key) {
      what = "decoding and packing again changes its packed form";
    } else if (model_.decided(decoded) != model_.decided(produced)) {
      what = "decoding changes the properties that it decides";
    } else if (successors(decoded) != successors(produced)) {
      what = "decoding changes its successors";
    }
    if (what != nullptr) {
      difference_ =
          fmt::format("{}: the state is {}, but {}; decoded it is {}", when,
                      model_.describe_state(produced), what, model_.describe_state(decoded));
      return;
    }
    const InsertOutcome outcome =
        visited_.insert(key.data(), visited_.hash(key.data()), kNoState).outcome;
    if (outcome != InsertOutcome::added && outcome != InsertOutcome::known) {
      throw std::length_error("encoding audit: more states than its bounds allow");
    }
  }

  Successors successors(const State& state) const {
    Successors all;
    model_.for_each_successor(state, [&](const typename M::Action& action, const State& next) {
      all.emplace_back(model_.action_class(action), pack(model_, next));
    });
    std::sort(all.begin(), all.end());
    return all;
  }

  const M& model_;
  VisitedSet<0> visited_;
  std::optional<std::string> difference_;
};

// The first difference between a produced state and its decoded packed form over all reachable
// states, or nothing. Throws std::length_error if there are more states than the bounds allow.
template <Model M>
std::optional<std::string> audit_encoding(const M& model, std::uint64_t max_states = 10'000'000,
                                          std::uint64_t max_bytes = std::uint64_t{4} << 30U) {
  return EncodingAudit<M>(model, max_states, max_bytes).run();
}

}  // namespace nandi::checker
