// The kernels do what their names say; footprints fit their levels. Nothing here looks at a clock.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <set>
#include <string>

#include "profile/crew.h"
#include "profile/kernels.h"

namespace kw::profile {
namespace {

TEST(Kernels, WriteWhatTheirMixSays) {
  alignas(64) static float a[2 * kBlockFloats], b[2 * kBlockFloats], c[2 * kBlockFloats],
      out[2 * kBlockFloats];
  for (std::size_t i = 0; i < 2 * kBlockFloats; ++i) {
    a[i] = static_cast<float>(i), b[i] = 1000, c[i] = 5000;
  }
  for (const MemoryKernel& kernel : memory_kernels()) {
    std::fill(std::begin(out), std::end(out), -1.0f);
    kernel.run({a, b, c, out, 2 * kBlockFloats}, 2);
    for (std::size_t i = 0; i < 2 * kBlockFloats; ++i) {
      const float x = static_cast<float>(i);
      const float want = kernel.kind == "read"    ? -1
                         : kernel.kind == "write" ? 1
                         : kernel.kind == "copy"  ? x
                         : kernel.kind == "triad" ? x + 1000
                                                  : x + 6000;
      ASSERT_EQ(out[i], want) << kernel.kind << " " << i;
    }
  }
}

TEST(Points, AreEveryMixOfEveryLevelAndEveryWidthForAllThreadsAndForOne) {
  DeviceFacts facts;
  facts.cores = 8;
  facts.memory_bytes = std::int64_t{64} << 30;
  for (const int level : {1, 2, 3})
    facts.caches.push_back({.level = level, .bytes = std::int64_t{1} << (14 + 4 * level)});
  std::set<std::string> widths;
  for (const FmaKernel& kernel : fma_kernels())
    widths.insert(fmt::format("{} {}", kernel.kind, kernel.isa));
  const std::set<std::string> mixes = {"copy", "mix_3r1w", "triad", "read", "write"};
  for (const int threads : {8, 1}) {
    std::set<std::string> fma;
    std::map<std::string, std::set<std::string>> levels;
    for (const CeilingPoint& p : points_of(facts, Effort::Full)) {
      if (p.threads != threads) continue;
      if (p.level == "core")
        fma.insert(p.kind + " " + p.isa);
      else
        levels[p.level].insert(p.kind);
    }
    EXPECT_EQ(fma, widths) << threads;
    EXPECT_EQ(levels, (std::map<std::string, std::set<std::string>>{
                          {"L1", mixes}, {"L2", mixes}, {"L3", mixes}, {"DRAM", mixes}}))
        << threads;
  }
  for (const CeilingPoint& p : points_of(facts, Effort::Quick)) EXPECT_EQ(p.threads, 8);
}

TEST(Kernels, EveryMixIsThere) {
  std::vector<double> shares;
  for (const MemoryKernel& kernel : memory_kernels())
    if (!kernel.bypasses_cache) shares.push_back(kernel.reads());
  EXPECT_THAT(shares,
              testing::UnorderedElementsAre(0, 0.5, testing::DoubleNear(2.0 / 3, 1e-12), 0.75, 1));
}

TEST(Kernels, FmaKernelsRunAndCountTheirLanes) {
  for (const FmaKernel& kernel : fma_kernels()) {
    kernel.run(10);
    const int lanes = (kernel.isa == "scalar" ? 1
                       : kernel.isa == "sse"  ? 16
                       : kernel.isa == "avx2" ? 32
                                              : 64) /
                      (kernel.isa == "scalar"     ? 1
                       : kernel.kind == "fma_f32" ? 4
                                                  : 8);
    EXPECT_EQ(kernel.flops_per_step, 2 * 12 * lanes) << kernel.isa << " " << kernel.kind;
  }
}

TEST(Footprints, FitTheirLevel) {
  DeviceFacts d;
  d.cores = 4;
  d.caches = {{1, 32 << 10, 1}, {2, 1 << 20, 2}, {3, 32 << 20, 4}};
  d.memory_bytes = std::int64_t{16} << 30;
  EXPECT_EQ(footprint_for(d, "L1", 1), 16 << 10);
  EXPECT_EQ(footprint_for(d, "L1", 4), 64 << 10);
  EXPECT_EQ(footprint_for(d, "L2", 4), 1 << 20);
  EXPECT_EQ(footprint_for(d, "L3", 4), 16 << 20);
  EXPECT_EQ(footprint_for(d, "DRAM", 4), 128 << 20);
  d.memory_bytes = std::int64_t{1} << 30;
  EXPECT_EQ(footprint_for(d, "DRAM", 4), 64 << 20);
  d.caches.clear();
  EXPECT_EQ(footprint_for(d, "L3", 4), 0);
}

TEST(Crew, EveryMemberRunsEveryJobOnce) {
  Crew crew(3);
  std::array<std::atomic<int>, 3> runs{};
  for (int i = 0; i < 20; ++i) {
    const double ns = crew.run([&](int t) { ++runs[static_cast<std::size_t>(t)]; });
    EXPECT_GE(ns, 0);
  }
  for (const auto& n : runs) EXPECT_EQ(n, 20);
}

}  // namespace
}  // namespace kw::profile
