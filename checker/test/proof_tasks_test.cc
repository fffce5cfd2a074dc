#include <gtest/gtest.h>

#include <numeric>

namespace nandi::checker {
namespace {

// The one fact that the proof takes from the textbooks, by exhaustion where that is possible: two
// pairs share a task exactly when their indices are congruent modulo the counts' gcd. Tasks repeat
// with lcm(n, m), so looking at that many of them is looking at all.
TEST(ProofTasks, PairsShareATaskExactlyWhenCongruentModuloTheGcd) {
  constexpr int kLargest = 40;
  for (int n = 1; n <= kLargest; ++n) {
    for (int m = 1; m <= kLargest; ++m) {
      const int d = std::gcd(n, m);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
          bool shared = false;
          for (int task = i; task < std::lcm(n, m) && !shared; task += n) {
            shared = task % m == j;
          }
          ASSERT_EQ(shared, (i - j) % d == 0) << i << " of " << n << ", " << j << " of " << m;
        }
      }
    }
  }
}

// Bezout, as the lemma congruent-pairs-share uses it.
TEST(ProofTasks, GcdIsACombinationOfBothCounts) {
  constexpr int kLargest = 60;
  for (int n = 1; n <= kLargest; ++n) {
    for (int m = 1; m <= kLargest; ++m) {
      bool found = false;
      for (int u = -m; u <= m && !found; ++u) found = (std::gcd(n, m) - n * u) % m == 0;
      ASSERT_TRUE(found) << n << ", " << m;
    }
  }
}

}  // namespace
}  // namespace nandi::checker
