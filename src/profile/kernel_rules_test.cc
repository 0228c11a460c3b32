// Which findings kernels and launches give, and which they must not give.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kernel_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/findings_for_test.h"

namespace kw::profile {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

GpuFacts h200() {
  GpuFacts g;
  g.arch = "sm_90a", g.multiprocessors = 132;
  return g;
}

PlanStep launch(const char* kernel, std::int64_t blocks, std::int64_t threads,
                std::int64_t shared = 0) {
  PlanStep s;
  s.kernel = kernel, s.grid = {blocks, 1, 1}, s.block = {threads, 1, 1}, s.shared_bytes = shared;
  return s;
}

struct Room {
  BuildUnit unit;
  std::vector<RolePlan> plans;

  explicit Room(KernelFacts facts, std::vector<PlanStep> steps) {
    unit.role = "candidate";
    unit.object.emplace_back().kernels = {std::move(facts)};
    Plan plan;
    plan.steps = std::move(steps);
    plans = {{"candidate", "large", plan}, {"opponent", "large", {}}};
  }

  std::string text() const { return in_short(kernel_findings(unit, plans, h200())); }
};

KernelFacts facts(int registers, std::int64_t shared = 0) {
  KernelFacts k;
  k.name = "k", k.registers = registers, k.static_shared = shared, k.spill_bytes = 0;
  return k;
}

TEST(KernelRules, AFullGpuGetsItsFactsAndNoComplaint) {
  const Room room(facts(32), {launch("k", 132 * 8 * 10, 256)});
  EXPECT_EQ(room.text(), "occupancy: warps: 256 8 1\n");
}

TEST(KernelRules, WhatTheCompilersFindingsSayIsNotSaidAgain) {
  KernelFacts k = facts(255, 1024);
  k.spill_bytes = 96, k.stack_bytes = 96;
  const std::string text = Room(k, {launch("k", 10000, 256, 2048)}).text();
  EXPECT_EQ(text, "low occupancy: registers: 256 2048 1 0.125\n")
      << "no registers, no bytes of spills";
}

TEST(KernelRules, LowOccupancyNamesItsLimit) {
  // Each block takes about 100 KiB of shared memory, so two of them fit the 228 KiB of a
  // multiprocessor.
  const Room shared(facts(40, 1024), {launch("k", 10000, 128, 101 * 1024)});
  EXPECT_THAT(shared.text(), HasSubstr("low occupancy: shared memory: "));
  const Room small(facts(16), {launch("k", 100000, 32)});
  EXPECT_THAT(small.text(), Not(HasSubstr("low occupancy")));  // Half full is not low.
  // 64 registers per thread are no pressure, although blocks of 1024 threads fill the register file
  // with half of the warps.
  const Room half(facts(64), {launch("k", 10000, 1024)});
  EXPECT_THAT(half.text(), Not(HasSubstr("low occupancy")));
}

TEST(KernelRules, GridsThatLeaveMultiprocessorsEmpty) {
  EXPECT_THAT(Room(facts(32), {launch("k", 40, 256)}).text(),
              HasSubstr("idle multiprocessors: 40 132 92\n"));
  // The GPU has places for 1056 blocks; one block more begins a second wave.
  EXPECT_THAT(Room(facts(32), {launch("k", 1057, 256)}).text(),
              HasSubstr("last wave: 1.001 1056 0.000947 1056\n"));
  EXPECT_THAT(Room(facts(32), {launch("k", 500, 256)}).text(),
              HasSubstr("part of a wave: 500 1056\n"));
  EXPECT_THAT(Room(facts(32), {launch("k", 1056 * 5 + 1, 256)}).text(), Not(HasSubstr("wave")));
  EXPECT_THAT(Room(facts(32), {launch("k", 2000, 256)}).text(), Not(HasSubstr("wave")));
}

TEST(KernelRules, WarpsShouldBeWhole) {
  EXPECT_THAT(Room(facts(32), {launch("k", 10000, 100)}).text(),
              HasSubstr("part of a warp: 100 4\n"));
}

TEST(KernelRules, TheLargestLaunchStandsForAKernel) {
  const Room room(facts(32), {launch("k", 10, 64), launch("k", 20000, 256), launch("k", 5, 64)});
  const auto kernels = launched_kernels(room.plans);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].blocks, 20000);
  EXPECT_EQ(kernels[0].threads, 256);
  EXPECT_EQ(kernels[0].launches, 3);
}

TEST(KernelRules, NothingIsSaidOfWhatIsNotKnown) {
  Room room(facts(32), {launch("other", 10, 64)});
  EXPECT_THAT(room.text(), IsEmpty());
  room.unit.object.clear();
  EXPECT_THAT(room.text(), IsEmpty());
  GpuFacts unknown = h200();
  unknown.arch = "sm_61";
  const Room known(facts(32), {launch("k", 10, 64)});
  EXPECT_THAT(kernel_findings(known.unit, known.plans, unknown), IsEmpty());
}

}  // namespace
}  // namespace kw::profile
