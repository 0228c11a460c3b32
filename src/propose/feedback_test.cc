// Tests of feedback: which findings a repair and an improvement get, how changes are described, and
// history lines.
// SPDX-License-Identifier: Apache-2.0
#include "propose/feedback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "propose/history.h"
#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FeedbackTest : public testing::Test {
 protected:
  Feedback feedback(const Attempt& parent) {
    situation_.task = &task_;
    situation_.baseline = "omp";
    situation_.parent = &parent;
    return feedback_of(situation_, Veil(task_));
  }

  static Attempt with_findings(Attempt a) {
    a.evaluation.findings = {
        {FindingKind::Verdict, 1, "Ended at stage check: wrong result.", "", ""},
        {FindingKind::Diagnostic, 2, "'foo' was not declared (did you mean 'fool'?)", "3 | foo",
         ""},
        {FindingKind::Mismatch, 3, "Only the border is wrong", "", ""},
        {FindingKind::History, 4, "Overall slower", "", ""},
        {FindingKind::Roofline, 5, "memory-bound", "", ""},
        {FindingKind::Vectorization, 6, "The loop in line 3 is not vectorised", "", ""},
        {FindingKind::Goal, 7, "The goal of 8x over omp needs more", "", ""},
        {FindingKind::Warning, 8, "Warning: one", "", ""},
        {FindingKind::Warning, 9, "Warning: two", "", ""},
        {FindingKind::Warning, 10, "Warning: three", "", ""}};
    return a;
  }

  const task::Definition task_ = test_task();
  Situation situation_;
};

auto text(const char* words) { return Field(&Finding::text, HasSubstr(words)); }

TEST_F(FeedbackTest, AFailureIsExplainedWithoutWordsOnSpeed) {
  const Attempt parent = with_findings(test_attempt(4, Outcome::WrongResult));
  const Feedback told = feedback(parent);
  EXPECT_THAT(told.findings,
              ElementsAre(text("did you mean 'fool'"), text("Only the border is wrong."),
                          text("Warning: one"), text("Warning: two")));
  EXPECT_EQ(told.findings[0].frame, "3 | foo");
  EXPECT_EQ(told.findings[1].rank, 2);
}

TEST_F(FeedbackTest, ACorrectOneHearsOfItsLimits) {
  const Attempt parent = with_findings(test_attempt(4, Outcome::Correct, 2));
  const Feedback told = feedback(parent);
  EXPECT_THAT(told.verdict,
              HasSubstr("correct and runs at 2 times the speed of the baseline `omp`"));
  EXPECT_THAT(told.findings, ElementsAre(text("fool"), text("border"), text("Overall slower"),
                                         text("memory-bound"), text("not vectorised"),
                                         text("Warning: one"), text("Warning: two")));
}

TEST_F(FeedbackTest, NumbersAboutHiddenWorkloadsAreNotTold) {
  Attempt parent = test_attempt(4, Outcome::WrongResult);
  for (const char* workload : {"secret_wide", "large"}) {
    Finding wrong;
    wrong.kind = FindingKind::Mismatch;
    wrong.place = "workload '" + std::string(workload) + "', tensor 'y'";
    wrong.text = "In " + wrong.place + ": 39 elements are wrong.";
    wrong.numbers = {39};
    parent.evaluation.findings.push_back(wrong);
  }
  const Feedback told = feedback(parent);
  ASSERT_EQ(told.findings.size(), 2u);
  EXPECT_THAT(told.findings[0].numbers, IsEmpty());
  EXPECT_THAT(told.findings[1].numbers, ElementsAre(39));
}

TEST_F(FeedbackTest, EveryFailureHasAVerdict) {
  for (std::size_t i = 1; i < EnumNames<Outcome>::names.size(); ++i) {
    Attempt parent = test_attempt(4, static_cast<Outcome>(i));
    parent.evaluation.verdict.evidence.clear();
    EXPECT_THAT(feedback(parent).verdict, HasSubstr("Attempt 4 failed at the stage `check`"));
  }
  EXPECT_THAT(feedback(test_attempt(4, Outcome::Cheated)).verdict, HasSubstr("earns nothing"));
}

TEST_F(FeedbackTest, WhatChangedAndWhatItDid) {
  Attempt before = test_attempt(3, Outcome::Correct, 4);
  Attempt parent = test_attempt(4, Outcome::Correct, 2);
  parent.parent = 3;
  situation_.best = &before;
  Feedback told = feedback(parent);
  EXPECT_EQ(told.change_words, "Attempt 3 reached 4x; attempt 4, made from it, reached 2x.");
  EXPECT_THAT(told.change, HasSubstr("-   // kernel 3\n+   // kernel 4\n"));
  EXPECT_THAT(told.verdict, HasSubstr("attempt 3 is still better with 4 times"));
  before.number = 2;
  EXPECT_THAT(feedback(parent).change, IsEmpty()) << "the best is not what it was made from";
  Attempt failed = test_attempt(3, Outcome::Crashed);
  situation_.grandparent = &failed;
  told = feedback(parent);
  EXPECT_EQ(told.change_words, "Attempt 3 failed (crashed); attempt 4, made from it, reached 2x.");
}

}  // namespace
}  // namespace kw::propose
