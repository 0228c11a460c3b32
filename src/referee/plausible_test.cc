// The physics floor: measured ceilings on a processor, datasheets and clocks on a GPU.
// SPDX-License-Identifier: Apache-2.0
#include "referee/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/referee.h"
#include "referee/testing.h"

namespace kw::referee {
namespace {

DeviceFacts gpu(const std::string& model) {
  DeviceFacts facts;
  facts.target = Target::Cuda;
  facts.model = model;
  GpuFacts& gpu = facts.gpu.emplace_back();
  gpu.multiprocessors = 132;
  gpu.l2_bytes = 50 << 20;
  gpu.clock_hz = 1.98e9;
  gpu.memory_clock_hz = 2e9;
  gpu.memory_bus_bits = 6144;
  return facts;
}

Workload copy_of(std::int64_t bytes) {
  Workload workload;
  workload.name = "large";
  workload.work.floor_bytes = bytes;
  workload.work.floor_flops = 1;
  return workload;
}

TEST(PlausibleOnGpu, TheDatasheetIsTheFloor) {
  const Workload workload = copy_of((std::int64_t{4800} << 20) + (50 << 20));
  const auto least = compute_least_ns(workload, gpu("NVIDIA H200"));
  ASSERT_TRUE(least.has_value());
  EXPECT_NEAR(*least, 1e6 * 1.048576, 1e3) << "4800 MiB beyond the L2 at 4800 GB/s";
  const auto seen = find_implausible(workload, *least * 0.9, gpu("NVIDIA H200"));
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->kind, EvidenceKind::TooFast);
  EXPECT_THAT(seen->subject, ::testing::HasSubstr("H200 datasheet"));
  EXPECT_THAT(seen->numbers,
              ::testing::ElementsAre(*least * 0.9, static_cast<double>(workload.work.floor_bytes),
                                     1, *least));
  EXPECT_FALSE(find_implausible(workload, *least * 1.1, gpu("NVIDIA H200")).has_value());
}

TEST(PlausibleOnGpu, AnUnknownDeviceHasItsClocks) {
  const auto least = compute_least_ns(copy_of((std::int64_t{3072} << 20) + (50 << 20)), gpu("X"));
  ASSERT_TRUE(least.has_value());
  EXPECT_NEAR(*least, 1e6 * 1.048576, 1e3) << "6144 bits twice a clock of 2 GHz";
}

TEST(PlausibleOnGpu, WhatFitsTheCacheMayComeFromThere) {
  EXPECT_FALSE(find_implausible(copy_of(1 << 20), 1, gpu("NVIDIA H200")).has_value());
}

TEST(Plausible, NeedsCeilingsAndSubtractsTheCache) {
  Workload workload;
  workload.name = "w";
  workload.work.floor_bytes = 3'000'000;
  DeviceFacts facts;
  facts.cores = 1;
  facts.caches = {{3, 1'500'000, 1}};
  EXPECT_FALSE(find_implausible(workload, 1, facts).has_value());
  Ceiling dram;
  dram.kind = "triad";
  dram.level = "DRAM";
  dram.per_second = 1e9;
  Ceiling near_core = dram;
  near_core.level = "L1";
  near_core.per_second = 100e9;
  facts.ceilings = {dram, near_core};
  EXPECT_DOUBLE_EQ(*compute_least_ns(workload, facts), 1e6);
  EXPECT_TRUE(find_implausible(workload, 0.99e6, facts).has_value());
  EXPECT_FALSE(find_implausible(workload, 1.01e6, facts).has_value());
}

TEST(Plausible, TrustedCodeShowsWhatTheMachineReaches) {
  Workload workload;
  workload.work.floor_bytes = 3'000'000;
  DeviceFacts facts;
  facts.ceilings = {{.kind = "copy", .level = "DRAM", .isa = "", .per_second = 1e9}};
  ASSERT_DOUBLE_EQ(*compute_least_ns(workload, facts), 2e6);
  EXPECT_FALSE(find_implausible(workload, 1.01e6, facts, 1.5e6).has_value());
  EXPECT_TRUE(find_implausible(workload, 0.99e6, facts, 1.5e6).has_value());
  EXPECT_TRUE(find_implausible(workload, 1.99e6, facts, 9e6).has_value()) << "slow code shows less";
}

TEST(PhysicsFloor, FasterThanPhysicsIsImplausible) {
  testing::Room room;
  Ceiling ceiling;
  ceiling.kind = "copy";
  ceiling.level = "L1";
  ceiling.per_second = 1e6;
  room.referee.set_ceilings({ceiling});
  EXPECT_VERDICT(room.judge(), Measure, Implausible);
  room.request.candidate.origin = Origin::Baseline;
  // A baseline that is too quick shows that the ceiling is too low.
  EXPECT_VERDICT(room.judge(), Measure, Correct);
}

TEST(PhysicsFloor, NobodyIsAccusedBeforeCeilingsAreMeasuredAgain) {
  Referee* referee = nullptr;
  int raises = 0;
  double reached = 1e6;
  Options options;
  options.raise_ceilings = [&]() -> Result<> {
    ++raises;
    referee->set_ceilings({{.kind = "copy", .level = "L1", .isa = "", .per_second = reached}});
    return {};
  };
  testing::Room room(options);
  referee = &room.referee;
  room.referee.set_ceilings({{.kind = "copy", .level = "L1", .isa = "", .per_second = 1e6}});
  EXPECT_VERDICT(room.judge(), Measure, Implausible);
  EXPECT_EQ(raises, 1);
  reached = 1e15;
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  EXPECT_EQ(raises, 2);
  EXPECT_VERDICT(room.judge(), Measure, Correct);
  EXPECT_EQ(raises, 2) << "what was reached is known";
}

}  // namespace
}  // namespace kw::referee
