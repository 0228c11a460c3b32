// Tests of the levels of feedback: what a prompt holds at each level, and what it never holds.
// SPDX-License-Identifier: Apache-2.0
#include "propose/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::HasSubstr;
using testing::Not;

Attempt judged(int number, Outcome outcome, double speedup = 0) {
  Attempt a = test_attempt(number, outcome, speedup);
  a.evaluation.findings = {{FindingKind::Diagnostic, 1, "A word of the compiler", "", ""},
                           {FindingKind::Resource, 2, "It takes 99 registers", "", ""},
                           {FindingKind::History, 3, "Slower than its parent", "", ""},
                           {FindingKind::Vectorization, 4, "A loop stays scalar", "", ""},
                           {FindingKind::Roofline, 5, "At 0.31 of the roofline", "", ""}};
  auto& profile = a.evaluation.profiles.emplace_back();
  profile.workload = "square";
  auto& kernel = profile.kernels.emplace_back();
  kernel.kernel = "k";
  kernel.counters["sectors"] = 17;
  return a;
}

class EvidenceTest : public testing::Test {
 protected:
  /// The prompt that asks for an improvement or repair of `parent`, in a situation where every
  /// field about the run is filled.
  std::string prompt(FeedbackLevel level, const Attempt& parent) {
    const Attempt seen = seen_at(level, parent);
    const Attempt before = seen_at(level, judged(2, Outcome::CompileFailed));
    const Attempt best = seen_at(level, judged(3, Outcome::Correct, 4.25));
    Situation s;
    s.number = 6;
    s.errand = parent.evaluation.verdict.is_correct() ? Errand::Improve : Errand::Repair;
    s.task = &task_;
    s.baseline = "omp";
    s.feedback = level;
    s.parent = &seen;
    s.grandparent = &before;
    s.best = &best;
    AttemptLine correct = test_line(3, OutcomeClass::NewBest);
    correct.outcome = Outcome::Correct;
    const History history =
        test_history({seen_at(level, test_line(2, OutcomeClass::Failed)), seen_at(level, correct)});
    s.history = &history;
    s.insights = {"An insight of speed"};
    s.cautions = {"A caution"};
    limit(s);
    const auto prompt = shipped_prompts().build(s, {.max_tokens = 100'000});
    EXPECT_TRUE(prompt) << describe(prompt.error());
    return prompt->user;
  }

  const task::Definition task_ = test_task();
};

TEST_F(EvidenceTest, EachLevelAddsWhatItsNameSays) {
  // Texts of a prompt, each with the lowest level of feedback at which the prompt holds it.
  const std::map<std::string, FeedbackLevel> of_a_correct_one{
      {"kernel 5", FeedbackLevel::None},
      {"Attempt 5 is correct", FeedbackLevel::None},
      {"A word of the compiler", FeedbackLevel::Errors},
      {"words of 2", FeedbackLevel::Errors},
      {"attempt 5, made from it, ", FeedbackLevel::Errors},
      {"A caution", FeedbackLevel::Errors},
      {"1.75 times the speed", FeedbackLevel::Findings},
      {"words of 3", FeedbackLevel::Findings},
      {"99 registers", FeedbackLevel::Findings},
      {"Slower than its parent", FeedbackLevel::Findings},
      {"stays scalar", FeedbackLevel::Findings},
      {"The best so far", FeedbackLevel::Findings},
      {"An insight of speed", FeedbackLevel::Findings},
      {"0.31 of the roofline", FeedbackLevel::Profile}};
  const std::map<std::string, FeedbackLevel> of_a_failed_one{
      {"kernel 5", FeedbackLevel::None},
      {"Attempt 5 failed", FeedbackLevel::None},
      {"wrong result", FeedbackLevel::Errors},
      {"evidence 5", FeedbackLevel::Errors},
      {"A word of the compiler", FeedbackLevel::Errors},
      {"99 registers", FeedbackLevel::Errors},
      {"words of 3", FeedbackLevel::Findings}};
  for (int level = 0; level < 4; ++level) {
    const auto at = static_cast<FeedbackLevel>(level);
    SCOPED_TRACE(name_of(at));
    const std::string correct = prompt(at, judged(5, Outcome::Correct, 1.75));
    for (const auto& [words, from] : of_a_correct_one)
      EXPECT_EQ(correct.find(words) != std::string::npos, at >= from) << words << "\n" << correct;
    const std::string failed = prompt(at, judged(5, Outcome::WrongResult));
    for (const auto& [words, from] : of_a_failed_one)
      EXPECT_EQ(failed.find(words) != std::string::npos, at >= from) << words << "\n" << failed;
  }
}

TEST_F(EvidenceTest, NoNumberOfTheEvaluationGetsThroughBelow) {
  Attempt a = judged(5, Outcome::Correct, 1.75);
  auto& timed = a.evaluation.workloads.emplace_back();
  timed.name = "square", timed.group = Group::Time, timed.median_ns = 5e6;
  a.evaluation.speedup.value = 2;
  a.evaluation.roofline_fraction = 0.31;
  a.reward = 1.75;
  a.words = "new best: 1.75x";
  const Attempt whole = seen_at(FeedbackLevel::Profile, a);
  EXPECT_EQ(whole.evaluation.profiles.size(), 1u);
  EXPECT_EQ(whole.evaluation.findings.size(), 5u);
  const Attempt found = seen_at(FeedbackLevel::Findings, a);
  EXPECT_TRUE(found.evaluation.profiles.empty());
  EXPECT_EQ(found.evaluation.roofline_fraction, 0);
  EXPECT_NEAR(found.evaluation.mean_time_ns(), 5e6, 1);
  for (const FeedbackLevel level : {FeedbackLevel::None, FeedbackLevel::Errors}) {
    const Attempt seen = seen_at(level, a);
    EXPECT_EQ(seen.evaluation.mean_time_ns(), 0);
    EXPECT_EQ(seen.evaluation.speedup.value, 0);
    EXPECT_EQ(seen.against_baseline.value, 0);
    EXPECT_EQ(seen.reward, 0);
    EXPECT_EQ(seen.words, "");
    EXPECT_EQ(seen.candidate.source, a.candidate.source);
    EXPECT_TRUE(seen.evaluation.verdict.is_correct());
  }
}

}  // namespace
}  // namespace kw::propose
