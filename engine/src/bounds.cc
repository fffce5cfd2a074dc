#include "nandi/engine/bounds.h"

#include <cassert>
#include <limits>

namespace nandi {
namespace {

constexpr Int128 kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kPartsPerMillion = 1'000'000;

Int128 divisor_of(Int128 a, Int128 b) {
  if (a < 0) a = -a;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Fraction reduced(Int128 numerator, Int128 denominator) {
  const Int128 divisor = divisor_of(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  assert(numerator <= kLargest && -numerator <= kLargest && denominator <= kLargest);
  return Fraction(static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator));
}

Fraction sum(Fraction a, Fraction b) {
  return reduced(Int128{a.numerator()} * b.denominator() + Int128{b.numerator()} * a.denominator(),
                 Int128{a.denominator()} * b.denominator());
}

Fraction negated(Fraction a) { return Fraction(-a.numerator(), a.denominator()); }

Fraction difference(Fraction a, Fraction b) { return sum(a, negated(b)); }

constexpr Fraction kOne{1, 1};

/// 1 + earliest - latest: from the latest slot to the earliest of the interval after.
Fraction slot_to_slot(SlotBand band) { return sum(kOne, difference(band.earliest, band.latest)); }

}  // namespace

SlotBand whole_band(Fraction gap) { return SlotBand{gap, difference(kOne, gap)}; }

SlotBand slot_band(Fraction gap, std::uint32_t members) {
  assert(members >= 1);
  const Int128 p = gap.numerator();
  const Int128 q = gap.denominator();
  const Int128 twice = Int128{2} * members;
  const Fraction first = reduced(twice * p + (q - 2 * p), twice * q);
  return SlotBand{first, difference(kOne, first)};
}

Fraction largest_margin(SlotBand band, Fraction reply_delay) {
  return difference(slot_to_slot(band), reply_delay);
}

Fraction largest_margin_from_reply(SlotBand band) {
  const Fraction both = slot_to_slot(band);
  return reduced(both.numerator(), Int128{2} * both.denominator());
}

Fraction largest_reply_delay(SlotBand band, Fraction margin) {
  return difference(slot_to_slot(band), margin);
}

Fraction largest_gap_excess(Fraction gap, std::uint32_t members) {
  const Int128 q = gap.denominator();
  return reduced(q - Int128{2} * gap.numerator(), q * (Int128{members} + 1));
}

LeaseSpan span_from_request(Fraction gap, SlotBand band) {
  return LeaseSpan{band, gap, Fraction{}};
}

LeaseSpan span_from_reply(Fraction gap, SlotBand band) { return LeaseSpan{band, gap, gap}; }

bool tolerates_drift(const LeaseSpan& span, Fraction drift) {
  const Fraction reach = sum(sum(kOne, span.band.latest), sum(span.margin, span.reply_delay));
  const Int128 u = drift.numerator();
  const Int128 v = drift.denominator();
  const Int128 a = span.band.earliest.numerator();
  const Int128 b = span.band.earliest.denominator();
  const Int128 c = reach.numerator();
  const Int128 d = reach.denominator();
  assert(u >= 0 && u < v && v <= kPartsPerMillion);
  assert(b <= 1'000'000'000 && d <= 1'000'000'000);
  // The inequality of the header times v^3 b d.
  const Int128 earliest_grant = a * v * v - b * u * v - u * u * (a + b);
  return (v + u) * (c * b * v * v - d * earliest_grant) <= 2 * v * v * v * b * d;
}

std::int64_t largest_drift_ppm(const LeaseSpan& span) {
  std::int64_t tolerated = -1;
  std::int64_t refused = kPartsPerMillion;
  while (refused - tolerated > 1) {
    const std::int64_t middle = tolerated + (refused - tolerated) / 2;
    if (tolerates_drift(span, Fraction(middle, kPartsPerMillion))) {
      tolerated = middle;
    } else {
      refused = middle;
    }
  }
  return tolerated;
}

Fraction smallest_gap_for_drift(Fraction drift) {
  const Int128 u = drift.numerator();
  const Int128 v = drift.denominator();
  assert(u >= 0 && u < v && v <= 10'000);
  return reduced(u * (3 * v * v + 2 * u * v + u * u), (v + u) * (v + u) * (v - u));
}

Duration renewal_slack(const LeaseTiming& timing) { return gap_margin(timing) - timing.resolution; }

Duration slot_spacing(const LeaseTiming& timing, std::uint32_t members) {
  assert(members >= 1);
  const Int128 p = timing.gap.numerator();
  const Int128 q = timing.gap.denominator();
  return Duration(static_cast<std::int64_t>(
      floor_div((q - 2 * p) * timing.interval.count(), q * Int128{members})));
}

Duration settling_distance(const LeaseTiming& timing, Duration spread) {
  const Int128 u = timing.drift.numerator();
  const Int128 v = timing.drift.denominator();
  assert(spread >= Duration(0) && 2 * u < v);
  return Duration(static_cast<std::int64_t>(ceil_div(spread.count() * (v - u), v - 2 * u)));
}

std::int64_t largest_group(const LeaseTiming& timing, Duration jitter) {
  assert(jitter > Duration(0));
  const Int128 p = timing.gap.numerator();
  const Int128 q = timing.gap.denominator();
  return static_cast<std::int64_t>(
      floor_div((q - 2 * p) * timing.interval.count(), q * Int128{jitter.count()}));
}

Duration largest_margin_in_units(const LeaseTiming& timing, std::uint32_t members) {
  assert(members >= 1);
  return timing.interval + slot_offset(timing, 0, members) -
         slot_offset(timing, members - 1, members);
}

Duration largest_margin_from_reply_in_units(const LeaseTiming& timing, std::uint32_t members,
                                            Duration reply_delay) {
  return largest_margin_in_units(timing, members) - reply_delay - timing.resolution;
}

}  // namespace nandi
