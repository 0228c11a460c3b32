// A small task on the fake device, for the referee's tests: y = 2 x over a matrix, with references.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/fake.h"
#include "record/evaluation.h"
#include "referee/referee.h"

namespace kw::referee::testing {

inline constexpr std::int64_t kRows = 40;
inline constexpr std::int64_t kCols = 24;
inline constexpr std::int64_t kPitch = 27;

/// Arguments of one call of the small task: (n rows, x, y), at the type of the callee.
template <class Real>
struct Arguments {
  std::int32_t rows;
  Real* x;
  Real* y;

  explicit Arguments(const std::vector<device::FakeArgument>& a)
      : rows(a[0].value<std::int32_t>()), x(a[1].tensor<Real>()), y(a[2].tensor<Real>()) {}
};

/// A kernel that applies `body` to every argument set of a call and takes `ns` for each.
template <class Real, class Body>
device::FakeKernel kernel(double ns, Body body) {
  return [=](const std::vector<std::vector<device::FakeArgument>>& sets) mutable {
    for (const auto& set : sets) body(Arguments<Real>(set));
    return device::returned_after(20'000 + ns * static_cast<double>(sets.size()));
  };
}

template <class Real>
void twice(const Arguments<Real>& a) {
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = 2 * a.x[r * kPitch + c];
}

inline Workload make_workload(const std::string& name, Group group, std::int64_t rows) {
  Workload w;
  w.name = name;
  w.group = group;
  Tensor x;
  x.name = "x";
  x.values.kind = "normal";
  x.values.numbers = {{"mean", 0}, {"std", 1}};
  x.sizes = {rows, kCols};
  x.pitch = kPitch;
  Tensor y = x;
  y.name = "y";
  y.role = TensorRole::Out;
  y.initial = Initial::Poison;
  y.compared = {Region{{{0, rows}, {0, kCols}}}};
  w.tensors = {x, y};
  w.scalars = {{.name = "rows", .dtype = Dtype::I32, .real = 0, .integer = rows}};
  w.work = {.floor_bytes = 8 * rows * kCols,
            .floor_flops = rows * kCols,
            .read_bytes = 4 * rows * kCols,
            .write_bytes = 4 * rows * kCols,
            .flops = rows * kCols,
            .items = rows * kCols};
  return w;
}

/// A fake world with the small task's references (objects "f64" and "native"), an opponent ("slow",
/// 4 ms) and whatever the test adds as "candidate".
struct Room {
  device::FakeWorld world;
  std::unique_ptr<device::Device> device = device::make_fake_device(world);
  Referee referee;
  EvaluationRequest request;

  explicit Room(Options options = {}) : referee(*device, nullptr, options) {
    world.objects["f64"].kernel = kernel<double>(1e6, twice<double>);
    world.objects["native"].kernel = kernel<float>(1e6, twice<float>);
    world.objects["slow"].kernel = kernel<float>(4e6, twice<float>);
    world.objects["candidate"].kernel = kernel<float>(2e6, twice<float>);
    request.id = "test";
    request.task.name = request.task.function = "twice";
    request.task.sha256 = "task";
    request.task.signature = {{"rows", false, Dtype::I32, TensorRole::In},
                              {"x", true, Dtype::F32, TensorRole::In},
                              {"y", true, Dtype::F32, TensorRole::Out}};
    request.task.gate = {.kind = GateKind::Relative, .c = 4, .scale = 1, .rms_factor = 4};
    request.workloads = {make_workload("tiny", Group::Check, 1),
                         make_workload("odd", Group::Check, kRows - 1),
                         make_workload("large", Group::Time, kRows)};
    request.candidate.name = "candidate";
    request.candidate.source = "text";
    request.opponent.name = "slow";
    request.opponent.source = "text";
    add_unit("candidate", "candidate");
    add_unit("opponent", "slow");
    add_unit("reference_f64", "f64");
    add_unit("reference_native", "native");
    request.seed = 7;
  }

  void add_unit(const std::string& role, const std::string& object) {
    BuildUnit unit;
    unit.role = role;
    unit.object.emplace_back().sha256 = object;
    request.units.push_back(unit);
  }

  /// The verdict on `body` as the candidate's kernel; panics on environment trouble.
  template <class Body>
  Evaluation judge(Body body, double ns = 2e6) {
    world.objects["candidate"].kernel = kernel<float>(ns, body);
    return judge();
  }
  Evaluation judge() {
    auto evaluation = referee.judge(request);
    if (!evaluation.has_value()) panic(describe(evaluation.error()).c_str());
    return *std::move(evaluation);
  }
};

}  // namespace kw::referee::testing

/// Expects that the evaluation ended at that stage with that outcome.
#define EXPECT_VERDICT(evaluation, wanted_stage, wanted_outcome)                   \
  do {                                                                             \
    const Verdict& v = (evaluation).verdict;                                       \
    EXPECT_EQ(name_of(v.stage), name_of(Stage::wanted_stage)) << v.evidence;       \
    EXPECT_EQ(name_of(v.outcome), name_of(Outcome::wanted_outcome)) << v.evidence; \
  } while (false)
