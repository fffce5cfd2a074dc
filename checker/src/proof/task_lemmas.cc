// Lemmas about tasks: x belongs to the pair (i, n) when x mod n = i.
#include "proof/lemmas.h"

namespace nandi::checker::proof {
namespace {

/// n k >= n for k >= 1, and likewise below: the one product that task-disjointness rests on.
Lemma multiple_is_far(z3::context& context) {
  const z3::expr n = context.int_const("n");
  const z3::expr k = context.int_const("k");
  return {"multiple-is-far",
          "A multiple of n other than 0 is at least n away from 0.",
          "n k >= n for k >= 1, n k <= -n for k <= -1",
          "QF_NIA",
          {k != 0},
          {{"positive-count", "The count is positive.", n >= 1}},
          z3::implies(k >= 1, n * k >= n) && z3::implies(k <= -1, n * k <= -n),
          {n == 3, n == -1, k == 2, k == 1},
          {{"n", n}, {"k", k}, {"n k", n * k}}};
}

/// With theorem-same-count, two holders' pairs have one n. k is the difference of the quotients; of
/// its product with n the lemma multiple-is-far is stated, as a definition.
Lemma same_count_disjoint(z3::context& context) {
  const z3::expr task = context.int_const("task");
  const z3::expr count_a = context.int_const("n");
  const z3::expr count_b = context.int_const("m");
  const z3::expr i = context.int_const("i");
  const z3::expr j = context.int_const("j");
  const z3::expr k = context.int_const("k");
  const z3::expr quotient = context.int_const("quotient");
  const z3::expr multiple = count_a * k;
  return {
      "tasks-disjoint",
      "Pairs on one count that share a task have the same index; so with the two theorems no "
      "task has two workers.",
      "task = n (q + k) + i = m q + j implies i = j",
      "QF_NIA",
      {count_a >= 1, count_b >= 1, i >= 0, j >= 0, task == count_a * quotient + multiple + i,
       task == count_b * quotient + j,
       z3::implies(count_a == count_b, count_a * quotient == count_b * quotient),
       z3::implies(k >= 1, multiple >= count_a) && z3::implies(k <= -1, multiple <= -count_a)},
      {{"same-count", "Both pairs are on the same count (theorem-same-count).", count_a == count_b},
       {"index-in-range", "Indices are below the count.", i < count_a && j < count_b}},
      i == j,
      {count_a == 2, count_b == 2, count_b == 3, task == 7, i == 1, j == 1, j == 0, quotient == 2,
       k == 1},
      {{"task", task}, {"i", i}, {"n", count_a}, {"j", j}, {"m", count_b}}};
}

/// d stands for gcd(n, m): all that is used of it is that it divides both.
Lemma shared_task_is_congruent(z3::context& context) {
  const z3::expr d = context.int_const("d");
  const z3::expr n_over_d = context.int_const("n_over_d");
  const z3::expr m_over_d = context.int_const("m_over_d");
  const z3::expr a = context.int_const("a");
  const z3::expr b = context.int_const("b");
  const z3::expr i = context.int_const("i");
  const z3::expr j = context.int_const("j");
  const z3::expr n = context.int_const("n");
  const z3::expr m = context.int_const("m");
  return {"shared-task-congruent",
          "Pairs (i,n) and (j,m) that share a task are congruent modulo every common divisor of n "
          "and m. The witness is explicit.",
          "n = d n', m = d m', n a + i = m b + j imply i - j = d (m' b - n' a)",
          "QF_NIA",
          {n >= 1, m >= 1},
          {{"divides-n", "d divides n.", n == d * n_over_d},
           {"divides-m", "d divides m.", m == d * m_over_d},
           {"shared-task", "A task belongs to both pairs.", n * a + i == m * b + j}},
          i - j == d * (m_over_d * b - n_over_d * a),
          {d == 2, n_over_d == 2, m_over_d == 3, a == 1, b == 1, n == 4, m == 6, i == 1, j == 0},
          {{"d", d},
           {"n", n},
           {"n'", n_over_d},
           {"m", m},
           {"m'", m_over_d},
           {"a", a},
           {"b", b},
           {"i", i},
           {"j", j}}};
}

/// The converse. That u and v exist for d = gcd(n, m) is Bezout's identity, which is taken from the
/// textbooks and checked exhaustively for small numbers in the tests.
Lemma congruent_pairs_share(z3::context& context) {
  const z3::expr d = context.int_const("d");
  const z3::expr n = context.int_const("n");
  const z3::expr m = context.int_const("m");
  const z3::expr u = context.int_const("u");
  const z3::expr v = context.int_const("v");
  const z3::expr k = context.int_const("k");
  const z3::expr i = context.int_const("i");
  const z3::expr j = context.int_const("j");
  const z3::expr task = i - n * u * k;
  return {
      "congruent-pairs-share",
      "Pairs (i,n) and (j,m) that are congruent modulo gcd(n,m) share a task. The witness is "
      "explicit.",
      "d = n u + m v and i - j = d k imply i - n (u k) = j + m (v k)",
      "QF_NIA",
      {n >= 1, m >= 1},
      {{"bezout", "d is a combination of n and m (Bezout, for d = gcd(n,m)).", d == n * u + m * v},
       {"congruent", "The indices are congruent modulo d.", i - j == d * k}},
      task == j + m * v * k,
      {n == 4, m == 6, u == -1, v == 1, d == 2, k == 0, k == 1, i == 3, j == 1, j == 0},
      {{"d", d},
       {"n", n},
       {"m", m},
       {"u", u},
       {"v", v},
       {"i", i},
       {"j", j},
       {"k", k},
       {"task by (i,n)", task},
       {"task by (j,m)", j + m * v * k}}};
}

}  // namespace

std::vector<LemmaMaker> task_lemmas() {
  return {multiple_is_far, same_count_disjoint, shared_task_is_congruent, congruent_pairs_share};
}

}  // namespace nandi::checker::proof
