// Which findings machine code gives, and which it must not give.
// SPDX-License-Identifier: Apache-2.0
#include "profile/code_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/findings_for_test.h"

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
  const auto findings = code_findings(std::vector{code}, r);
  int rank = 0;
  for (const Finding& f : findings) {
    EXPECT_EQ(f.kind, FindingKind::MachineCode);
    EXPECT_EQ(f.rank, ++rank);
    EXPECT_EQ(f.place, "large");
  }
  return in_short(findings);
}

TEST(CodeRules, AGoodLoopHasItsFiguresAlone) {
  EXPECT_EQ(said(mix_of({{"FFMA", 128}, {"LDS.128", 8}, {"other", 4}})),
            "instructions: 140 128 8\n");
}

TEST(CodeRules, SpillsInTheLoopComeFirst) {
  const auto text = said(mix_of({{"FFMA", 128}, {"LDL.32", 3}, {"STL.64", 2}, {"LDG.32", 1}}));
  EXPECT_TRUE(text.starts_with("local memory in loop: 134 5\n")) << text;
  const auto outside = said(mix_of({{"FFMA", 128}}), request(), mix_of({{"STL.32", 7}}));
  EXPECT_THAT(outside, HasSubstr("local memory: 7\n"));
}

TEST(CodeRules, ScalarAccessesAreNamed) {
  EXPECT_THAT(said(mix_of({{"LDG.32", 4}, {"STG.32", 2}, {"FADD", 8}})),
              HasSubstr("narrow loads and stores: 14 4 2\n"));
  EXPECT_THAT(said(mix_of({{"LDG.128", 4}, {"STG.32", 2}})), HasSubstr("narrow stores: 6 2\n"));
  EXPECT_THAT(said(mix_of({{"LDG.32", 4}, {"LDG.128", 1}, {"STG.64", 2}})),
              Not(HasSubstr("narrow")));
  EXPECT_THAT(said(mix_of({{"LDG.32", 1}, {"UTMALDG", 1}})), Not(HasSubstr("narrow")))
      << "the copy engine moves the tiles";
}

TEST(CodeRules, TensorInstructionsAreMissedWhereTheyBelong) {
  const auto halves = request(GateKind::Dot, Dtype::BF16);
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), halves), HasSubstr("no tensor instruction:\n"));
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), request(GateKind::Dot)), Not(HasSubstr("tensor")));
  EXPECT_THAT(said(mix_of({{"FFMA", 64}}), request(GateKind::Relative, Dtype::BF16)),
              Not(HasSubstr("tensor")));
  EXPECT_THAT(said(mix_of({{"HMMA", 64}}), halves), HasSubstr("no wgmma: 64 64\n"));
  EXPECT_THAT(said(mix_of({{"HGMMA", 8}, {"HMMA", 1}}), halves), Not(HasSubstr("wgmma")));
  auto older = halves;
  older.units[0].arch = "sm_80";
  EXPECT_THAT(said(mix_of({{"HMMA", 64}}), older), Not(HasSubstr("wgmma")));
}

TEST(CodeRules, WhatFillsALoopBesideItsWork) {
  EXPECT_THAT(said(mix_of({{"FFMA", 40}, {"LDS.32", 40}, {"IMAD", 15}, {"LOP3", 5}})),
              HasSubstr("share of FMAs: 0.4 100 40 0 20\n"));
  EXPECT_THAT(said(mix_of({{"FFMA", 5}, {"other", 95}})), Not(HasSubstr("share of FMAs")));
  EXPECT_THAT(said(mix_of({{"MUFU", 2}, {"FADD", 8}})), HasSubstr("special functions: 2 10\n"));
  EXPECT_THAT(said(mix_of({{"MUFU", 1}, {"FADD", 15}})), Not(HasSubstr("special")));
  EXPECT_THAT(said(mix_of({{"BAR", 2}, {"FADD", 60}})), HasSubstr("barriers: 2 62\n"));
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
