// Tests of checking plans against kernels: a plan that fits, and each way not to fit.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/plan_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::evaluate {
namespace {

using testing::HasSubstr;

PlanArgument value(int parameter, int bytes, std::int64_t at = 0) {
  PlanArgument a;
  a.parameter = parameter;
  a.bytes = bytes;
  a.at = at;
  return a;
}

class PlanCheck : public testing::Test {
 protected:
  PlanCheck() {
    unit_.role = "candidate";
    unit_.target = Target::Cuda;
    KernelFacts& kernel = unit_.object.emplace_back().kernels.emplace_back();
    kernel.name = "k";
    kernel.parameters = {{0, 4}, {8, 8}, {16, 136}};
    kernel.registers = 64;
    kernel.static_shared = 1024;
    kernel.max_threads = 512;
    gpu_.registers_per_block = 65536;
    gpu_.shared_per_block = 4096;
    step_.kernel = "k";
    step_.block = {256, 1, 1};
    step_.shared_bytes = 3072;
    step_.arguments = {value(0, 4), value(1, 8), value(2, 128), value(2, 8, 128)};
  }

  std::optional<PlanFault> check() const {
    RolePlan plan{"candidate", "w", {}};
    plan.plan.steps = {step_};
    return check_plans(unit_, std::vector<RolePlan>{plan}, source_, allowed_, &gpu_);
  }

  /// The place ("line:column") of the fault that this launch directive has in a source.
  std::string place_of(const std::string& directive) {
    source_.name = "010_it";
    source_.target = Target::Cuda;
    source_.source = "// a comment\n// kw: " + directive + "\n";
    step_.written_at = source_.source.find("launch");
    const auto fault = check();
    if (!fault) return "none";
    EXPECT_EQ(fault->finding.kind, FindingKind::Diagnostic);
    EXPECT_EQ(fault->finding.text, fault->verdict.evidence);
    EXPECT_EQ(fault->finding.about, name_of(fault->verdict.seen.kind));
    EXPECT_EQ(fault->finding.numbers, fault->verdict.seen.numbers);
    EXPECT_EQ(fault->finding.place, fault->verdict.seen.place);
    EXPECT_THAT(fault->finding.frame, HasSubstr("^"));
    const std::string& place = fault->finding.place;
    EXPECT_TRUE(place.starts_with("010_it.cu:")) << place;
    return place.substr(place.find(':') + 1);
  }

  void expect(Outcome outcome, EvidenceKind kind, const std::vector<double>& numbers,
              const std::vector<std::string>& names = {}) const {
    const auto fault = check();
    ASSERT_TRUE(fault.has_value()) << name_of(kind);
    EXPECT_EQ(fault->verdict.stage, outcome == Outcome::Rejected ? Stage::Screen : Stage::Launch);
    EXPECT_EQ(fault->verdict.outcome, outcome);
    EXPECT_EQ(name_of(fault->verdict.seen.kind), name_of(kind));
    EXPECT_EQ(fault->verdict.seen.subject, step_.kernel);
    EXPECT_EQ(fault->verdict.seen.numbers, numbers);
    EXPECT_EQ(fault->finding.about, name_of(kind));
    EXPECT_EQ(fault->finding.numbers, numbers);
    EXPECT_EQ(fault->verdict.seen.names, names);
  }

  BuildUnit unit_;
  PlanStep step_;
  Candidate source_;
  Restrictions allowed_;
  GpuFacts gpu_;
};

TEST_F(PlanCheck, WhatFitsPasses) { EXPECT_FALSE(check().has_value()); }

TEST_F(PlanCheck, LocalMemoryIsBoundedByTheTask) {
  std::int64_t& bytes = unit_.object.front().kernels.front().stack_bytes;
  bytes = kDefaultLocalBytes;
  EXPECT_FALSE(check().has_value());
  bytes += 8;
  expect(Outcome::Rejected, EvidenceKind::KernelLocalMemory, {4104, 4096});
  allowed_.local_bytes = 8192;
  EXPECT_FALSE(check().has_value());
}

TEST_F(PlanCheck, KernelsAndArgumentsMustBeThere) {
  step_.arguments.pop_back();
  EXPECT_FALSE(check().has_value()) << "a struct may have padding at its end";
  step_.arguments = {value(0, 4), value(1, 8)};
  expect(Outcome::LaunchFailed, EvidenceKind::TooFewArguments, {3, 3});
  step_.arguments = {value(0, 8), value(1, 8), value(2, 128)};
  expect(Outcome::LaunchFailed, EvidenceKind::ArgumentSize, {1, 8, 4});
  step_.arguments = {value(0, 4), value(1, 4), value(2, 128)};
  expect(Outcome::LaunchFailed, EvidenceKind::ArgumentSize, {2, 4, 8});
  step_.arguments = {value(0, 4), value(1, 8), value(2, 128), value(3, 4)};
  expect(Outcome::LaunchFailed, EvidenceKind::TooManyArguments, {4, 3});
  step_.kernel = "other";
  expect(Outcome::LaunchFailed, EvidenceKind::KernelMissing, {});
  step_.kernel = unit_.object.front().kernels.front().name + "s";
  expect(Outcome::LaunchFailed, EvidenceKind::KernelMissing, {},
         {unit_.object.front().kernels.front().name});
}

TEST_F(PlanCheck, BlocksKeepToBoundsRegistersAndSharedMemory) {
  step_.block = {1024, 1, 1};
  expect(Outcome::OutOfResources, EvidenceKind::BlockBeyondBounds, {1024, 512});
  unit_.object.front().kernels.front().max_threads = 0;
  unit_.object.front().kernels.front().registers = 65;
  expect(Outcome::OutOfResources, EvidenceKind::BlockRegisters, {1024, 65, 65536});
  step_.block = {256, 1, 1};
  step_.shared_bytes = 3073;
  expect(Outcome::OutOfResources, EvidenceKind::SharedMemory, {3073, 1024, 4096});
}

TEST_F(PlanCheck, WhatTheTaskForbidsIsRejected) {
  allowed_.registers = 64;
  EXPECT_FALSE(check().has_value());
  allowed_.registers = 63;
  expect(Outcome::Rejected, EvidenceKind::KernelRegisters, {64, 63});
}

TEST_F(PlanCheck, TheCaretStandsAtTheVeryArgument) {
  const std::string launch = "launch k grid(1) block(256) shared(3072) args(";
  const auto column = [](const std::string& written, std::string_view part, std::size_t more = 0) {
    return "2:" + std::to_string(sizeof("// kw: ") + written.find(part) + more);
  };
  std::string written = launch + "n, wide, struct(map, p))";
  EXPECT_EQ(place_of(written), "none");
  step_.arguments = {value(0, 4), value(1, 4), value(2, 128), value(2, 8, 128)};
  EXPECT_EQ(place_of(written), column(written, "wide"));
  step_.arguments = {value(0, 4), value(1, 8), value(2, 128), value(2, 16, 128)};
  EXPECT_EQ(place_of(written), column(written, "p))")) << "the item that does not fit";
  step_.arguments = {value(0, 4), value(1, 8)};
  written = launch + "n, wide)";
  EXPECT_EQ(place_of(written), column(written, "wide)", 4)) << "where the missing one would stand";
  step_.arguments = {value(0, 4), value(1, 8), value(2, 128), value(3, 4)};
  written = launch + "n, wide, map, more)";
  EXPECT_EQ(place_of(written), column(written, "more"));
  step_.arguments = {value(0, 4), value(1, 8), value(2, 128)};
  step_.block = {1024, 1, 1};
  EXPECT_EQ(place_of(written), column(written, "256"));
  step_.block = {256, 1, 1};
  step_.shared_bytes = 4096;
  EXPECT_EQ(place_of(written), column(written, "3072"));
  step_.kernel = "other";
  EXPECT_EQ(place_of(written), column(written, "k grid"));
}

TEST_F(PlanCheck, CpuUnitsHaveNoPlans) {
  unit_.target = Target::Cpu;
  step_.kernel = "other";
  EXPECT_FALSE(check().has_value());
}

}  // namespace
}  // namespace kw::evaluate
