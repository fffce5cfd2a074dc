// Closed bounds of the lease scheme: how far margin, reply delay, gaps and clock rates may go
// before two workers can hold one index. Beside the schedule because they are functions of the same
// numbers; `nandi-check prove` proves each against its own model (checker/proof.md, "Edges"), the
// tuner uses them.
//
// All durations are exact fractions of the interval. "Largest" values are attained: the scheme is
// exclusive at the value itself and, for slots that are really taken, not above it. Preconditions
// are asserted: denominators stay below 2^31 where a function multiplies several of them.
#pragma once

#include <cstdint>

#include "nandi/engine/fraction.h"
#include "nandi/engine/schedule.h"

namespace nandi {

/// Earliest and latest slot that a member can have, as fractions of the interval.
struct SlotBand {
  Fraction earliest;
  Fraction latest;
  friend constexpr bool operator==(SlotBand, SlotBand) = default;
};

/// [g, 1 - g]: the band for groups of any size. A group of n touches neither end, but comes as
/// close as one likes with growing n.
[[nodiscard]] SlotBand whole_band(Fraction gap);

/// Slots of the first and the last index in groups of at most `members`:
/// g + (1 - 2g) / (2n) and 1 - g - (1 - 2g) / (2n). Precondition: members >= 1, 0 < gap < 1/2.
[[nodiscard]] SlotBand slot_band(Fraction gap, std::uint32_t members);

/// Largest margin past the slot after which a lease may end, so that it ends before a worker can
/// be granted its index on newer intervals: 1 + earliest - latest - reply_delay.
/// `reply_delay`: longest time from a tick's execution to its receipt when the deadline is counted
/// from the receipt (n-and-i); 0 when it is counted from the request, as this engine does.
/// Over groups of any size this is 2g: twice the margin that the engine uses.
[[nodiscard]] Fraction largest_margin(SlotBand band, Fraction reply_delay = {});

/// Deadline from the receipt, the margin itself being all that bounds the reply's delay (an attempt
/// that outlives the lease it renews is abandoned): (1 + earliest - latest) / 2, for a group of n
/// g + (1 - 2g) / (2n).
[[nodiscard]] Fraction largest_margin_from_reply(SlotBand band);

/// Deadline from the receipt: largest delay of a reply with the given margin,
/// 1 + earliest - latest - margin; with margin g in a group of n it is g + (1 - 2g) / n. With the
/// deadline from the request a reply may be arbitrarily late: it then only shortens the lease.
[[nodiscard]] Fraction largest_reply_delay(SlotBand band, Fraction margin);

/// Deadline from the receipt, each member's margin and reply delay being its own gap: by how much
/// one member's gap may exceed another's, `gap`, in groups of at most `members`:
/// (1 - 2g) / (n + 1). With the deadline from the request any two gaps go together.
[[nodiscard]] Fraction largest_gap_excess(Fraction gap, std::uint32_t members);

/// What of the timing a bound on clock rates depends on.
struct LeaseSpan {
  SlotBand band;
  Fraction margin;       ///< past the slot
  Fraction reply_delay;  ///< counted into the lease: 0 when the deadline is from the request
};

/// The engine's own rule: margin = gap, deadline from the request.
[[nodiscard]] LeaseSpan span_from_request(Fraction gap, SlotBand band);
/// n-and-i's rule: margin = gap, deadline from the reply, which may take as long as the margin.
[[nodiscard]] LeaseSpan span_from_reply(Fraction gap, SlotBand band);

/// Whether index exclusivity survives local clocks that the store's may outrun, or fall behind, by
/// the rate `drift` at every moment (store advance within (1 +- drift) of the local advance) when
/// the engine was told of no drift (LeaseTiming::drift == 0):
///   (1 + d) (1 + latest + margin + reply_delay - f) <= 2,  f = earliest - d - d^2 (1 + earliest),
/// f being the earliest offset at which a granting tick can then execute.
/// Precondition: drift's denominator <= 10^6, the band's, margin's and delay's <= 10^9 together.
[[nodiscard]] bool tolerates_drift(const LeaseSpan& span, Fraction drift);

/// Largest whole number of parts per million that tolerates_drift() accepts; -1 when it refuses 0.
[[nodiscard]] std::int64_t largest_drift_ppm(const LeaseSpan& span);

/// The smallest gap that tolerates `drift` in groups of any size, deadline from the request:
/// d (3 + 2d + d^2) / ((1 + d)^2 (1 - d)), so about a third of the gap is the drift tolerated.
/// Precondition: 0 <= drift < 1, denominator <= 10^4.
[[nodiscard]] Fraction smallest_gap_for_drift(Fraction drift);

/// Time that the last round trip, the wake-up lag and the next round trip may take together with a
/// lease still renewed before it ends: gap - resolution, exclusive (protocol, "Price").
[[nodiscard]] Duration renewal_slack(const LeaseTiming& timing);

/// What lies between the slots of two neighbours among `members`: (1 - 2g) I / members, rounded
/// down. Neighbours whose registrations are late by more than that against each other change places
/// (protocol, "When things happen"). Precondition: members >= 1.
[[nodiscard]] Duration slot_spacing(const LeaseTiming& timing, std::uint32_t members);

/// How far apart slots have to be so that no two registrations change places, when the delays of
/// any two differ by at most `spread`: spread (1 - d) / (1 - 2d) rounded up, d the drift allowed
/// for. A delay here is all by which a registration misses its slot: the way back of the reply
/// before (a worker counts from its receipt), the part of a resolution by which that reply's time
/// was rounded down, its own lag and its request's way. So a network that varies by J has a spread
/// of J + resolution. The factor: a worker waits for its lower estimate, which falls behind with
/// the time since the reply and so passes d / (1 - d) of a delay on to the next one, with the other
/// sign. Delays that always differ by the same let workers change places until they stand in that
/// order, and not again. Precondition: spread >= 0, d < 1/2.
[[nodiscard]] Duration settling_distance(const LeaseTiming& timing, Duration spread);

/// Most members whose slots are still `jitter` apart: floor((1 - 2g) I / jitter); 0 where not even
/// one has that much of the band. Precondition: jitter > 0.
[[nodiscard]] std::int64_t largest_group(const LeaseTiming& timing, Duration jitter);

/// Largest margin, in whole units of the timing and for the slots as the schedule rounds them,
/// under which no two workers hold one index in groups of exactly `members`: one interval, plus the
/// first index's slot, less the last one's. The resolution does not enter: the expiry allows for
/// it.
[[nodiscard]] Duration largest_margin_in_units(const LeaseTiming& timing, std::uint32_t members);

/// The same with the deadline counted from the receipt of a reply that may take `reply_delay`: that
/// much less, and less the resolution, which such a deadline does not allow for.
[[nodiscard]] Duration largest_margin_from_reply_in_units(const LeaseTiming& timing,
                                                          std::uint32_t members,
                                                          Duration reply_delay);

}  // namespace nandi
