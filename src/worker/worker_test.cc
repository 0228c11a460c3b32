// Tests of how a worker reports failures that are not the candidate's fault.
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error_for_test.h"
#include "device/fake.h"
#include "worker/messages.h"
#include "worker/request_check.h"

namespace kw::worker {
namespace {

using testing::HasSubstr;

TEST(Worker, WhatFailsWithALostGpuIsNobodysFault) {
  device::FakeWorld world;
  world.facts.id = "gpu-of-a-test";
  world.facts.target = Target::Cuda;
  world.facts.gpu.emplace_back().arch = "sm_90a";
  Worker worker(device::make_fake_device(world), device::make_fake_device(world));
  EvaluationRequest request;  // fails, since there is no candidate
  const auto fine = worker.judge(request);
  EXPECT_THAT(fine, IsErrorAbout(ErrorCode::Missing, "reference_f64"));
  world.lost = "the GPU is lost to this process";
  const auto lost = worker.judge(request);
  ASSERT_THAT(lost, IsErrorAbout(ErrorCode::DeviceFailed, world.lost));
  EXPECT_EQ(lost.error().advice, Advice::Retry);
}

/// A request of one tensor and two built units, to test what can be told without running anything.
EvaluationRequest small_request() {
  EvaluationRequest request;
  request.task.signature = {{"x", true, Dtype::F32, TensorRole::Out}};
  Tensor x;
  x.name = "x", x.role = TensorRole::Out, x.sizes = {8}, x.pitch = 8;
  Workload w;
  w.name = "small";
  w.tensors = {x};
  request.workloads = {w};
  for (const char* role : {"candidate", "reference_f64"}) {
    BuildUnit& unit = request.units.emplace_back();
    unit.role = role;
    unit.object.emplace_back();
  }
  return request;
}

TEST(Worker, WhatCannotBeJudgedIsToldAndTheWorkerLivesOn) {
  DeviceFacts facts;
  facts.memory_bytes = 1 << 20;
  const auto check = [&](const std::function<void(EvaluationRequest&)>& change) {
    EvaluationRequest request = small_request();
    change(request);
    const auto checked = check_judgeable(request, facts, Wanted::Judgement);
    EXPECT_TRUE(checked || checked.error().is_input);
    return checked;
  };
  EXPECT_TRUE(check([](EvaluationRequest&) {}));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.workloads[0].tensors[0].sizes = {-8}; }),
              IsErrorAbout(ErrorCode::OutOfRange, HasSubstr("sizes")));
  EXPECT_THAT(check([](EvaluationRequest& r) {
                r.workloads[0].tensors[0].sizes = {1 << 20},
                r.workloads[0].tensors[0].pitch = 1 << 20;
              }),
              IsErrorAbout(ErrorCode::NoMemory, "small"));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.units[0].object.clear(); }),
              IsErrorAbout(ErrorCode::Missing, "object of candidate"));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.workloads[0].tensors.clear(); }),
              IsErrorAbout(ErrorCode::Missing, "x"));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.workloads[0].tensors[0].dtype = Dtype::F64; }),
              IsErrorAbout(ErrorCode::Missing, "x"));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.opponent.source = "x"; }),
              IsErrorAbout(ErrorCode::Missing, "opponent"));
  EXPECT_THAT(check([](EvaluationRequest& r) { r.units[0].target = Target::Cuda; }),
              IsErrorAbout(ErrorCode::Missing, "gpu"));
  device::FakeWorld world;
  Worker worker(device::make_fake_device(world), device::make_fake_device(world));
  Message message;
  message.verb = Verb::Judge;
  message.request = {small_request()};
  message.request[0].measure.wall_ns = -1;
  const Reply reply = worker.answer(message);
  EXPECT_FALSE(reply.is_ok);
  EXPECT_THAT(error_of(reply), IsErrorAbout(ErrorCode::OutOfRange, "wall_ns"));
  EXPECT_TRUE(worker.answer(Message()).is_ok) << "a greeting";
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
