// Positions under ceilings of round numbers, worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kw::profile {
namespace {

using testing::HasSubstr;

// A processor of 2 cores with caches of 32 KiB, 1 MiB and 32 MiB; DRAM from 40 GB/s writing to 80
// GB/s reading, L3 three times as fast; 100 GF/s in f32.
DeviceFacts device() {
  DeviceFacts d;
  d.cores = 2;
  d.caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 2}};
  for (const auto& [level, factor] : {std::pair{"DRAM", 1.0}, std::pair{"L3", 3.0}}) {
    d.ceilings.push_back({"write", level, "", 2, 40e9 * factor, 0, 9, 0});
    d.ceilings.push_back({"copy", level, "", 2, 50e9 * factor, 0, 9, 0.5});
    d.ceilings.push_back({"mix_3r1w", level, "", 2, 60e9 * factor, 0, 9, 0.75});
    d.ceilings.push_back({"read", level, "", 2, 80e9 * factor, 0, 9, 1});
  }
  d.ceilings.push_back({"copy", "DRAM", "", 1, 500e9, 0, 9, 0.5});  // One thread: not used.
  d.ceilings.push_back({"fma_f32", "core", "avx2", 2, 60e9, 0, 9, 0});
  d.ceilings.push_back({"fma_f32", "core", "avx512", 2, 100e9, 0, 9, 0});
  d.ceilings.push_back({"fma_f64", "core", "avx512", 2, 50e9, 0, 9, 0});
  return d;
}

// A workload that reads `elements` floats and writes as many.
Workload copy_of(std::int64_t elements) {
  Workload w;
  w.tensors.resize(2);
  w.tensors[0].name = "x", w.tensors[0].sizes = {elements}, w.tensors[0].pitch = elements;
  w.tensors[1] = w.tensors[0];
  w.tensors[1].name = "y", w.tensors[1].role = TensorRole::Out;
  w.work.read_bytes = w.work.write_bytes = 4 * elements;
  w.work.items = elements;
  return w;
}

TEST(Roofline, MixIsInterpolatedBetweenMeasuredOnes) {
  const DeviceFacts d = device();
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 0.5)->per_second, 50e9);
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 0.625)->per_second, 55e9);
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 0.75)->per_second, 60e9);
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 0)->per_second, 40e9);
  EXPECT_EQ(memory_ceiling(d, "DRAM", 0.75)->words, "DRAM read:write 3:1, 2 threads");
  EXPECT_THAT(memory_ceiling(d, "DRAM", 0.625)->words, HasSubstr("between DRAM read:write 1:1"));
  EXPECT_FALSE(memory_ceiling(d, "L2", 0.5).has_value());
}

TEST(Roofline, OutsideTheMeasuredMixesTheNearestServes) {
  DeviceFacts d;
  d.cores = 2;
  d.ceilings = {{"copy", "DRAM", "", 2, 50e9, 0, 9, 0.5}};
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 0)->per_second, 50e9);
  EXPECT_DOUBLE_EQ(memory_ceiling(d, "DRAM", 1)->per_second, 50e9);
}

TEST(Roofline, LevelFollowsFootprint) {
  const DeviceFacts d = device();
  EXPECT_EQ(level_for(d, 40 << 10), "L1");  // Two private caches.
  EXPECT_EQ(level_for(d, 1 << 20), "L2");
  EXPECT_EQ(level_for(d, 20 << 20), "L3");
  EXPECT_EQ(level_for(d, 30 << 20), "DRAM");  // More than 0.8 of the shared cache.
  EXPECT_EQ(level_for(DeviceFacts{}, 1), "DRAM");
}

TEST(Roofline, MemoryBound) {
  // 800 MB at 50 GB/s take 16 ms.
  const RooflinePosition p = position(copy_of(100'000'000), 20e6, device());
  EXPECT_EQ(p.bound, Bound::Memory);
  EXPECT_NEAR(p.fraction, 0.8, 1e-9);
  EXPECT_NEAR(p.ceiling_per_second, 50e9, 1);
  EXPECT_EQ(p.ceiling, "DRAM read:write 1:1, 2 threads");
  EXPECT_THAT(p.advice, HasSubstr("reads of x"));
  EXPECT_FALSE(needs_remeasuring(p));
}

TEST(Roofline, ColdDataComesFromMemoryOnceAndFromCacheAfter) {
  Workload w = copy_of(1'000'000);  // 8 MB: L3.
  w.work.read_bytes *= 10, w.work.write_bytes *= 10;
  // 8 MB at 50 GB/s and 72 MB at 150 GB/s take 160 + 480 µs.
  EXPECT_NEAR(position(w, 1e6, device()).fraction, 0.64, 1e-9);
  // With warm caches all 80 MB move at 150 GB/s, which takes 533 µs.
  EXPECT_NEAR(position(w, 1e6, device(), {.caches = Caches::Warm}).fraction, 0.5333, 1e-4);
  EXPECT_THAT(position(w, 1e6, device()).ceiling, HasSubstr("then L3 read:write 1:1"));
}

TEST(Roofline, ALevelWithoutCeilingsHasThoseOfTheNextOne) {
  DeviceFacts d = device();
  std::erase_if(d.ceilings, [](const Ceiling& c) { return c.level == "L3"; });
  Workload w = copy_of(1'000'000);  // 8 MB: L3, which has no ceilings.
  w.work.read_bytes *= 10, w.work.write_bytes *= 10;
  const RooflinePosition p = position(w, 2e6, d);
  EXPECT_EQ(p.bound, Bound::Memory);
  EXPECT_NEAR(p.fraction, 0.8, 1e-9) << "80 MB at 50 GB/s";
}

TEST(Roofline, ComputeBoundUsesTheOutputsType) {
  Workload w = copy_of(1'000'000);
  w.work.flops = 10'000'000'000;  // 100 ms in f32, 200 ms in f64.
  const RooflinePosition p = position(w, 125e6, device());
  EXPECT_EQ(p.bound, Bound::Compute);
  EXPECT_NEAR(p.fraction, 0.8, 1e-9);
  EXPECT_EQ(p.ceiling, "fma f32 avx512, 2 threads");
  w.tensors[1].dtype = Dtype::F64;
  EXPECT_NEAR(position(w, 250e6, device()).fraction, 0.8, 1e-9);
}

TEST(Roofline, FarFromBothIsLatencyAndTinyIsLaunch) {
  EXPECT_EQ(position(copy_of(100'000'000), 160e6, device()).bound, Bound::Latency);
  const RooflinePosition tiny = position(copy_of(1000), 5'000, device());
  EXPECT_EQ(tiny.bound, Bound::Launch);
  EXPECT_THAT(tiny.advice, HasSubstr("fewer threads"));
}

TEST(Roofline, AboveTheCeilingAsksForANewOne) {
  const RooflinePosition p = position(copy_of(100'000'000), 10e6, device());
  EXPECT_NEAR(p.fraction, 1.6, 1e-9);
  EXPECT_TRUE(needs_remeasuring(p));
  EXPECT_THAT(p.advice, HasSubstr("Above the ceiling"));
}

TEST(Roofline, NothingIsClaimedWithoutCeilingsWorkOrTime) {
  EXPECT_EQ(position(copy_of(1000), 1e6, DeviceFacts{}).bound, Bound::Unknown);
  EXPECT_EQ(position(Workload{}, 1e6, device()).bound, Bound::Unknown);
  for (const double ns : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(position(copy_of(1000), ns, device()).bound, Bound::Unknown);
}

TEST(Roofline, FractionFallsAsTimeGrows) {
  double before = 1e9;
  for (double ns = 1e6; ns < 1e9; ns *= 1.7) {
    const double now = position(copy_of(10'000'000), ns, device()).fraction;
    EXPECT_LT(now, before);
    before = now;
  }
}

TEST(Rates, FollowFromNominalWork) {
  WorkloadResult r;
  r.median_ns = 2e6;
  fill_rates(r, WorkPerCall{0, 0, 6'000'000, 2'000'000, 4'000'000, 1'000'000});
  EXPECT_DOUBLE_EQ(r.items_per_s, 5e8);
  EXPECT_DOUBLE_EQ(r.bytes_per_s, 4e9);
  EXPECT_DOUBLE_EQ(r.flops_per_s, 2e9);
  EXPECT_DOUBLE_EQ(r.arithmetic_intensity, 0.5);
  WorkloadResult none;
  fill_rates(none, WorkPerCall{});
  EXPECT_EQ(none.bytes_per_s, 0);
  EXPECT_EQ(none.arithmetic_intensity, 0);
}

}  // namespace
}  // namespace kw::profile
