// Occupancy of sm_75, sm_80 and sm_90 by hand, after the documented rules.
// SPDX-License-Identifier: Apache-2.0
#include "profile/occupancy.h"

#include <gtest/gtest.h>

namespace kw::profile {
namespace {

Occupancy at(const char* arch, int threads, int registers, std::int64_t shared) {
  return occupancy_of(*device::multiprocessor_of(arch), {threads, registers, shared});
}

struct Case {
  const char* arch;
  int threads;
  int registers;
  std::int64_t shared;
  int blocks;
  OccupancyLimit limit;
};

TEST(Occupancy, FollowsTheDocumentedRules) {
  using enum OccupancyLimit;
  const Case cases[] = {
      {"sm_75", 256, 32, 0, 4, Warps},        // 1024 threads
      {"sm_75", 32, 16, 0, 16, Blocks},       // 16 blocks of one warp: half of the warps
      {"sm_75", 256, 72, 0, 3, Registers},    // 72 * 32 = 2304: 7 warps a partition, 28 in all
      {"sm_75", 64, 16, 20000, 3, Shared},    // 20224 of 65536
      {"sm_80", 256, 32, 0, 8, Warps},        // 2048 threads
      {"sm_80", 256, 33, 0, 6, Registers},    // 40 * 32: 12 warps a partition, 48 in all
      {"sm_80", 64, 32, 0, 32, Warps},        // 32 of both warps and blocks
      {"sm_80", 128, 32, 40000, 4, Shared},   // 41088 of 167936
      {"sm_80", 32, 24, 0, 32, Blocks},       // half of the warps
      {"sm_90a", 256, 168, 0, 1, Registers},  // 5376 a warp: 3 a partition, 12 in all
      {"sm_90a", 384, 168, 0, 1, Registers},  {"sm_90a", 128, 168, 0, 3, Registers},
      {"sm_90a", 1024, 64, 0, 1, Registers},   // 2048 a warp: 8 a partition, 32 in all
      {"sm_90a", 1024, 65, 0, 0, Registers},   // not even one block fits
      {"sm_90a", 128, 32, 232448, 1, Shared},  // 227 KiB, the most that a block can have
      {"sm_90a", 128, 32, 232449, 0, Shared}, {"sm_90a", 1024, 32, 1024, 2, Warps},
      {"sm_90a", 33, 32, 0, 32, Warps},  // two warps
  };
  for (const Case& c : cases) {
    const Occupancy o = at(c.arch, c.threads, c.registers, c.shared);
    const auto label = std::string(c.arch) + " " + std::to_string(c.threads) + " threads, " +
                       std::to_string(c.registers) + " registers, " + std::to_string(c.shared);
    EXPECT_EQ(o.blocks, c.blocks) << label;
    EXPECT_EQ(o.limit, c.limit) << label << ": " << name_of(o.limit);
    EXPECT_EQ(o.warps, c.blocks * ((c.threads + 31) / 32)) << label;
  }
  EXPECT_DOUBLE_EQ(at("sm_80", 256, 33, 0).share, 0.75);
  EXPECT_EQ(at("sm_80", 256, 256, 0).blocks, 0);  // More registers than a thread can have.
  EXPECT_EQ(at("sm_80", 0, 32, 0).blocks, 0);
}

TEST(Waves, CountTheTail) {
  const Waves even = waves_of(264, 132, 2);
  EXPECT_EQ(even.full, 1);
  EXPECT_DOUBLE_EQ(even.tail, 0);
  EXPECT_DOUBLE_EQ(even.efficiency, 1);
  const Waves tail = waves_of(270, 132, 2);
  EXPECT_EQ(tail.full, 1);
  EXPECT_NEAR(tail.tail, 6.0 / 264, 1e-12);
  EXPECT_NEAR(tail.efficiency, 270.0 / 528, 1e-12);
  const Waves few = waves_of(66, 132, 1);
  EXPECT_EQ(few.full, 0);
  EXPECT_DOUBLE_EQ(few.efficiency, 0.5);
  EXPECT_DOUBLE_EQ(waves_of(5, 0, 1).efficiency, 0);
}

}  // namespace
}  // namespace kw::profile
