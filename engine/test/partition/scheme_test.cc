#include "nandi/engine/partition/scheme.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nandi::partition {
namespace {

constexpr std::array kSchemes = {Scheme::kModulo, Scheme::kRendezvous, Scheme::kJump};

struct Movement {
  double moved = 0;
  double between_old = 0;
};

Movement grow(Scheme scheme, std::uint32_t n, std::int64_t ids) {
  Movement movement;
  for (std::int64_t id = 0; id < ids; ++id) {
    const std::uint32_t before = index_of(scheme, id, n);
    const std::uint32_t after = index_of(scheme, id, n + 1);
    if (before == after) continue;
    movement.moved += 1;
    if (after != n) movement.between_old += 1;
  }
  movement.moved /= static_cast<double>(ids);
  movement.between_old /= static_cast<double>(ids);
  return movement;
}

TEST(Scheme, ModuloIsMathematicalForNegativeIds) {
  EXPECT_EQ(modulo_index(-7, 3), 2U);
  EXPECT_EQ(modulo_index(-3, 3), 0U);
  EXPECT_EQ(modulo_index(7, 3), 1U);
  EXPECT_EQ(modulo_index(INT64_MIN, 3), 1U);  // -2^63 = -(3 k + 2)
  EXPECT_EQ(modulo_index(UINT64_MAX, 10), 5U);
  EXPECT_EQ(modulo_index(std::int8_t{-128}, 4'000'000'000U), 3'999'999'872U);
}

TEST(Scheme, EveryIdHasExactlyOneOwnerAmongThePairsOfN) {
  const std::vector<std::int64_t> ids = {INT64_MIN, -1'000'001, -7, -1, 0, 1, 2, 64, INT64_MAX};
  for (const Scheme scheme : kSchemes) {
    for (std::uint32_t n = 1; n <= 17; ++n) {
      for (const std::int64_t id : ids) {
        int owners = 0;
        for (std::uint32_t i = 0; i < n; ++i) owners += owns(scheme, id, i, n) ? 1 : 0;
        EXPECT_EQ(owners, 1) << scheme_name(scheme) << " id " << id << " n " << n;
      }
      int owners = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        owners += owns(scheme, std::string("task:\0x", 7), i, n) ? 1 : 0;
      }
      EXPECT_EQ(owners, 1) << scheme_name(scheme) << " n " << n;
    }
  }
}

TEST(Scheme, ModuloMovesAllButOneInNPlusOneOfSequentialIds) {
  // id mod n = id mod (n + 1) for n of every n (n + 1) ids: 1/(n + 1) stay.
  EXPECT_NEAR(grow(Scheme::kModulo, 2, 100'000).moved, 0.667, 0.0005);
  EXPECT_NEAR(grow(Scheme::kModulo, 4, 100'000).moved, 0.800, 0.0005);
  EXPECT_NEAR(grow(Scheme::kModulo, 9, 100'000).moved, 0.900, 0.0005);
  EXPECT_NEAR(grow(Scheme::kModulo, 10, 100'000).moved, 0.909, 0.0005);
}

TEST(Scheme, FromThreeToFourModuloMovesThreeQuartersTheOthersAQuarterToTheNewIndexOnly) {
  const Movement modulo = grow(Scheme::kModulo, 3, 120'000);
  EXPECT_DOUBLE_EQ(modulo.moved, 0.75);
  // Of 12 ids, 3 land on the new index and 3 stay: 6 change places among the old ones.
  EXPECT_DOUBLE_EQ(modulo.between_old, 0.5);
  for (const Scheme scheme : {Scheme::kRendezvous, Scheme::kJump}) {
    const Movement movement = grow(scheme, 3, 120'000);
    EXPECT_NEAR(movement.moved, 0.25, 0.00625) << scheme_name(scheme);  // five sigma
    EXPECT_EQ(movement.between_old, 0) << scheme_name(scheme);
  }
}

TEST(Scheme, StripedIdsOverloadHalfOfModulosIndicesAndNoneOfTheHashes) {
  std::vector<int> modulo(4, 0);
  std::vector<int> rendezvous(4, 0);
  std::vector<int> jump(4, 0);
  for (std::int64_t id = 0; id < 100'000; id += 2) {
    ++modulo[index_of(Scheme::kModulo, id, 4)];
    ++rendezvous[index_of(Scheme::kRendezvous, id, 4)];
    ++jump[index_of(Scheme::kJump, id, 4)];
  }
  EXPECT_EQ(modulo, (std::vector<int>{25'000, 0, 25'000, 0}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(rendezvous[i], 12'500, 500);  // five standard deviations of 97
    EXPECT_NEAR(jump[i], 12'500, 500);
  }
}

TEST(Scheme, NamesReadBackAndUnknownOnesDoNot) {
  for (const Scheme scheme : kSchemes) EXPECT_EQ(parse_scheme(scheme_name(scheme)), scheme);
  EXPECT_EQ(parse_scheme("Modulo"), std::nullopt);
  EXPECT_EQ(parse_scheme(""), std::nullopt);
}

TEST(Scheme, PlacementsOfKnownIdsStayPutFromVersionToVersion) {
  // Rendezvous re-derived in Python from the SplitMix64 definition in item_hash.h; jump from the
  // paper's code over the same hash. A fleet upgraded one worker at a time depends on these.
  EXPECT_EQ(rendezvous_index(item_hash(0), 10), 4U);
  EXPECT_EQ(rendezvous_index(item_hash(1), 10), 1U);
  EXPECT_EQ(rendezvous_index(item_hash(-1), 10), 3U);
  EXPECT_EQ(rendezvous_index(item_hash("task:1"), 10), 9U);
  EXPECT_EQ(jump_hash(item_hash(0), 10), 8U);
  EXPECT_EQ(jump_hash(item_hash(1), 10), 9U);
  EXPECT_EQ(jump_hash(item_hash(-1), 10), 3U);
  EXPECT_EQ(jump_hash(item_hash("task:1"), 10), 9U);
}

}  // namespace
}  // namespace nandi::partition
