// Which findings machine code gives, and which it must not give.
// SPDX-License-Identifier: Apache-2.0
#include "profile/code_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::profile {
namespace {

using compile::CodeMix;
using compile::KernelCode;
using testing::HasSubstr;
using testing::Not;

CodeMix mix_of(std::map<std::string, int> classes) {
  CodeMix mix;
  for (const auto& [name, n] : classes) mix.instructions += n;
  mix.by_class = std::move(classes);
  return mix;
}

/// A request whose plan launches one kernel `k`, with the symbol `_k`, once.
EvaluationRequest request(GateKind gate = GateKind::Relative, Dtype inputs = Dtype::F32) {
  EvaluationRequest r;
  r.task.gate.kind = gate;
  Tensor x;
  x.name = "x", x.dtype = inputs;
  r.workloads.emplace_back().tensors = {x};
  BuildUnit& unit = r.units.emplace_back();
  unit.role = "candidate", unit.arch = "sm_90a";
  KernelFacts facts;
  facts.name = "k", facts.symbol = "_k";
  unit.object.emplace_back().kernels = {facts};
  PlanStep step;
  step.kernel = "k", step.grid = {9, 1, 1}, step.block = {256, 1, 1};
  RolePlan& plan = r.plans.emplace_back();
  plan.role = "candidate", plan.workload = "large", plan.plan.steps = {step};
  return r;
}

std::string said(const CodeMix& loop, const EvaluationRequest& r = request(),
                 const CodeMix& beside = {}) {
  KernelCode code;
  code.symbol = "_k", code.loop = loop, code.loop_depth = 1, code.all = loop;
  code.all.instructions += beside.instructions;
  for (const auto& [name, n] : beside.by_class) code.all.by_class[name] += n;
  std::string all;
  int rank = 0;
  for (const Finding& f : code_findings(std::vector{code}, r)) {
    EXPECT_EQ(f.kind, FindingKind::MachineCode);
    EXPECT_EQ(f.rank, ++rank);
    EXPECT_EQ(f.place, "large");
    all += f.text + "\n";
  }
  return all;
}

TEST(CodeRules, AGoodLoopHasItsFiguresAlone) {
  EXPECT_EQ(said(mix_of({{"FFMA", 128}, {"LDS.128", 8}, {"other", 4}})),
            "In the hottest loop of k (140 instructions): 128 FFMA, 8 LDS.128.\n");
}

TEST(CodeRules, SpillsInTheLoopComeFirst) {
  const auto text = said(mix_of({{"FFMA", 128}, {"LDL.32", 3}, {"STL.64", 2}, {"LDG.32", 1}}));
  EXPECT_TRUE(
      text.starts_with("Local memory in the hottest loop of k (134 instructions): 5 of its"))
      << text;
  const auto outside = said(mix_of({{"FFMA", 128}}), request(), mix_of({{"STL.32", 7}}));
  EXPECT_THAT(outside, HasSubstr("k loads or stores local memory 7 times, outside"));
}

TEST(CodeRules, ScalarAccessesAreNamed) {
  EXPECT_THAT(said(mix_of({{"LDG.32", 4}, {"STG.32", 2}, {"FADD", 8}})),
              HasSubstr("No wide loads or stores in the hottest loop of k (14 instructions): 4 "
                        "global loads and 2 global stores of at most 4 bytes each."));
  EXPECT_THAT(said(mix_of({{"LDG.128", 4}, {"STG.32", 2}})),
              HasSubstr("No wide stores in the hottest loop of k (6 instructions): 2 global"));
  EXPECT_THAT(said(mix_of({{"LDG.32", 4}, {"LDG.128", 1}, {"STG.64", 2}})), Not(HasSubstr("wide")));
  EXPECT_THAT(said(mix_of({{"LDG.32", 1}, {"UTMALDG", 1}})), Not(HasSubstr("wide")))
      << "the copy engine moves the tiles";
}

TEST(CodeRules, TensorInstructionsAreMissedWhereTheyBelong) {
  const auto halves = request(GateKind::Dot, Dtype::BF16);
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), halves), HasSubstr("No tensor instruction in k"));
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), request(GateKind::Dot)), Not(HasSubstr("tensor")));
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), request(GateKind::Relative, Dtype::BF16)),
              Not(HasSubstr("tensor")));
  EXPECT_THAT(said(mix_of({{"HMMA", 64}}), halves), HasSubstr("on sm_90a wgmma"));
  EXPECT_THAT(said(mix_of({{"HGMMA", 8}, {"HMMA", 1}}), halves), Not(HasSubstr("wgmma, which")));
  auto older = halves;
  older.units[0].arch = "sm_80";
  EXPECT_THAT(said(mix_of({{"HMMA", 64}}), older), Not(HasSubstr("wgmma")));
}

TEST(CodeRules, WhatFillsALoopBesideItsWork) {
  EXPECT_THAT(said(mix_of({{"FFMA", 40}, {"LDS.32", 40}, {"IMAD", 15}, {"LOP3", 5}})),
              HasSubstr("0.40 of the hottest loop of k (100 instructions) are fused multiply-adds: "
                        "the others take their issue slots (shared memory 40, global memory 0, "
                        "integer 20)"));
  EXPECT_THAT(said(mix_of({{"FFMA", 5}, {"other", 95}})), Not(HasSubstr("fused")));
  EXPECT_THAT(said(mix_of({{"MUFU", 2}, {"FADD", 8}})), HasSubstr("2 special functions"));
  EXPECT_THAT(said(mix_of({{"MUFU", 1}, {"FADD", 15}})), Not(HasSubstr("special")));
  EXPECT_THAT(said(mix_of({{"BAR", 2}, {"FADD", 60}})), HasSubstr("2 barriers in the hottest"));
  EXPECT_THAT(said(mix_of({{"BAR", 2}, {"FADD", 200}})), Not(HasSubstr("barrier")));
}

TEST(CodeRules, KernelsThatAreNotLaunchedAreNotSpokenOf) {
  auto other = request();
  other.plans[0].plan.steps[0].kernel = "another";
  EXPECT_EQ(said(mix_of({{"LDL.32", 9}}), other), "");
  other.units[0].object.clear();
  EXPECT_EQ(said(mix_of({{"LDL.32", 9}}), other), "");
}

}  // namespace
}  // namespace kw::profile
