// Tests of the history in prompts: its lines, and that dropping lines does not change any prompt.
// SPDX-License-Identifier: Apache-2.0
#include "propose/history.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// The attempts of a random run: single and tuned kernels, failures and gains, texts of any length.
std::vector<AttemptLine> random_lines(int count, Rng& rng) {
  std::vector<AttemptLine> lines;
  int left_of_row = 0;
  for (int n = 1; n <= count; ++n) {
    const auto fate = rng() % 10;
    AttemptLine line = test_line(n, fate == 0  ? OutcomeClass::NewBest
                                    : fate < 5 ? OutcomeClass::Failed
                                               : OutcomeClass::NoGain);
    if (left_of_row > 0) {
      --left_of_row;
      line.name = lines.back().name;
      line.knobs = {{"TILE", static_cast<std::int64_t>(rng() % 64)}};
      line.speedup = 1e-3 * static_cast<double>(rng() % 2000);
    } else if (rng() % 8 == 0) {
      left_of_row = static_cast<int>(rng() % 12);
    }
    line.words = std::string(rng() % 150, 'w') + (rng() % 5 == 0 ? "  " : "");
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST(History, SettingsOfOneKernelAreOneLine) {
  std::vector<AttemptLine> told{test_line(1, OutcomeClass::NewBest)};
  for (int i = 2; i <= 5; ++i) {
    AttemptLine line = test_line(i, i == 4 ? OutcomeClass::Failed : OutcomeClass::NoGain);
    line.name = "tiles";
    line.knobs = {{"TILE", 8 * i}};
    line.speedup = i == 4 ? 0 : i;
    told.push_back(line);
  }
  AttemptLine last = test_line(6, OutcomeClass::NoGain);
  last.parent = 5;
  told.push_back(last);
  const History history = test_history(told);
  const std::vector<HistoryLine>& lines = history.lines();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0].text, "1, `kernel_1`: words of 1");
  EXPECT_TRUE(lines[0].is_gain);
  EXPECT_EQ(lines[1].text,
            "2–5, `tiles`: 4 settings of its knobs; best 5x the baseline with TILE = 40; 1 failed");
  EXPECT_EQ(lines[2].text, "6 (from 5), `kernel_6`: words of 6; 1.5x the baseline");
}

TEST(History, WhatItOnlyCountsChangesNoPrompt) {
  const task::Definition task = test_task();
  const PromptBook book = shipped_prompts();
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng{Seed{seed, 7}};
    const auto lines = random_lines(40 + static_cast<int>(rng() % 400), rng);
    const History whole = test_history(lines, std::size_t{1} << 30);
    // A budget below what the task itself takes drops all lines; a larger one drops only some.
    for (const std::int64_t tokens : {1000, 2500, 4000, 8000}) {
      const History bounded = test_history(lines, static_cast<std::size_t>(tokens) * 7 / 2);
      Situation s;
      s.number = 999;
      s.task = &task;
      s.baseline = "omp";
      s.insights = {"An insight."};
      s.history = &whole;
      const auto expected = book.build(s, {tokens});
      s.history = &bounded;
      const auto prompt = book.build(s, {tokens});
      ASSERT_TRUE(expected && prompt);
      EXPECT_EQ(prompt->user, expected->user) << tokens;
      EXPECT_EQ(prompt->dropped, expected->dropped);
      EXPECT_EQ(prompt->is_over_budget, expected->is_over_budget);
    }
  }
}

TEST(History, DoesNotGrowWithTheRun) {
  Rng rng{Seed{3, 4}};
  const History history = test_history(random_lines(5000, rng));
  std::size_t bytes = 0;
  for (const HistoryLine& line : history.lines()) bytes += line.text.size();
  EXPECT_LT(bytes, 2 * kHistoryBytes + 1000) << "of gains, and of all others";
  EXPECT_GT(history.counted(false).lines, 0u);
}

// A prompt that shows no history must not report dropped lines of history.
TEST(History, IsNotCountedWhereItIsNotShown) {
  const task::Definition task = test_task();
  Rng rng{Seed{5, 6}};
  const History history = test_history(random_lines(400, rng), 1000);
  ASSERT_GT(history.counted(false).lines, 0u);
  View view;
  view.prompt = "judge_fix";
  const Attempt parent = test_attempt(8, Outcome::WrongResult, 0);
  Situation s;
  s.number = 9;
  s.errand = Errand::Repair;
  s.task = &task;
  s.parent = &parent;
  s.view = &view;
  s.history = &history;
  const auto prompt = shipped_prompts().build_counsel(s, {6000});
  ASSERT_TRUE(prompt) << describe(prompt.error());
  EXPECT_THAT(prompt->dropped, IsEmpty());
}

}  // namespace
}  // namespace kw::propose
