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

TEST(Worker, ASearchLooksAtWhatIsNotFasterWhereItsMethodReadsThatProfile) {
  EvaluationRequest request;
  Evaluation judged;
  judged.verdict = {Stage::Measure, Outcome::Correct, ""};
  EXPECT_FALSE(is_to_inspect(request, judged)) << "nobody asked";
  request.inspect.profile = true;
  EXPECT_TRUE(is_to_inspect(request, judged));
  request.measure.purpose = Purpose::Search;
  EXPECT_FALSE(is_to_inspect(request, judged));
  request.inspect.of_slower = true;
  EXPECT_TRUE(is_to_inspect(request, judged));
  judged.verdict.outcome = Outcome::WrongResult;
  EXPECT_FALSE(is_to_inspect(request, judged));
  request.measure.purpose = Purpose::Judge;
  EXPECT_TRUE(is_to_inspect(request, judged)) << "a race may be why";
  request.measure.purpose = Purpose::Search;
  judged.verdict.outcome = Outcome::Correct;
  judged.speedup.is_faster = true;
  request.inspect.of_slower = false;
  EXPECT_TRUE(is_to_inspect(request, judged));
}

}  // namespace
}  // namespace kw::worker
