// Gates and the second gate, with numbers computed by hand.
// SPDX-License-Identifier: Apache-2.0
#include "referee/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "referee/arguments.h"

namespace kw::referee {
namespace {

Tensor real_tensor() {
  Tensor t;
  t.dtype = Dtype::F32;
  return t;
}

Workload of_length(std::int64_t length) {
  Workload workload;
  workload.dot_length = length;
  return workload;
}

TEST(Gate, AllowancesFollowTheFormats) {
  const double u = 0x1p-24;
  Gate gate{.kind = GateKind::Relative, .c = 8, .scale = 4};
  const auto relative = allowance_of(gate, real_tensor(), of_length(1), 0);
  EXPECT_EQ(relative.relative, 8 * u);
  EXPECT_EQ(relative.absolute, 32 * u);
  gate = {.kind = GateKind::Dot, .c = 4};
  const auto dot = allowance_of(gate, real_tensor(), of_length(100), 0);
  EXPECT_EQ(dot.magnitude, 40 * u);
  EXPECT_EQ(dot.relative, u);
  gate = {.kind = GateKind::Field, .l2 = 1e-5, .max = 5e-5};
  EXPECT_EQ(allowance_of(gate, real_tensor(), of_length(1), 10).absolute, 5e-4);
  Tensor half = real_tensor();
  half.dtype = Dtype::BF16;
  const auto summed = allowance_of({.kind = GateKind::Dot, .c = 4}, half, of_length(100), 0);
  EXPECT_EQ(summed.magnitude, 40 * u) << "sums are kept in f32";
  EXPECT_EQ(summed.relative, 0x1p-8) << "and rounded once";
  half.dtype = Dtype::F16;
  EXPECT_EQ(allowance_of({.kind = GateKind::Relative, .c = 2}, half, of_length(1), 0).relative,
            0x1p-10);
  EXPECT_EQ(allowance_of({.kind = GateKind::Dot, .c = 2}, half, of_length(1), 0).absolute, 0x1p-25)
      << "half of its smallest number";
  Tensor whole = real_tensor();
  whole.dtype = Dtype::I32;
  EXPECT_TRUE(allowance_of(gate, whole, of_length(1), 10).exact);
}

TEST(Gate, ScaleOfASumIsAllowedWhereItsOwnTermsVanish) {
  const Gate gate{.kind = GateKind::Dot, .c = 4, .scale = 2};
  const auto allowed = allowance_of(gate, real_tensor(), of_length(576), 0);
  EXPECT_EQ(allowed.of(0, 0), 4 * 24 * 0x1p-24 * 2)
      << "Winograd's tiles mix values that cancel where a window holds zeros alone";
  EXPECT_EQ(allowed.of(0, 1), 4 * 24 * 0x1p-24 * 3);
}

TEST(Gate, WhatIsExactInAnyOrderMayBeOffByHalfAUnit) {
  Workload workload = of_length(8192);
  const Gate gate{.kind = GateKind::Dot, .c = 4};
  EXPECT_LT(allowance_of(gate, real_tensor(), workload, 0).exact_below, 0);
  workload.exact_below = 8;
  const auto planted = allowance_of(gate, real_tensor(), workload, 0);
  EXPECT_EQ(planted.of(1, 2), 0x1p-21) << "a factor of 20 bits is off by 2^-20";
  EXPECT_EQ(planted.of(1, 8192), planted.magnitude * 8192 + 0x1p-24) << "long sums are as before";
  workload.exact_within = 32;
  EXPECT_EQ(allowance_of(gate, real_tensor(), workload, 0).exact_within, 0x1p-15);
  Tensor half = real_tensor();
  half.dtype = Dtype::BF16;
  workload.exact_within = 0.5;
  EXPECT_EQ(allowance_of(gate, half, workload, 0).exact_within, 0x1p-5);
}

TEST(Gate, WholeNumbersMayBeOffByHalfOfOne) {
  Workload workload = of_length(1);
  Tensor x = real_tensor();
  x.values.kind = "integers";
  workload.tensors = {x};
  EXPECT_TRUE(has_whole_inputs(workload));
  const Gate gate{.kind = GateKind::Dot, .c = 14};
  RegionTruth truth;
  EXPECT_GT(allowance_of(gate, x, workload, truth).of(0, 1e8), 1);
  truth.is_whole = true;
  EXPECT_EQ(allowance_of(gate, x, workload, truth).of(0, 1e8), 0.5);
  workload.tensors.front().values.kind = "normal";
  EXPECT_FALSE(has_whole_inputs(workload));
}

TEST(Gate, FieldJudgesTheL2OfTheRegion) {
  const Gate gate{.kind = GateKind::Field, .l2 = 1e-3, .max = 1, .rms_factor = 0};
  const RegionTruth truth{.count = 100, .max_abs = 1, .sum = 0, .sum_sq = 100, .baseline_rms = {}};
  device::Comparison seen;
  seen.compared = 100;
  seen.sum_sq_diff = 100 * 0.9e-6;
  Accuracy accuracy;
  EXPECT_FALSE(judge_region(gate, real_tensor(), truth, seen, true, accuracy).has_value());
  seen.sum_sq_diff = 100 * 1.1e-6;
  const auto failure = judge_region(gate, real_tensor(), truth, seen, true, accuracy);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, EvidenceKind::L2TooLarge);
  EXPECT_THAT(failure->numbers, ::testing::ElementsAre(::testing::Gt(gate.l2), gate.l2));
  EXPECT_NEAR(accuracy.gate_fraction, std::sqrt(1.1), 1e-6);
}

TEST(Gate, SecondGateAppliesToZeroMeanRegionsOnly) {
  RegionTruth truth{.count = 1000, .max_abs = 3, .sum = 20, .sum_sq = 1000, .baseline_rms = 1e-7};
  EXPECT_TRUE(is_zero_mean(truth));
  truth.sum = 500;
  EXPECT_FALSE(is_zero_mean(truth));
  truth.sum = 0;
  truth.count = 100;
  EXPECT_FALSE(is_zero_mean(truth));
  truth.count = 1000;
  truth.baseline_rms.reset();
  EXPECT_FALSE(is_zero_mean(truth));
}

TEST(Gate, NobodyHasToBeatTheRoundingOfTheResult) {
  const Gate gate{.kind = GateKind::Relative, .rms_factor = 4};
  const RegionTruth exact{.count = 1000, .max_abs = 3, .sum = 0, .sum_sq = 1000, .baseline_rms = 0};
  EXPECT_DOUBLE_EQ(allowed_rms(gate, real_tensor(), exact), 4 * 0.5 * 0x1p-24);
  const Gate scaled{.kind = GateKind::Relative, .scale = 0.25, .rms_factor = 4};
  const RegionTruth tail{
      .count = 4097, .max_abs = 1e-7, .sum = 0, .sum_sq = 1e-15, .baseline_rms = 1e-14};
  EXPECT_NEAR(allowed_rms(scaled, real_tensor(), tail), 4 * 0.5 * 0.25 * 0x1p-24, 1e-12)
      << "the scale counts where the results are nearly nothing";
}

TEST(Gate, FiguresStayFinite) {
  const Gate gate{.kind = GateKind::Relative};
  const RegionTruth truth{.count = 1, .max_abs = 0, .sum = 0, .sum_sq = 0, .baseline_rms = {}};
  device::Comparison seen;
  seen.compared = seen.failed = 1;
  seen.worst_fraction = std::numeric_limits<double>::infinity();
  seen.sum_sq_diff = 1;
  Accuracy accuracy;
  EXPECT_TRUE(judge_region(gate, real_tensor(), truth, seen, true, accuracy).has_value());
  EXPECT_TRUE(std::isfinite(accuracy.gate_fraction));
  EXPECT_TRUE(std::isfinite(accuracy.rel_l2));
}

TEST(Arguments, TruthIsGivenTheScalarsThatCandidatesAreGiven) {
  const Scalar dt{.name = "dt", .dtype = Dtype::F32, .real = 0.003, .integer = 0};
  const auto image = image_of(dt, Precision::Double);
  EXPECT_EQ(std::bit_cast<double>(image), static_cast<double>(0.003f));
  EXPECT_EQ(image_of(dt, Precision::Native), std::bit_cast<std::uint32_t>(0.003f));
  const Scalar n{.name = "n", .dtype = Dtype::I32, .real = 0, .integer = -1};
  EXPECT_EQ(image_of(n, Precision::Native), 0xffffffffu);
}

TEST(Arguments, TruthIsGivenTheExtentsOfItsTensors) {
  Task task;
  task.signature = {{"x", true, Dtype::F32, TensorRole::In},
                    {"n", false, Dtype::I32, TensorRole::In},
                    {"y", true, Dtype::F32, TensorRole::Out}};
  Workload workload;
  Tensor x = real_tensor(), y = real_tensor();
  x.name = "x", x.sizes = {2, 3}, x.pitch = 5;
  y.name = "y", y.sizes = {3}, y.pitch = 3;
  workload.tensors = {y, x};
  workload.scalars = {{.name = "n", .dtype = Dtype::I32, .real = 0, .integer = 3}};
  EXPECT_EQ(arguments_of(task, workload, 7, Precision::Native).size(), 3u);
  const auto arguments = arguments_of(task, workload, 7, Precision::Double);
  ASSERT_EQ(arguments.size(), 5u);
  EXPECT_EQ(arguments[0].buffer, 8);
  EXPECT_EQ(arguments[2].buffer, 7);
  EXPECT_EQ(arguments[3].buffer, -1);
  EXPECT_EQ(arguments[3].scalar, 8u) << "of x, with the padding between its rows";
  EXPECT_EQ(arguments[4].scalar, 3u);
}

}  // namespace
}  // namespace kw::referee
