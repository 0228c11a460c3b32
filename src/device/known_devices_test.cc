// Checks the table of GPUs by arithmetic on its public figures.
// SPDX-License-Identifier: Apache-2.0
#include "device/known_devices.h"

#include <gtest/gtest.h>

namespace kw::device {
namespace {

TEST(KnownDevices, RatesGrowTowardsFewerBitsAndNameTheirSource) {
  for (const KnownDevice& d : known_devices()) {
    SCOPED_TRACE(d.model);
    EXPECT_GT(d.rates.memory, 1e11);
    EXPECT_LE(d.rates.f64, d.rates.f32);
    if (d.rates.f64_matrix > 0) {
      EXPECT_NEAR(d.rates.f64_matrix / d.rates.f64, 2, 0.05);
    }
    EXPECT_LT(d.rates.f32, d.rates.f16);
    if (d.rates.tf32 > 0) {
      EXPECT_LE(d.rates.f32, d.rates.tf32);
    }
    if (d.rates.f8 > 0) {
      EXPECT_NEAR(d.rates.f8 / d.rates.f16, 2, 0.05);
    }
    EXPECT_FALSE(d.rates.source.empty());
    EXPECT_EQ(find_known_device(d.model), &d);
  }
  EXPECT_EQ(find_known_device("NVIDIA H200 MIG 1g.18gb"), nullptr);
}

// Matrix units take f64 on data-centre GPUs from A100 on, and have twice the rate of the others.
TEST(KnownDevices, PlainDoublesAreToldApartFromMatrixUnits) {
  EXPECT_DOUBLE_EQ(find_known_device("NVIDIA H100 80GB HBM3")->rates.f64, 34e12);
  EXPECT_DOUBLE_EQ(find_known_device("NVIDIA H100 80GB HBM3")->rates.f64_matrix, 67e12);
  EXPECT_EQ(find_known_device("NVIDIA L40S")->rates.f64_matrix, 0);
}

TEST(KnownDevices, CubinsRunOnTheirMajorVersion) {
  EXPECT_TRUE(runs_on("sm_90a", "sm_90a"));
  EXPECT_TRUE(runs_on("sm_90", "sm_90a"));
  EXPECT_TRUE(runs_on("sm_80", "sm_86"));
  EXPECT_FALSE(runs_on("sm_86", "sm_80"));
  EXPECT_FALSE(runs_on("sm_80", "sm_90a"));
  EXPECT_FALSE(runs_on("sm_90a", "sm_100a"));
  EXPECT_FALSE(runs_on("sm_90", "sm_100"));
}

TEST(KnownDevices, EveryArchHasLimits) {
  for (const std::string& arch : known_archs()) {
    const GpuFacts facts = least_facts(arch);
    SCOPED_TRACE(arch);
    EXPECT_GE(facts.shared_per_block, 64 << 10);
    EXPECT_LE(facts.shared_per_block, facts.shared_per_multiprocessor);
    EXPECT_GT(facts.multiprocessors, 0);
    EXPECT_GT(facts.l2_bytes, 0);
  }
  EXPECT_EQ(least_facts("sm_90a").shared_per_block, 232448);
  EXPECT_EQ(least_facts("sm_90").multiprocessors, 114) << "the H100 PCIe has the fewest";
}

TEST(KnownDevices, AnArchitectureHasTheMemoryOfItsSmallestDevice) {
  EXPECT_EQ(least_memory("sm_90a"), 80'000'000'000) << "an H100";
  EXPECT_EQ(least_memory("sm_75"), 16'000'000'000);
  EXPECT_EQ(least_memory("sm_87"), 16'000'000'000) << "no device of it is listed";
  EXPECT_EQ(devices_of("sm_90").size(), devices_of("sm_90a").size());
  EXPECT_GE(devices_of("sm_90a").size(), 5U);
  for (const KnownDevice& known : known_devices()) EXPECT_GT(known.memory_gb, 0) << known.model;
}

}  // namespace
}  // namespace kw::device
