// Judges on the same held-out kernels: questions, answers, hits and gains.
// SPDX-License-Identifier: Apache-2.0
#include "engine/judge_choices.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "engine/recorded_steps_for_test.h"

namespace kw::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Samples of a world where tiling gains on memory-bound kernels, and padding, which rules consider
/// as good, loses.
std::vector<GainSample> recorded_world(int runs) {
  std::vector<GainSample> samples;
  Rng rng(Seed::from_number(5));
  for (int run = 0; run < runs; ++run)
    for (const auto& [technique, gain] :
         {std::pair("tiling", 0.6), {"padding", -0.3}, {"unrolling", 0.0}})
      samples.push_back(step_of("run-" + std::to_string(run), kernel_bound_by(Bound::Memory),
                                technique, gain + 0.05 * rng.normal()));
  return samples;
}

TEST(JudgeChoices, AreAskedWhereARunTriedTwoThingsOnKernelsAlike) {
  const std::vector<GainSample> samples{
      step_of("a", kernel_bound_by(Bound::Memory), "tiling", 0.4),
      step_of("a", kernel_bound_by(Bound::Memory), "tiling", 0.2),
      step_of("a", kernel_bound_by(Bound::Memory, {"tiling"}), "padding", 0.1),
      step_of("a", kernel_bound_by(Bound::Compute), "unrolling", 0.5),
      step_of("b", kernel_bound_by(Bound::Memory), "padding", 0.1),
      step_of("c", kernel_bound_by(Bound::Memory), "padding", 0.1),
      step_of("c", kernel_bound_by(Bound::Memory), "tiling", 0.1),
  };
  const auto questions = judge_questions(samples, 100);
  ASSERT_THAT(questions, SizeIs(1)) << "b tried one, in c both gained the same, and what shows "
                                       "tiling is not asked for it";
  EXPECT_EQ(questions[0].run, "a");
  EXPECT_THAT(questions[0].menu, ElementsAre("padding", "tiling"));
  EXPECT_NEAR(questions[0].gains[1], 0.3, 1e-9);
  EXPECT_THAT(judge_questions(recorded_world(20), 7), SizeIs(7));
}

TEST(JudgeChoices, EachJudgeIsHeldToTheSameQuestions) {
  const auto samples = recorded_world(10);
  const auto questions = judge_questions(samples, 100);
  ASSERT_THAT(questions, SizeIs(10));
  const auto learned = standing_of(questions, answers_of_learned(questions, samples));
  const auto rules = standing_of(questions, answers_of_rules(questions, kStepCards));
  const auto lot = standing_of(questions, answers_by_lot(questions));
  EXPECT_EQ(learned.hits, 1);
  EXPECT_NEAR(learned.gain, 0.6, 0.05);
  EXPECT_NEAR(rules.hits, 0.5, 1e-9) << "two cards relieve memory, and one of them gains";
  EXPECT_NEAR(rules.gain, 0.15, 0.05);
  EXPECT_NEAR(lot.hits, 1.0 / 3, 1e-9);
  EXPECT_NEAR(lot.gain, 0.1, 0.05);
}

TEST(JudgeChoices, ThatWhichIsNoAnswerGainsNothing) {
  const auto questions = judge_questions(recorded_world(2), 100);
  ASSERT_THAT(questions, SizeIs(2));
  ASSERT_THAT(questions[0].menu, ElementsAre("padding", "tiling", "unrolling"));
  const auto standing = standing_of(questions, {{1}, {}});
  EXPECT_EQ(standing.unread, 1U);
  EXPECT_EQ(standing.hits, 0.5);
  EXPECT_NEAR(standing.gain, questions[0].gains[1] / 2, 1e-9);
}

TEST(JudgeChoices, FactsSayWhatIsKnown) {
  KernelState known = kernel_bound_by(Bound::Memory, {"tiling"});
  known.speedup = 2.5;
  known.used["memory"] = 0.41;
  EXPECT_THAT(facts_of(known), ElementsAre(HasSubstr("2.5 times"), "It is memory-bound.",
                                           "Of memory it uses 41 %.", "It shows: tiling."));
  EXPECT_THAT(facts_of(KernelState()), ElementsAre(HasSubstr("no kernel yet")));
  EXPECT_THAT(judge_questions({}, 5), IsEmpty());
}

}  // namespace
}  // namespace kw::engine
