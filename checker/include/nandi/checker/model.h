// What the explorers explore: a finite transition system with properties.
//
// A model is a value with const member functions; the explorers keep a reference to it and call it
// from one thread. It has two forms of a state:
//   - `State`, the working form: trivially copyable, as roomy as is convenient;
//   - the packed form: `words()` words of 64 bits, the identity of the state. Two states are the
//     same state exactly when their packed forms are equal. BitWriter and BitReader
//     (packed_state.h) write and read it field by field.
//
// Members (M the model, S its State, A its Action):
//   static constexpr std::size_t kMaxWords
//       upper bound of words(), known to the compiler
//   std::size_t words() const
//       length of the packed form, 1 .. kMaxWords, constant over the model's life
//   void encode(const S&, std::uint64_t* words) const
//       writes all words(); a canonical form is made here (relative times, saturation, symmetry)
//   void decode(const std::uint64_t* words, S&) const
//       a working state with that packed form: encode(decode(w)) == w for every w encode made
//   void for_each_initial(visit) const
//       calls visit(const S&) for every initial state, in a fixed order
//   void for_each_successor(const S&, visit) const
//       calls visit(const A&, const S& next) for every enabled action, in a fixed order; an action
//       with several outcomes is visited once for each, and the outcomes must then be
//       distinguishable by the action's value. The visitor is a template parameter, to be inlined.
//   std::uint64_t decided(const S&) const
//       bit p is set when this state decides property p: it breaks the invariant p, or is a state
//       that the `sometimes` property p asks for. A function of the packed form only: the
//       explorers call it once for each distinct state, on a decoded one.
//   span of Property        properties() const       at most 64
//   span of ActionClass     action_classes() const   at most 64
//   std::size_t action_class(const A&) const         index into action_classes()
//   std::string describe_state(const S&) const       one line
//   std::string describe_action(const A&) const      one line, reads on its own
//
// What a member throws ends the exploration in an error, never in a verdict (explorer.h).
// Reductions attach here, as models that wrap a model: symmetry is a wrapper whose encode()
// chooses the least packed form among the permuted ones, since paths are rebuilt by packed form.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace nandi::checker {

enum class PropertyKind {
  // Must hold in every reachable state.
  invariant,
  // Must hold in some reachable state: without it the run is vacuous and its verdict unknown.
  sometimes,
};

// The names must live as long as the model; results copy them.
struct Property {
  std::string_view name;
  PropertyKind kind = PropertyKind::invariant;
};

// A kind of action, for coverage: "B crashes" and "C crashes" are both of class "crash".
struct ActionClass {
  std::string_view name;
  // The run is vacuous, and its verdict unknown, if no action of this class is ever enabled.
  bool must_fire = false;
  // Out of the ordinary: violations are told apart by which of these they took (causes.h).
  bool is_cause = false;
};

inline constexpr std::size_t kMaxProperties = 64;
inline constexpr std::size_t kMaxActionClasses = 64;

namespace archetype {

template <class State>
struct StateVisitor {
  void operator()(const State&) const {}
};

template <class Action, class State>
struct SuccessorVisitor {
  void operator()(const Action&, const State&) const {}
};

}  // namespace archetype

template <class Range, class Item>
concept SpanOf = requires(const Range& range) {
  { range.size() } -> std::convertible_to<std::size_t>;
  { range[0] } -> std::convertible_to<const Item&>;
};

template <class M>
concept Model = std::is_trivially_copyable_v<typename M::State> &&
    std::default_initializable<typename M::State> && std::copyable<typename M::Action> &&
    std::equality_comparable<typename M::Action> &&
    requires(const M& model, const typename M::State& state, typename M::State& decoded,
             const typename M::Action& action, std::uint64_t* words,
             const std::uint64_t* const_words) {
  { M::kMaxWords } -> std::convertible_to<std::size_t>;
  { model.words() } -> std::same_as<std::size_t>;
  { model.encode(state, words) } -> std::same_as<void>;
  { model.decode(const_words, decoded) } -> std::same_as<void>;
  model.for_each_initial(archetype::StateVisitor<typename M::State>{});
  model.for_each_successor(state,
                           archetype::SuccessorVisitor<typename M::Action, typename M::State>{});
  { model.decided(state) } -> std::same_as<std::uint64_t>;
  { model.properties() } -> SpanOf<Property>;
  { model.action_classes() } -> SpanOf<ActionClass>;
  { model.action_class(action) } -> std::same_as<std::size_t>;
  { model.describe_state(state) } -> std::same_as<std::string>;
  { model.describe_action(action) } -> std::same_as<std::string>;
};

}  // namespace nandi::checker
