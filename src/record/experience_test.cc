// Tests of experience: how counts add up, and how they age.
// SPDX-License-Identifier: Apache-2.0
#include "record/experience.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

Experience one(const std::string& at, StepCount count, const std::string& failure = "") {
  Experience e;
  e.technique = "tiling";
  e.at = at;
  e.run = "run at " + at;
  e.count = count;
  e.failure = failure;
  return e;
}

TEST(ExperienceTest, TriesOfTheSameMomentAddUpAndOlderOnesCountLess) {
  const Experience first = one("2026-01-01T00:00:00Z", {1, 1, 0.5});
  const Experience now = merged(first, one("2026-01-01T00:00:00Z", {1, 0, 0}, "wrong"));
  EXPECT_EQ(now.count, (StepCount{2, 1, 0.5}));
  EXPECT_EQ(now.failure, "wrong");
  const Experience later = merged(now, one("2026-04-01T00:00:00Z", {1, 1, 0.1}));  // 90 days
  EXPECT_NEAR(later.count.tried, 2, 1e-9);
  EXPECT_NEAR(later.count.gain, 0.35, 1e-9);
  EXPECT_EQ(later.failure, "wrong") << "the latest failure stays";
  EXPECT_EQ(later.run, "run at 2026-04-01T00:00:00Z");
}

TEST(ExperienceTest, AgesOnlyBetweenDatesThatCanBeRead) {
  EXPECT_NEAR(days_between("2026-02-28T12:00:00Z", "2026-03-02T00:00:00Z"), 1.5, 1e-9);
  EXPECT_EQ(days_between("2026-03-02T00:00:00Z", "2026-02-28T00:00:00Z"), 0);
  EXPECT_EQ(days_between("then", "2026-02-28T00:00:00Z"), 0);
  for (const char* broken : {"2026-02-2xT00:00:00Z", "2026-02-28 00:00:00Z", "2026-02-28T00:0"})
    EXPECT_EQ(days_between(broken, "2026-03-02T00:00:00Z"), 0) << broken;
  EXPECT_EQ(days_between("2026-13-01T00:00:00Z", "2026-02-28T00:00:00Z"), 0);
}

}  // namespace
}  // namespace kw
