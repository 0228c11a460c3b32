// Tests of the sums over a soak's judgements, and of the growth exponent.
// SPDX-License-Identifier: Apache-2.0
#include "session/soak_tally.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kw::session {
namespace {

WorkloadResult result(const char* name, double rel_l2, double gate) {
  WorkloadResult w;
  w.name = name;
  w.accuracy.rel_l2 = rel_l2, w.accuracy.max_abs_diff = 2 * rel_l2, w.accuracy.gate_fraction = gate;
  return w;
}

TEST(SoakTally, KeepsFirstLastAndWorst) {
  SoakTally tally;
  for (const double error : {1e-7, 4e-7, 2e-7}) {
    Evaluation e;
    e.workloads = {result("a", error, error * 1e6), result("b", 3e-7, 0.5)};
    tally.add(e);
  }
  ASSERT_EQ(tally.workloads().size(), 2u);
  const SoakedWorkload& a = tally.workloads()[0];
  EXPECT_EQ(a.judgements, 3);
  EXPECT_EQ(a.first_rel_l2, 1e-7);
  EXPECT_EQ(a.last_rel_l2, 2e-7);
  EXPECT_EQ(a.worst_rel_l2, 4e-7);
  EXPECT_EQ(a.worst_max_abs, 8e-7);
  EXPECT_DOUBLE_EQ(a.worst_gate_fraction, 0.4);
  EXPECT_FALSE(a.is_nondeterministic);
}

TEST(SoakTally, TheExponentIsThatOfTheErrors) {
  std::vector<GrowthPoint> points;
  for (const int steps : {4, 8, 16, 32})
    points.push_back({.value = steps, .rel_l2 = 3e-8 * std::pow(steps, 1.5)});
  EXPECT_NEAR(growth_exponent(points), 1.5, 1e-9);
  points.push_back({.value = 64, .rel_l2 = 0});  // an error of 0 has no logarithm
  EXPECT_NEAR(growth_exponent(points), 1.5, 1e-9);
  EXPECT_EQ(growth_exponent({points[0]}), 0);
  EXPECT_EQ(growth_exponent({points[0], points[0]}), 0);
}

}  // namespace
}  // namespace kw::session
