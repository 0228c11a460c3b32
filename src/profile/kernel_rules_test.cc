// Which findings kernels and launches give, and which they must not give.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kernel_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

  std::string text() const {
    std::string all;
    for (const Finding& f : kernel_findings(unit, plans, h200())) all += f.text + "\n";
    return all;
  }
};

KernelFacts facts(int registers, std::int64_t shared = 0) {
  KernelFacts k;
  k.name = "k", k.registers = registers, k.static_shared = shared, k.spill_bytes = 0;
  return k;
}

TEST(KernelRules, AFullGpuGetsItsFactsAndNoComplaint) {
  const Room room(facts(32), {launch("k", 132 * 8 * 10, 256)});
  EXPECT_EQ(room.text(),
            "k: blocks of 256 threads; 8 of them fit a multiprocessor, occupancy 1.00, limited by "
            "warps.\n");
}

TEST(KernelRules, WhatTheCompilersFindingsSayIsNotSaidAgain) {
  KernelFacts k = facts(255, 1024);
  k.spill_bytes = 96, k.stack_bytes = 96;
  const std::string text = Room(k, {launch("k", 10000, 256, 2048)}).text();
  EXPECT_THAT(text, HasSubstr("blocks of 256 threads and 2 KiB of dynamic shared memory; 1 of"));
  EXPECT_THAT(text, HasSubstr("occupancy 0.12, limited by registers: fewer registers"));
  for (const char* told : {"255", "96 B", "1 KiB", "3 KiB", "spill"})
    EXPECT_THAT(text, Not(HasSubstr(told)));
}

TEST(KernelRules, LowOccupancyNamesItsLimit) {
  // Each block takes about 100 KiB of shared memory, so two of them fit the 228 KiB of a
  // multiprocessor.
  const Room shared(facts(40, 1024), {launch("k", 10000, 128, 101 * 1024)});
  EXPECT_THAT(shared.text(), HasSubstr("limited by shared memory: less shared memory"));
  const Room small(facts(16), {launch("k", 100000, 32)});
  EXPECT_THAT(small.text(), Not(HasSubstr("larger blocks")));  // Half full is not low.
  // 64 registers per thread are no pressure, although blocks of 1024 threads fill the register file
  // with half of the warps.
  const Room half(facts(64), {launch("k", 10000, 1024)});
  EXPECT_THAT(half.text(), Not(HasSubstr("fewer registers")));
}

TEST(KernelRules, GridsThatLeaveMultiprocessorsEmpty) {
  EXPECT_THAT(Room(facts(32), {launch("k", 40, 256)}).text(),
              HasSubstr("40 blocks for 132 multiprocessors on large: 92 of them"));
  // The GPU has places for 1056 blocks; one block more begins a second wave.
  EXPECT_THAT(Room(facts(32), {launch("k", 1057, 256)}).text(),
              HasSubstr("1.00 waves of 1056 blocks on large, and the last one fills 0.00"));
  EXPECT_THAT(Room(facts(32), {launch("k", 500, 256)}).text(),
              HasSubstr("fills 500 of 1056 block places"));
  EXPECT_THAT(Room(facts(32), {launch("k", 1056 * 5 + 1, 256)}).text(), Not(HasSubstr("waves")));
  EXPECT_THAT(Room(facts(32), {launch("k", 2000, 256)}).text(), Not(HasSubstr("waves")));
}

TEST(KernelRules, WarpsShouldBeWhole) {
  EXPECT_THAT(Room(facts(32), {launch("k", 10000, 100)}).text(), HasSubstr("4 of 32 lanes"));
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
