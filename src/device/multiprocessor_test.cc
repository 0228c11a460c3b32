// Tests of the table of multiprocessors against data sheets.
// SPDX-License-Identifier: Apache-2.0
#include "device/multiprocessor.h"

#include <gtest/gtest.h>

namespace kw::device {
namespace {

TEST(Multiprocessors, AreKnownByArch) {
  EXPECT_EQ(capability_of("sm_90a"), 90);
  EXPECT_EQ(capability_of("sm_75"), 75);
  EXPECT_EQ(capability_of("sm_103f"), 103);
  for (const char* wrong : {"", "sm_", "sm_9", "90", "sm_90x", "sm_9000", "compute_90"})
    EXPECT_EQ(capability_of(wrong), 0) << wrong;
  EXPECT_EQ(multiprocessor_of("sm_90a")->warps, 64);
  EXPECT_FALSE(multiprocessor_of("sm_61").has_value());
}

TEST(Multiprocessors, RatesAreThoseOfDataSheets) {
  GpuFacts h200;
  h200.arch = "sm_90a", h200.multiprocessors = 132, h200.clock_hz = 1.98e9;
  h200.memory_clock_hz = 3.201e9, h200.memory_bus_bits = 6144;
  // NVIDIA's data sheet states 4.8 TB/s; 67 TFLOP/s for f32, 34 for f64; dense 989 for bf16 and
  // 1979 for fp8, these at a clock below the highest.
  EXPECT_NEAR(datasheet_rate(h200, "copy", "DRAM"), 4.92e12, 0.01e12);
  EXPECT_NEAR(datasheet_rate(h200, "fma_f32", "core"), 66.9e12, 0.1e12);
  EXPECT_NEAR(datasheet_rate(h200, "fma_f64", "core"), 33.5e12, 0.1e12);
  EXPECT_NEAR(datasheet_rate(h200, "mma_bf16", "core"), 1070e12, 1e12);
  EXPECT_NEAR(datasheet_rate(h200, "mma_f8", "core"), 2141e12, 1e12);
  EXPECT_EQ(datasheet_rate(h200, "read", "shared"), 132 * 128 * 1.98e9);
  GpuFacts t4;
  t4.arch = "sm_75", t4.multiprocessors = 40, t4.clock_hz = 1.59e9;
  EXPECT_NEAR(datasheet_rate(t4, "fma_f32", "core"), 8.1e12, 0.1e12);  // data sheet: 8.1
  EXPECT_NEAR(datasheet_rate(t4, "mma_f16", "core"), 65e12, 1e12);     // data sheet: 65
  EXPECT_EQ(datasheet_rate(t4, "mma_f8", "core"), 0);
  h200.arch = "sm_61";
  EXPECT_EQ(datasheet_rate(h200, "fma_f32", "core"), 0);
}

}  // namespace
}  // namespace kw::device
