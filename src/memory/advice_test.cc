// Tests of the advice that experience gives for a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "memory/advice.h"

#include <gmock/gmock.h>

#include <cmath>

namespace kw::memory {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Experience entry(const std::string& technique, const std::string& task, StepCount count) {
  Experience e;
  e.task = task;
  e.family = task == "histogram" ? "histogram" : "row";
  e.device = "box";
  e.bound = Bound::Memory;
  e.technique = technique;
  e.count = count;
  e.run = task + "-1";
  e.at = "2026-01-01T00:00:00Z";
  return e;
}

const AdviceScope kScope{"softmax", "row",         Target::Cpu,
                         "box",     Bound::Memory, "2026-01-01T00:00:00Z"};

double promise(const std::vector<Experience>& known, const AdviceScope& scope = kScope) {
  const auto all = advise(known, scope);
  return all.empty() ? 0 : all.front().promise;
}

TEST(AdviceTest, TheNearerATryTheMoreItCounts) {
  const StepCount good{4, 4, 2};
  Experience other_device = entry("tiling", "softmax", good);
  other_device.device = "another";
  Experience other_bound = entry("tiling", "softmax", good);
  other_bound.bound = Bound::Compute;
  Experience first = entry("tiling", "softmax", good);
  first.bound = Bound::Unknown;
  Experience old = entry("tiling", "softmax", good);
  old.at = "2025-01-01T00:00:00Z";
  const double same = promise({entry("tiling", "softmax", good)});
  EXPECT_NEAR(same, 2.0 / 5, 1e-9);
  EXPECT_GT(same, promise({entry("tiling", "rmsnorm", good)}));
  EXPECT_GT(promise({entry("tiling", "rmsnorm", good)}),
            promise({entry("tiling", "histogram", good)}));
  EXPECT_GT(same, promise({other_device}));
  EXPECT_GT(same, promise({first}));
  EXPECT_GT(promise({first}), promise({other_bound}));
  EXPECT_GT(same, promise({old})) << "stale entries age";
  EXPECT_GT(promise({old}), 0);
  Experience gpu = entry("tiling", "softmax", good);
  gpu.target = Target::Cuda;
  EXPECT_THAT(advise({gpu}, kScope), IsEmpty());
}

TEST(AdviceTest, WhatWasToldAndDidNotHelpSinks) {
  Experience told = entry("tiling", "softmax", {4, 4, 2});
  told.uses = 4;
  EXPECT_LT(promise({told}), promise({entry("tiling", "softmax", {4, 4, 2})}));
  told.helped = 4;
  EXPECT_NEAR(promise({told}), promise({entry("tiling", "softmax", {4, 4, 2})}), 1e-9);
}

TEST(AdviceTest, FailuresOfTheTaskItselfOutweighPraiseFromElsewhere) {
  const std::vector<Experience> praise{entry("fusion", "histogram", {10, 10, 5}),
                                       entry("tiling", "softmax", {3, 3, 0.6})};
  EXPECT_EQ(advise(praise, kScope).front().technique, "fusion");
  auto known = praise;
  known.push_back(entry("fusion", "softmax", {3, 3, -1.5}));
  EXPECT_EQ(advise(known, kScope).front().technique, "tiling");
}

TEST(AdviceTest, WordsSayWhatWasSeenWhereAndWhy) {
  Experience broken = entry("fusion", "rmsnorm", {4, 0, 0});
  broken.failure = "wrong result: 3 of 9";
  broken.id = 8;
  Experience good = entry("tiling", "softmax", {4, 3, 3 * std::log(2.0)});
  good.id = 7;
  const std::vector<Experience> known{good, broken, entry("packing", "softmax", {0.1, 0, 0})};
  const auto advice = advise(known, kScope);
  const auto told = words_of(advice, known, kScope);
  ASSERT_EQ(told.size(), 2U) << "a tenth of a try warns of nothing";
  EXPECT_THAT(told[0].text, HasSubstr("Promising: `tiling`: worked in 3 of 4 tries on "
                                      "memory-bound kernels for this very task, 2x"));
  EXPECT_THAT(told[0].why, HasSubstr("the same task, the same device, the same bottleneck"));
  EXPECT_THAT(told[1].text, HasSubstr("Did not help: `fusion`: worked in 0 of 4 tries on "
                                      "memory-bound kernels for `rmsnorm` (row)"));
  EXPECT_THAT(told[1].text, HasSubstr("Its last failure: wrong result: 3 of 9."));
  EXPECT_THAT(told_of(advice), testing::ElementsAre(7, 8));
}

}  // namespace
}  // namespace kw::memory
