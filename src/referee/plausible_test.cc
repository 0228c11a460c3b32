// The physics floor on a GPU: datasheets, and clocks where there is none.
// SPDX-License-Identifier: Apache-2.0
#include "referee/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(*find_implausible(workload, *least * 0.9, gpu("NVIDIA H200")),
              testing::HasSubstr("H200 datasheet"));
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

}  // namespace
}  // namespace kw::referee
