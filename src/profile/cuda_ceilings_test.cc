// Points and launches of a GPU's ceilings, and the procedure on a fake GPU of known rates.
// SPDX-License-Identifier: Apache-2.0
#include "profile/cuda_ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error_for_test.h"
#include "base/text.h"
#include "device/fake.h"
#include "platform/files.h"
#include "profile/embedded.h"
#include "profile/plausible.h"

namespace kw::profile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A made-up small sm_90a: 4 multiprocessors at 1 GHz.
DeviceFacts small_gpu() {
  DeviceFacts d;
  d.id = "gpu", d.target = Target::Cuda, d.cores = 2;
  d.memory_bytes = std::int64_t{256} << 20;
  GpuFacts g;
  g.arch = "sm_90a", g.multiprocessors = 4, g.l2_bytes = 1 << 20, g.clock_hz = 1e9;
  g.memory_clock_hz = 1e9, g.memory_bus_bits = 512;
  d.gpu = {g};
  return d;
}

// Rates of small_gpu(), all below what its units can do.
double rate_of(const CudaPoint& p) {
  static const std::map<std::string, double> kCore{
      {"fma_f32", 900e9},  {"fma_f64", 450e9}, {"fma_f16x2", 1.8e12}, {"mma_tf32", 7e12},
      {"mma_bf16", 14e12}, {"mma_f16", 14e12}, {"mma_f8", 28e12}};
  if (const auto at = kCore.find(p.kind); at != kCore.end()) return at->second;
  const double level = p.level == "DRAM" ? 100e9 : p.level == "L2" ? 250e9 : 500e9;
  return level * (0.8 + 0.2 * p.reads) * (p.kernel.ends_with("_cs") ? 0.9 : 1.0);
}

const CudaPoint* point_of(const std::vector<CudaPoint>& points, const Plan& plan, bool is_l2) {
  for (const CudaPoint& p : points)
    if (p.kernel == plan.steps.front().kernel && (p.level == "L2") == is_l2) return &p;
  return nullptr;
}

class FakeGpu : public testing::Test {
 protected:
  FakeGpu() {
    world_.facts = small_gpu();
    world_.trusted = [this](const device::TrustedRun& run) -> Result<double> {
      const PlanStep& step = run.plan->steps.front();
      // A streaming launch whose blocks all fit the GPU at once runs on the L2; one on DRAM has
      // more blocks.
      const bool streams = step.arguments.size() == 4 && step.arguments[1].bytes == 8;
      const bool is_l2 = streams && step.grid[0] == 16;
      const CudaPoint* p = point_of(points_, *run.plan, is_l2);
      if (p == nullptr || p->unit != run.unit)
        return fail(ErrorCode::NotFound, About{step.kernel}, "no such kernel");
      ++runs_[p->kernel];
      const double steps = static_cast<double>(step.arguments[streams ? 3 : 1].image);
      const double amount =
          p->per_block_step * static_cast<double>(step.grid[0]) * steps * run.repeats;
      return amount / (rate_of(*p) * scale_) * 1e9 + overhead_ns_ * run.repeats;
    };
  }

  std::vector<CudaPoint> points_ = cuda_points("sm_90a");
  std::map<std::string, int> runs_;
  double scale_ = 1;
  double overhead_ns_ = 0;
  device::FakeWorld world_;
};

const Ceiling* find(const CeilingReport& report, const char* kind, const char* level) {
  for (const Ceiling& c : report.ceilings)
    if (c.kind == kind && c.level == level) return &c;
  return nullptr;
}

TEST_F(FakeGpu, EveryCeilingComesOutAsItIs) {
  const auto device = device::make_fake_device(world_);
  const auto report = measure_ceilings(*device, Effort::Quick);
  ASSERT_TRUE(report.has_value()) << describe(report.error());
  EXPECT_THAT(report->refused, IsEmpty());
  EXPECT_THAT(report->unreliable, IsEmpty());
  EXPECT_EQ(report->ceilings.size(), 5u + 5u + 3u + 3u + 4u);
  for (const CudaPoint& p : points_) {
    const Ceiling* c = find(*report, p.kind.c_str(), p.level.c_str());
    ASSERT_NE(c, nullptr) << p.kind << " " << p.level;
    // Of two kernels for one ceiling the faster one counts.
    EXPECT_NEAR(c->per_second / rate_of(p), p.kernel.ends_with("_cs") ? 1 / 0.9 : 1, 1e-9)
        << p.kind << " " << p.level;
    EXPECT_EQ(c->isa, "sm_90a");
    EXPECT_EQ(c->samples, 9);
    EXPECT_GT(runs_[p.kernel], 9);
  }
}

TEST_F(FakeGpu, LaunchesAreLongBesideWhatTheyCost) {
  overhead_ns_ = 2000;  // As long as the gap between two launches.
  const auto device = device::make_fake_device(world_);
  const auto report = measure_ceilings(*device, Effort::Quick);
  ASSERT_TRUE(report.has_value());
  EXPECT_NEAR(find(*report, "fma_f32", "core")->per_second, 900e9, 900e9 * 0.005);
}

TEST_F(FakeGpu, WhatIsFasterThanItsUnitsIsRefused) {
  scale_ = 1.5;  // 128 FMA a clock on each of 4 multiprocessors are 1.02 TFLOP/s.
  const auto device = device::make_fake_device(world_);
  const auto report = measure_ceilings(*device, Effort::Quick);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(find(*report, "fma_f32", "core"), nullptr);
  EXPECT_THAT(report->refused, Contains(HasSubstr("fma f32 sm_90a measured as 1.35 Tflop/s")));
}

TEST_F(FakeGpu, TroubleIsToldAsItIs) {
  const auto device = device::make_fake_device(world_);
  world_.trusted = {};
  EXPECT_THAT(measure_ceilings(*device, Effort::Quick), IsError(ErrorCode::Unsupported));
  world_.free_bytes = 1000;
  EXPECT_THAT(measure_ceilings(*device, Effort::Quick),
              IsErrorAbout(ErrorCode::NoMemory, "device"));
}

TEST(CudaPoints, FollowTheArch) {
  const auto has = [](const char* arch, std::string_view kernel) {
    for (const CudaPoint& p : cuda_points(arch))
      if (p.kernel == kernel) return true;
    return false;
  };
  EXPECT_TRUE(has("sm_75", "mma_f16"));
  EXPECT_FALSE(has("sm_75", "mma_tf32"));
  EXPECT_TRUE(has("sm_80", "mma_bf16"));
  EXPECT_FALSE(has("sm_80", "mma_f8"));
  EXPECT_TRUE(has("sm_89", "mma_f8"));
  EXPECT_TRUE(has("sm_90a", "wgmma_f8"));
  EXPECT_FALSE(has("sm_90a", "mma_f8"));  // mma.sync stays below what wgmma reaches there.
}

TEST(CudaPoints, NoLaunchLeavesItsBuffer) {
  DeviceFacts d = small_gpu();
  for (const std::int64_t bytes : {std::int64_t{8} << 14, std::int64_t{100} << 20})
    for (const CudaPoint& p : cuda_points("sm_90a")) {
      const CudaLaunch launch = launch_of(p, d, bytes, 7);
      const PlanStep& step = launch.plan.steps.front();
      EXPECT_EQ(step.block, (std::vector<std::int64_t>{256, 1, 1}));
      if (p.level != "DRAM" && p.level != "L2") continue;
      const std::int64_t array = static_cast<std::int64_t>(step.arguments[2].image) * 16384;
      EXPECT_LE(array * (p.arrays_read + p.arrays_written), bytes) << p.kernel;
      EXPECT_EQ(step.arguments[1].place.offset, p.arrays_written > 0 ? p.arrays_read * array : 0);
      if (p.level == "DRAM") {
        EXPECT_EQ(step.grid[0] * 16384, array);
        EXPECT_EQ(step.arguments[3].image, 1u);
        EXPECT_DOUBLE_EQ(launch.amount,
                         static_cast<double>(array * (p.arrays_read + p.arrays_written)));
      } else {
        EXPECT_LE(array * (p.arrays_read + p.arrays_written), d.gpu[0].l2_bytes / 4);
      }
    }
}

TEST(CudaPoints, FootprintsOfAnH200) {
  DeviceFacts d;
  d.memory_bytes = std::int64_t{141} << 30;
  d.gpu.emplace_back().l2_bytes = std::int64_t{50} << 20;
  EXPECT_EQ(cuda_footprint(d, "DRAM"), std::int64_t{3200} << 20);
  EXPECT_EQ(cuda_footprint(d, "L2"), (std::int64_t{50} << 20) / 4);
}

// The built text is that of the file, and it holds each kernel that is launched.
TEST(CeilingUnits, HoldTheKernels) {
  std::map<std::string, std::string> text;
  for (const char* arch : {"sm_75", "sm_90a"}) {
    for (const BuildUnit& u : ceiling_units(arch)) {
      EXPECT_EQ(u.arch, arch);
      EXPECT_EQ(u.target, Target::Cuda);
      ASSERT_EQ(u.files.size(), 1u);
      const auto file =
          platform::read_file(std::string(KW_SOURCE_DIR) + "/src/profile/cuda/" + u.main_file);
      ASSERT_TRUE(file.has_value());
      EXPECT_EQ(u.files[0].text, *file);
      text[u.role] = *file;
    }
    for (const CudaPoint& p : cuda_points(arch)) {
      std::string name = p.kernel;
      if (name.ends_with("_cg") || name.ends_with("_cs")) name.resize(name.size() - 3);
      EXPECT_TRUE(text[p.unit].contains(name)) << p.kernel;
    }
  }
  EXPECT_TRUE(embedded_text("none.cu").empty());
}

TEST(Plausible, NarrowerNumbersAreNotSlower) {
  GpuFacts h200;
  h200.arch = "sm_90a", h200.multiprocessors = 132, h200.clock_hz = 1.98e9;
  std::vector<Ceiling> found{{"mma_f16", "core", "sm_90a", 1, 700e12, 0.01, 9, 0},
                             {"mma_f8", "core", "sm_90a", 1, 400e12, 0.01, 9, 0}};
  EXPECT_EQ(implausible(found, &h200).size(), 2u);
  EXPECT_THAT(implausible(found, &h200)[0].why, HasSubstr("mma f8 sm_90a"));
  found[1].per_second = 1400e12;
  EXPECT_THAT(implausible(found, &h200), IsEmpty());
}

}  // namespace
}  // namespace kw::profile
