// Tests of how a worker reports failures that are not the candidate's fault.
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

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
  ASSERT_FALSE(fine);
  EXPECT_THAT(fine.error().what, HasSubstr("no unit 'reference_f64'"));
  world.lost = "the GPU is lost to this process";
  const auto lost = worker.judge(request);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().what, world.lost);
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
  const auto why = [&](const std::function<void(EvaluationRequest&)>& change) {
    EvaluationRequest request = small_request();
    change(request);
    const auto checked = check_judgeable(request, facts, Wanted::Judgement);
    EXPECT_TRUE(checked || checked.error().is_input);
    return checked ? "" : checked.error().what;
  };
  EXPECT_EQ(why([](EvaluationRequest&) {}), "");
  EXPECT_THAT(why([](EvaluationRequest& r) { r.workloads[0].tensors[0].sizes = {-8}; }),
              HasSubstr("the value -8 is below 0"));
  EXPECT_THAT(why([](EvaluationRequest& r) {
                r.workloads[0].tensors[0].sizes = {1 << 20},
                r.workloads[0].tensors[0].pitch = 1 << 20;
              }),
              HasSubstr("need 4 MiB, and the device has 1 MiB of memory"));
  EXPECT_THAT(why([](EvaluationRequest& r) { r.units[0].object.clear(); }),
              HasSubstr("the request's unit 'candidate' was not compiled"));
  EXPECT_THAT(why([](EvaluationRequest& r) { r.workloads[0].tensors.clear(); }),
              HasSubstr("no argument 'x'"));
  EXPECT_THAT(why([](EvaluationRequest& r) { r.workloads[0].tensors[0].dtype = Dtype::F64; }),
              HasSubstr("no argument 'x' of its type"));
  EXPECT_THAT(why([](EvaluationRequest& r) { r.opponent.source = "x"; }),
              HasSubstr("no unit 'opponent'"));
  EXPECT_THAT(why([](EvaluationRequest& r) { r.units[0].target = Target::Cuda; }),
              HasSubstr("whose limits"));
  device::FakeWorld world;
  Worker worker(device::make_fake_device(world), device::make_fake_device(world));
  Message message;
  message.verb = Verb::Judge;
  message.request = {small_request()};
  message.request[0].measure.wall_ns = -1;
  const Reply reply = worker.answer(message);
  EXPECT_FALSE(reply.is_ok);
  EXPECT_THAT(reply.what, HasSubstr("request.measure.wall_ns: the value -1 is below 0"));
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
