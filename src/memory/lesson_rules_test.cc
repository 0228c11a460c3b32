// Tests of the rules that turn outcomes into lessons: one for each rule, and for outcomes that give
// no lesson.
// SPDX-License-Identifier: Apache-2.0
#include "memory/lesson_rules.h"

#include <gmock/gmock.h>

#include "memory/statements.h"
#include "memory/test_task.h"

namespace kw::memory {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LessonRules : public testing::Test {
 protected:
  SourceFacts facts(const Attempt& a, const std::vector<std::string>& of_parent = {}) const {
    return facts_of(a, of_parent, task_);
  }
  std::optional<Lesson> caution(const Attempt& a) const { return caution_of(a, facts(a), scope_); }

  task::Definition task_ = test_task();
  LessonScope scope_{&task_, Target::Cpu, "box", "waves-1"};
};

TEST_F(LessonRules, EqualFailuresHaveOneKey) {
  const auto one = caution(failed(1, "a", Outcome::WrongResult, {isolated()}, {"tiling"}));
  const auto two = caution(failed(4, "b", Outcome::WrongResult, {isolated()}, {"prefetch"}));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->key, two->key);
  EXPECT_EQ(one->kind, LessonKind::Caution);
  EXPECT_THAT(one->text,
              AllOf(HasSubstr("wrong result with tiling"),
                    HasSubstr("isolated elements were wrong"), Not(HasSubstr("hidden"))));
  EXPECT_EQ(one->task, "waves");
  EXPECT_EQ(one->family, "stencil");
  EXPECT_EQ(one->device, "box");
  ASSERT_EQ(one->seen_in.size(), 1u);
  EXPECT_EQ(one->seen_in[0].run, "waves-1");
  EXPECT_EQ(one->seen_in[0].attempt, 1);
  const auto other = caution(failed(1, "a", Outcome::WrongResult, {}));
  EXPECT_NE(other->key, one->key) << "another pattern is another failure";
  EXPECT_NE(caution(failed(1, "a", Outcome::TimedOut, {}))->key, other->key);
}

TEST_F(LessonRules, CompileErrorsAreTheSameUpToNumbersThatStandAlone) {
  const auto key = [&](const std::string& text) {
    return caution(failed(1, "a", Outcome::CompileFailed,
                          {Finding{FindingKind::Warning, 1, "Warning: unused", "", ""},
                           diagnostic(text)}))
        ->key;
  };
  EXPECT_EQ(key("array has 12 elements"), key("array has 13 elements"));
  EXPECT_NE(key("'_mm256_foo_ps' was not declared"), key("'_mm512_foo_ps' was not declared"));
  const auto lesson = caution(failed(1, "a", Outcome::CompileFailed, {diagnostic("'f' is none")}));
  EXPECT_EQ(lesson->text, "compile failed: 'f' is none");
  EXPECT_THAT(lesson->key, HasSubstr("family stencil")) << "about the language, not the task";
}

TEST_F(LessonRules, WhatSaysNothingAboutKernelsTeachesNothing) {
  for (const Outcome outcome : {Outcome::Correct, Outcome::Unmeasurable, Outcome::Unsupported})
    EXPECT_EQ(caution(failed(1, "a", outcome, {})), std::nullopt) << name_of(outcome);
  Attempt turned_down = failed(1, "", Outcome::NoCandidate, {});
  for (const Reason reason : {Reason::NoAnswer, Reason::WrongForm}) {
    turned_down.evaluation.verdict.reason = reason;
    EXPECT_EQ(caution(turned_down), std::nullopt) << name_of(reason);
  }
  Attempt forbidden = failed(1, "a", Outcome::Rejected, {});
  forbidden.evaluation.verdict = {Stage::Screen, Outcome::Rejected, "it names the technique 'simd'",
                                  Reason::ForbiddenTechnique, "simd"};
  EXPECT_EQ(caution(forbidden), std::nullopt);
  forbidden.evaluation.verdict = {Stage::Screen, Outcome::Rejected,
                                  "line 3: calls of system() are forbidden"};
  EXPECT_TRUE(caution(forbidden)) << "the referee's words, whatever they are";
  EXPECT_TRUE(caution(failed(1, "", Outcome::NoCandidate, {})));
}

TEST_F(LessonRules, APatternPointsAtTheSpecification) {
  const Attempt a = failed(2, "a", Outcome::WrongResult, {isolated()}, {"tiling"});
  const auto lesson = instruction_of(a, facts(a), scope_);
  ASSERT_TRUE(lesson);
  EXPECT_EQ(lesson->kind, LessonKind::Instruction);
  EXPECT_THAT(lesson->text,
              AllOf(HasSubstr("Keep point updates"), HasSubstr("with tiling missed that"),
                    HasSubstr("“**Sources** go in after the update of the same step.”"),
                    HasSubstr("“A step that is tiled must see the sources"),
                    Not(HasSubstr("share a cell"))));
  const Attempt plain = failed(2, "a", Outcome::WrongResult, {});
  EXPECT_EQ(instruction_of(plain, facts(plain), scope_), std::nullopt) << "no pattern, no rule";
  const Attempt crash = failed(2, "a", Outcome::Crashed, {isolated()});
  EXPECT_EQ(instruction_of(crash, facts(crash), scope_), std::nullopt);
}

TEST_F(LessonRules, SlowButCorrectIsAnInsightWithItsCause) {
  const Attempt a = correct(3, kStrided, 0.4, {"tiling"});
  const auto lesson = insight_of(a, facts(a), scope_);
  ASSERT_TRUE(lesson);
  EXPECT_THAT(lesson->text, AllOf(HasSubstr("Correct but slower with tiling: 0.4x"),
                                  HasSubstr("innermost loop runs over x"),
                                  HasSubstr("contiguous access along z is lost")));
  Attempt scalar = correct(3, kContiguous, 0.4, {"tiling"});
  scalar.evaluation.findings = {{FindingKind::Vectorization, 1,
                                 "The loop in line 7 is not vectorised: a call in the loop.", "",
                                 "", MismatchPattern::None, "a call in the loop"}};
  EXPECT_THAT(insight_of(scalar, facts(scalar), scope_)->text,
              testing::EndsWith("its loop stayed scalar: a call in the loop."));
  Attempt bound = correct(3, kContiguous, 0.4, {"tiling"});
  WorkloadResult w;
  w.group = Group::Time;
  w.roofline.bound = Bound::Memory;
  w.roofline.fraction = 0.3;
  bound.evaluation.workloads = {w};
  EXPECT_THAT(insight_of(bound, facts(bound), scope_)->text,
              HasSubstr("memory-bound at 0.30 of its ceiling"));
}

TEST_F(LessonRules, NoInsightWithoutAClearLoss) {
  for (const double speedup : {0.97, 1.0, 2.0}) {
    const Attempt a = correct(3, kStrided, speedup, {"tiling"});
    EXPECT_EQ(insight_of(a, facts(a), scope_), std::nullopt) << speedup;
  }
  const Attempt nothing_known = correct(3, kContiguous, 0.4);
  EXPECT_EQ(insight_of(nothing_known, facts(nothing_known), scope_), std::nullopt);
}

TEST_F(LessonRules, TechniquesAreDeclaredOrNamedByThePlan) {
  EXPECT_THAT(techniques_of(tried(1, "", {"tiling", "prefetch"}), {"tiling"}),
              ElementsAre("prefetch"))
      << "what is new";
  EXPECT_THAT(techniques_of(tried(1, "", {"tiling"}), {"tiling"}), ElementsAre("tiling"));
  EXPECT_THAT(techniques_of(tried(1, "", {"a", "b", "c", "d", "e"}), {"a", "b", "c", "d"}),
              ElementsAre("e"));
  Attempt planned = tried(1, "", {});
  planned.plan = "I fuse the passes and use x-y tiles; no unrolling of subtiles, blockwise.";
  EXPECT_THAT(techniques_of(planned, {}), ElementsAre("tiling", "blocking", "unrolling", "fusion"));
  planned.plan = "subtile";
  EXPECT_THAT(techniques_of(planned, {}), IsEmpty());
}

Evaluation confirmed(double speedup) {
  Evaluation e = correct(0, "", speedup).evaluation;
  e.machine = "Test Processor";
  return e;
}

TEST_F(LessonRules, OnlyAConfirmedWinIsAnExample) {
  Attempt best = correct(5, kContiguous, 2.1, {"vectorization"});
  best.candidate.knobs = {{"TILE", 8}};
  TriedSource tried, parent;
  tried.plan = "Keep z innermost.";
  parent.speedup = 0.4;
  parent.label = "tiling";
  const auto win = win_of(best, confirmed(2), &tried, &parent, scope_);
  ASSERT_TRUE(win);
  EXPECT_EQ(win->source_sha256, best.candidate.sha256);
  EXPECT_EQ(win->gain.value, 2);
  EXPECT_EQ(win->text,
            "Confirmed: 2x `reference` (1.9–2.1 at 99.5 %) on Test Processor; vectorization; "
            "TILE = 8. Made from a kernel that reached 0.4x (tiling). Its author's plan: “Keep z "
            "innermost.”");
  EXPECT_EQ(win_of(best, confirmed(0.99), &tried, &parent, scope_), std::nullopt);
  Evaluation wrong = confirmed(2);
  wrong.verdict.outcome = Outcome::WrongResult;
  EXPECT_EQ(win_of(best, wrong, nullptr, nullptr, scope_), std::nullopt);
  best.candidate.origin = Origin::Playbook;
  EXPECT_EQ(win_of(best, confirmed(2), nullptr, nullptr, scope_), std::nullopt);
}

TEST_F(LessonRules, ARunIsSummedUp) {
  std::vector<TriedSource> tried(3);
  tried[0].label = "tiling";
  tried[0].outcome = Outcome::WrongResult;
  tried[0].facts.pattern = MismatchPattern::Isolated;
  tried[1].label = "tiling, again";
  tried[1].outcome = Outcome::Correct;
  tried[1].speedup = 0.4;
  tried[1].facts.cause_words = "a stride";
  tried[2].label = "vectorization";
  tried[2].outcome = Outcome::Correct;
  tried[2].speedup = 2.1;
  tried[2].is_gain = true;
  RunSummary run;
  run.config.baseline = "reference";
  const auto summary = summary_of(run, tried, confirmed(2), scope_);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->text,
            "3 kernels tried against `reference`. Helped: vectorization 2.1x. Did not: tiling, "
            "again 0.4x (a stride). Failed: tiling (wrong result: isolated elements were wrong). "
            "Confirmed: 2x `reference` (1.9–2.1 at 99.5 %).");
  EXPECT_EQ(summary_of(run, {}, std::nullopt, scope_), std::nullopt);
}

TEST(Pattern, IsTheFirstThatAFindingTells) {
  EXPECT_EQ(pattern_of({{FindingKind::Mismatch, 1, "x", "", ""}, isolated()}),
            MismatchPattern::Isolated);
  EXPECT_EQ(pattern_of({{FindingKind::Mismatch, 1, "x", "", ""}}), MismatchPattern::None);
  EXPECT_EQ(pattern_of({}), MismatchPattern::None);
}

TEST(Pattern, EachHasItsAdvice) {
  for (std::size_t i = 1; i < EnumNames<MismatchPattern>::names.size(); ++i) {
    const PatternAdvice& advice = advice_on(static_cast<MismatchPattern>(i));
    EXPECT_FALSE(advice.seen.empty()) << i;
    EXPECT_TRUE(advice.rule.ends_with('.')) << i;
    EXPECT_FALSE(advice.keywords.empty()) << i;
  }
  EXPECT_TRUE(advice_on(MismatchPattern::None).rule.empty());
}

TEST(Statements, WordsBeginWhereNoWordGoesOn) {
  EXPECT_TRUE(mentions("x-Y Tiling", "til"));
  EXPECT_FALSE(mentions("subtile", "til"));
  EXPECT_FALSE(mentions("", "til"));
  EXPECT_EQ(first_sentence("  One. Two.\nThree", 100), "One.");
  EXPECT_EQ(first_sentence("One\nTwo.", 100), "One");
}

}  // namespace
}  // namespace kw::memory
