// Positions of a GPU's calls under ceilings of round numbers, worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/roofline.h"
#include "profile/roofline_advice.h"

namespace kw::profile {
namespace {

using testing::HasSubstr;

// A GPU with an L2 of 40 MiB, DRAM that copies at 4 TB/s, an L2 twice as fast, and 50 TF/s of FMA
// in f32, 25 in f64, 300 on tf32 and 800 on bf16.
DeviceFacts gpu() {
  DeviceFacts d;
  d.target = Target::Cuda, d.cores = 16;
  GpuFacts& g = d.gpu.emplace_back();
  g.arch = "sm_90a", g.multiprocessors = 132, g.l2_bytes = 40 << 20;
  const auto add = [&](const char* kind, const char* level, double rate, double reads) {
    d.ceilings.push_back({kind, level, "sm_90a", 1, rate, 0, 9, reads});
  };
  add("copy", "DRAM", 4e12, 0.5);
  add("read", "DRAM", 4.8e12, 1);
  add("copy", "L2", 8e12, 0.5);
  add("copy", "shared", 30e12, 0.5);
  add("fma_f32", "core", 50e12, 0);
  add("fma_f64", "core", 25e12, 0);
  add("fma_f16x2", "core", 100e12, 0);
  add("mma_tf32", "core", 300e12, 0);
  add("mma_bf16", "core", 800e12, 0);
  return d;
}

Workload device_copy_of(std::int64_t elements) {
  Workload w;
  w.tensors.resize(2);
  w.tensors[0].name = "x", w.tensors[0].sizes = {elements}, w.tensors[0].pitch = elements;
  w.tensors[1] = w.tensors[0];
  w.tensors[1].name = "y", w.tensors[1].role = TensorRole::Out;
  w.work.read_bytes = w.work.write_bytes = 4 * elements;
  return w;
}

Plan plan_of(std::size_t launches) {
  Plan p;
  p.steps.resize(launches);
  return p;
}

TEST(GpuRoofline, MemoryUsesTheMixOfItsLevel) {
  // 8 GB at 4 TB/s take 2 ms.
  const RooflinePosition p = position(device_copy_of(1'000'000'000), 2.5e6, gpu());
  EXPECT_EQ(p.bound, Bound::Memory);
  EXPECT_NEAR(p.fraction, 0.8, 1e-9);
  EXPECT_EQ(p.ceiling, "DRAM read:write 1:1");
  EXPECT_THAT(p.advice, HasSubstr("reads of x"));
  EXPECT_THAT(p.advice, HasSubstr("neighbouring 16 bytes"));
  EXPECT_EQ(level_for(gpu(), 20 << 20), "L2");
  EXPECT_EQ(level_for(gpu(), 21 << 20), "DRAM");
  // 8 MB cold at 4 TB/s and 72 MB of reuse at 8 TB/s take 2 + 9 µs.
  Workload again = device_copy_of(1'000'000);
  again.work.read_bytes *= 10, again.work.write_bytes *= 10;
  const Plan one = plan_of(1);
  EXPECT_NEAR(position(again, 20e3, gpu(), {.plan = &one}).fraction, 0.55, 1e-9);
}

TEST(GpuRoofline, DotTasksInF32StandUnderTheFmaUnits) {
  Workload w = device_copy_of(1000);
  w.work.flops = 1'000'000'000'000;  // 20 ms of FMA, 10 ms of 3xTF32.
  const RooflinePosition dot = position(w, 25e6, gpu(), {.gate = GateKind::Dot});
  EXPECT_EQ(dot.bound, Bound::Compute);
  EXPECT_NEAR(dot.fraction, 0.8, 1e-9);
  EXPECT_NEAR(dot.matrix_fraction, 0.4, 1e-9);
  EXPECT_EQ(dot.ceiling, "fma f32 sm_90a");
  EXPECT_THAT(dot.advice, HasSubstr("eight or more FMAs"));
  EXPECT_THAT(dot.advice, HasSubstr("would reach 2.0 times this ceiling"));
  const RooflinePosition other = position(w, 25e6, gpu());
  EXPECT_NEAR(other.fraction, 0.8, 1e-9);
  EXPECT_EQ(other.ceiling, "fma f32 sm_90a");
  EXPECT_EQ(other.matrix_fraction, 0) << "tf32 would not pass its gates";
  w.tensors[1].dtype = Dtype::F64;
  EXPECT_EQ(position(w, 50e6, gpu(), {.gate = GateKind::Dot}).ceiling, "fma f64 sm_90a");
}

TEST(GpuRoofline, MatrixUnitsMayExceedTheFmaUnits) {
  Workload w = device_copy_of(1000);
  w.work.flops = 1'000'000'000'000;
  const CallFacts dot{.gate = GateKind::Dot};
  const RooflinePosition above = position(w, 12.5e6, gpu(), dot);
  EXPECT_NEAR(above.fraction, 1.6, 1e-9);
  EXPECT_NEAR(above.matrix_fraction, 0.8, 1e-9);
  EXPECT_THAT(above.advice, HasSubstr("1.60 of fma f32 sm_90a, 0.80 of a third of mma tf32"));
  EXPECT_THAT(above.advice, HasSubstr("feed the matrix units"));
  EXPECT_TRUE(needs_remeasuring(above)) << "FMA units on a ceiling that is out of date look alike";
  EXPECT_THAT(position(w, 9e6, gpu(), dot).advice, HasSubstr("ceiling was measured while"))
      << "faster than 3xTF32";
  // Where tf32 is at most three times as fast as FMA, matrix units give no higher ceiling than FMA.
  DeviceFacts slow = gpu();
  for (Ceiling& c : slow.ceilings)
    if (c.kind == "mma_tf32") c.per_second = 140e12;
  EXPECT_EQ(position(w, 12.5e6, slow, dot).matrix_fraction, 0);
  EXPECT_TRUE(needs_remeasuring(position(w, 12.5e6, slow, dot)));
  // A memory-bound call is no faster on matrix units: its traffic takes 20 ms at 4 TB/s.
  w = device_copy_of(10'000'000'000);
  w.work.flops = 500'000'000'000;
  EXPECT_EQ(position(w, 25e6, gpu(), dot).matrix_fraction, 0);
}

TEST(GpuRoofline, ManyShortLaunchesAreLaunchBound) {
  const Plan many = plan_of(50);
  // 50 launches of 4 µs; the traffic of all takes 100 µs at DRAM's ceiling.
  Workload w = device_copy_of(50'000'000);
  const RooflinePosition p = position(w, 200e3, gpu(), {.plan = &many});
  EXPECT_EQ(p.bound, Bound::Launch);
  EXPECT_THAT(p.advice, HasSubstr("50 launches take 4.00 us each"));
  EXPECT_THAT(p.advice, HasSubstr("fuse steps"));
  // With launches of 40 µs the same plan is bound by its ceiling, memory.
  EXPECT_EQ(position(device_copy_of(750'000'000), 2e6, gpu(), {.plan = &many}).bound,
            Bound::Memory);
  const RooflinePosition tiny = position(device_copy_of(1000), 4e3, gpu());
  EXPECT_EQ(tiny.bound, Bound::Launch);
  EXPECT_THAT(tiny.advice, HasSubstr("does nothing takes about 2.70 us"));
  // A call near its roof is not called launch-bound.
  EXPECT_EQ(position(device_copy_of(5'000'000), 11e3, gpu(), {.plan = &many}).bound, Bound::Memory);
}

TEST(GpuRoofline, FarFromBothIsLatency) {
  const RooflinePosition p = position(device_copy_of(1'000'000'000), 20e6, gpu());
  EXPECT_EQ(p.bound, Bound::Latency);
  EXPECT_THAT(p.advice, HasSubstr("too little is in flight"));
}

}  // namespace
}  // namespace kw::profile
