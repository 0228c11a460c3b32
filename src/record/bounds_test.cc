// Tests of bounds: records that decode but hold impossible sizes, counts and durations are refused.
// SPDX-License-Identifier: Apache-2.0
#include "record/bounds.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error_for_test.h"
#include "record/codec.h"

namespace kw {
namespace {

using nlohmann::json;
using testing::StartsWith;

Tensor tensor_of(const std::string& name, std::vector<std::int64_t> sizes) {
  Tensor t;
  t.name = name;
  t.pitch = sizes.back() + 3;
  t.sizes = std::move(sizes);
  t.compared = {{{{0, t.sizes[0]}, {1, t.sizes[1]}}}};
  return t;
}

/// A request with something in every part that holds a number.
EvaluationRequest whole_request() {
  EvaluationRequest request;
  request.seed = 0xFFFF'FFFF'FFFF'FFFFu;
  request.task.goals.time_ns = 1e6;
  Workload w;
  w.name = "big";
  w.dims = {{"n", 8}};
  w.tensors = {tensor_of("x", {4, 8}), tensor_of("y", {4, 8})};
  w.scalars = {{"n", Dtype::I32, 0, -8}};
  w.work = {128, 32, 128, 128, 32, 32};
  request.workloads = {w};
  BuildUnit& unit = request.units.emplace_back();
  unit.role = "candidate";
  BuiltObject& object = unit.object.emplace_back();
  object.bytes = 100;
  object.kernels = {{"k", "k", {{0, 8}, {8, 4}}, 32, 128, 16, -1, 256}};
  Plan plan;
  plan.workspaces = {{"scratch", 64, Initial::Zero}};
  plan.tables = {{"steps", Dtype::I32, {-1, 2}, {}}};
  PlanTensorMap map;
  map.base = {PlanMemory::Tensor, 1, 0};
  map.sizes = {8, 4}, map.stride_bytes = {44}, map.box = {8, 1}, map.element_strides = {1, 1};
  plan.tensor_maps = {map};
  PlanStep fill;
  fill.kind = StepKind::Fill;
  fill.to = {PlanMemory::Workspace, 0, 16};
  fill.bytes = 48, fill.unit = 4, fill.value = 0xFFFF'FFFFu;
  PlanStep copy;
  copy.kind = StepKind::Copy;
  copy.from = {PlanMemory::Table, 0, 0}, copy.to = {PlanMemory::Tensor, 0, 8}, copy.bytes = 8;
  PlanStep launch;
  launch.kernel = "k";
  launch.cluster = {1, 1, 1};
  launch.after = {0, 1};
  PlanArgument address;
  address.kind = ArgumentKind::Address, address.bytes = 8;
  PlanArgument scalar;
  scalar.parameter = 1, scalar.bytes = 4, scalar.image = 7;
  PlanArgument mapped;
  mapped.kind = ArgumentKind::TensorMap, mapped.bytes = 128;
  launch.arguments = {address, scalar, mapped};
  plan.steps = {fill, copy, launch};
  request.plans = {{"candidate", "big", plan}};
  request.measure.noise_floors = {{"big", {0.01, 4}}};
  request.gpu.emplace_back().datasheet.emplace_back();
  request.candidate.knobs = {{"B", -3}};
  return request;
}

Result<> refusal(const EvaluationRequest& request) { return check_request(request); }

Result<> refusal_of(const std::function<void(EvaluationRequest&)>& change) {
  EvaluationRequest request = whole_request();
  change(request);
  return refusal(request);
}

/// The field that a number stands in: the last part of its JSON pointer that is no index.
std::string field_of(const std::string& pointer) {
  std::string rest = pointer;
  for (;;) {
    const std::string last = rest.substr(rest.rfind('/') + 1);
    if (last.find_first_not_of("0123456789") != std::string::npos) return last;
    rest.resize(rest.rfind('/'));
  }
}

TEST(Bounds, AWholeRequestIsAccepted) { EXPECT_TRUE(refusal(whole_request())); }

TEST(Bounds, NoNumberOfARequestIsBelowNothingOrBeyondEverything) {
  const json whole = json::parse(encode(whole_request()));
  // Fields that a task or a kernel may choose, and fields that say "unknown" by -1.
  const std::set<std::string> any{"seed", "integer", "integers", "image", "value", "B", "n"};
  const std::set<std::string> or_unknown{"carveout", "spill_bytes"};
  int places = 0;
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_number_integer() || any.contains(field_of(pointer))) continue;
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::int64_t{-2'000'000'000}, std::numeric_limits<std::int64_t>::min(),
          std::int64_t{1} << 62}) {
      if (wrong == -1 && or_unknown.contains(field_of(pointer))) continue;
      json changed = whole;
      changed[json::json_pointer(pointer)] = wrong;
      const auto decoded = decode<EvaluationRequest>(changed.dump());
      if (decoded) {
        EXPECT_FALSE(refusal(*decoded)) << pointer << " = " << wrong;
      }
    }
    ++places;
  }
  EXPECT_GT(places, 80);
}

TEST(Bounds, NoRealOfARequestIsNoNumber) {
  const json whole = json::parse(encode(whole_request()));
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_number_float()) continue;
    json changed = whole;
    changed[json::json_pointer(pointer)] = nullptr;
    const auto decoded = decode<EvaluationRequest>(changed.dump());
    if (decoded && field_of(pointer) != "time_ns") {
      EXPECT_FALSE(refusal(*decoded)) << pointer;
    }
  }
}

TEST(Bounds, SizesFitTogether) {
  const auto tensor = [](const std::function<void(Tensor&)>& change) {
    return refusal_of([&](EvaluationRequest& r) { change(r.workloads[0].tensors[0]); });
  };
  EXPECT_THAT(tensor([](Tensor& t) { t.pitch = 7; }), IsErrorAbout(ErrorCode::OutOfRange, "pitch"));
  EXPECT_THAT(tensor([](Tensor& t) { t.alignment = 0; }),
              IsErrorAbout(ErrorCode::OutOfRange, "alignment"));
  EXPECT_THAT(tensor([](Tensor& t) { t.alignment = 48; }),
              IsErrorAbout(ErrorCode::OutOfRange, "alignment"));
  EXPECT_THAT(tensor([](Tensor& t) { t.sizes = {1 << 30, 1 << 30, 8}, t.compared.clear(); }),
              IsErrorAbout(ErrorCode::TooLarge, "tensor"));
  EXPECT_THAT(tensor([](Tensor& t) { t.compared[0].ranges.pop_back(); }),
              IsErrorAbout(ErrorCode::Contradiction, "dimensions of a region"));
  EXPECT_THAT(tensor([](Tensor& t) { t.compared[0].ranges[1] = {0, 9}; }),
              IsErrorAbout(ErrorCode::OutOfRange, "region"));
  EXPECT_THAT(tensor([](Tensor& t) { t.compared[0].ranges[1] = {3, 2}; }),
              IsErrorAbout(ErrorCode::OutOfRange, "region"));
}

TEST(Bounds, WhatAPlanNamesIsThere) {
  const auto plan = [](const std::function<void(Plan&)>& change) {
    return refusal_of([&](EvaluationRequest& r) { change(r.plans[0].plan); });
  };
  EXPECT_THAT(plan([](Plan& p) { p.steps[0].to.index = 1; }),
              IsErrorAbout(ErrorCode::NotFound, "memory"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[0].bytes = 52; }),
              IsErrorAbout(ErrorCode::OutOfRange, "bytes from 16 of 64"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[1].from.offset = 4; }),
              IsErrorAbout(ErrorCode::OutOfRange, "bytes from 4 of 8"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[2].after = {2}; }),
              IsErrorAbout(ErrorCode::Contradiction, "order of steps"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[2].grid = {1, 1}; }),
              IsErrorAbout(ErrorCode::Malformed, "three sizes"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[2].block = {0, 1, 1}; }),
              IsErrorAbout(ErrorCode::OutOfRange, "grid, block or cluster"));
  EXPECT_THAT(plan([](Plan& p) { p.steps[2].arguments[2].map = 1; }),
              IsErrorAbout(ErrorCode::NotFound, "tensor map"));
  EXPECT_THAT(plan([](Plan& p) { p.tensor_maps[0].box = {8}; }),
              IsErrorAbout(ErrorCode::Contradiction, "dimensions of a tensor map"));
  EXPECT_THAT(refusal_of([](EvaluationRequest& r) { r.plans[0].workload = "small"; }),
              IsErrorAbout(ErrorCode::NotFound, "small"));
  // Tensors of code that computes float64 reference values have eight bytes an element.
  const auto far_off = [](EvaluationRequest& r) { r.plans[0].plan.steps[1].to.offset = 200; };
  EXPECT_THAT(refusal_of(far_off),
              IsErrorAbout(ErrorCode::OutOfRange, StartsWith("bytes from 200 of")));
  EXPECT_TRUE(refusal_of([&](EvaluationRequest& r) {
    far_off(r);
    r.plans[0].role = "reference_fast";
  }));
}

Evaluation measured() {
  Evaluation e;
  e.verdict = {Stage::Measure, Outcome::Correct, ""};
  e.speedup = {2, 1.9, 2.1, 0.995, "omp", 0.01, true, 4};
  WorkloadResult& w = e.workloads.emplace_back();
  w.name = "big";
  w.group = Group::Time;
  w.median_ns = 100, w.opponent_ns = 200;
  w.speedup = e.speedup;
  w.samples = {{100, 190, 0, false}, {100, 200, 1, true}, {100, 210, 0, false}};
  w.retimed = {{-3, 100, 20, false}};  // the time of an empty call was subtracted
  return e;
}

Result<> denied(const std::function<void(Evaluation&)>& change) {
  Evaluation e = measured();
  change(e);
  return check_evaluation(e);
}

TEST(Bounds, FiguresAreWhatAMeasurementGives) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(denied([](Evaluation&) {}));
  EXPECT_TRUE(denied([](Evaluation& e) { e.workloads[0].accuracy.rel_l2 = kNone; }))
      << "of outputs that are no numbers";
  EXPECT_TRUE(denied([](Evaluation& e) { e = Evaluation(); })) << "nothing was measured";
  EXPECT_TRUE(denied([](Evaluation& e) { e.speedup.high = 0; })) << "it has no upper end";
  EXPECT_THAT(denied([](Evaluation& e) { e.speedup.value = -2; }),
              IsErrorAbout(ErrorCode::OutOfRange, "value"));
  EXPECT_THAT(denied([](Evaluation& e) { e.speedup.value = kNone; }),
              IsErrorAbout(ErrorCode::Malformed, "value"));
  EXPECT_THAT(denied([](Evaluation& e) { e.workloads[0].median_ns = kNone; }),
              IsErrorAbout(ErrorCode::Malformed, "median_ns"));
  EXPECT_THAT(denied([](Evaluation& e) { e.speedup.value = e.speedup.high = 1e9; }),
              IsErrorAbout(ErrorCode::OutOfRange, "speedup"));
  EXPECT_THAT(denied([](Evaluation& e) { e.speedup.value = 3; }),
              IsErrorAbout(ErrorCode::Contradiction, "interval"));
  EXPECT_THAT(denied([](Evaluation& e) { e.workloads[0].samples[1].candidate_ns = 0; }),
              IsErrorAbout(ErrorCode::OutOfRange, "samples"));
  EXPECT_THAT(denied([](Evaluation& e) {
                e.workloads[0].speedup = {9, 8, 10, 0.995, "omp", 0.01, true, 4};
              }),
              IsErrorAbout(ErrorCode::Contradiction, "samples"));
  EXPECT_THAT(denied([](Evaluation& e) { e.speedup = {0, 0, 0, 0, "omp", {}, true, 0}; }),
              IsErrorAbout(ErrorCode::Contradiction, "no value"));
  EXPECT_THAT(denied([](Evaluation& e) { e.stage_ns["measure"] = -1; }),
              IsErrorAbout(ErrorCode::OutOfRange, "stage_ns"));
}

TEST(Bounds, ADeviceHasNoNegativeMemoryOrCeiling) {
  DeviceFacts facts;
  facts.ceilings.emplace_back().per_second = 1e9;
  EXPECT_TRUE(check_facts(facts));
  facts.memory_bytes = -1;
  EXPECT_FALSE(check_facts(facts));
  facts.memory_bytes = 1;
  facts.ceilings[0].per_second = -1;
  EXPECT_FALSE(check_facts(facts));
}

TEST(Bounds, AnIntegerThatDoesNotFitIsNoOther) {
  EXPECT_FALSE(decode<Evaluation>(R"({"jail_uid": 4294967297})"));
  EXPECT_FALSE(decode<Evaluation>(R"({"workloads": [{"seed": -1}]})"));
  EXPECT_FALSE(decode<DeviceFacts>(R"({"memory_bytes": 18446744073709551615})"));
  EXPECT_TRUE(decode<Evaluation>(R"({"workloads": [{"seed": 18446744073709551615}]})"));
}

}  // namespace
}  // namespace kw
