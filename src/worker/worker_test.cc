// What a worker makes of trouble that is not the candidate's.
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fake.h"

namespace kw::worker {
namespace {

using testing::HasSubstr;

TEST(Worker, WhatFailsWithALostGpuIsNobodysFault) {
  device::FakeWorld world;
  world.facts.id = "gpu-of-a-test";
  world.facts.target = Target::Cuda;
  world.facts.gpu.emplace_back().arch = "sm_90a";
  Worker worker(device::make_fake_device(world), device::make_fake_device(world));
  EvaluationRequest request;  // without a candidate: something fails
  const auto fine = worker.judge(request);
  ASSERT_FALSE(fine);
  EXPECT_THAT(fine.error().what, HasSubstr("the candidate has no built object"));
  world.lost = "the GPU is lost to this process";
  const auto lost = worker.judge(request);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().what, world.lost);
  EXPECT_EQ(lost.error().advice, Advice::Retry);
}

}  // namespace
}  // namespace kw::worker
