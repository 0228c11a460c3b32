// Tests of the page that kw explain prints about an attempt.
// SPDX-License-Identifier: Apache-2.0
#include "cli/life.h"

#include <gmock/gmock.h>

namespace kw::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Life, TheLatestAttemptOfARunThatGoesOnIsNotTheLast) {
  Life life;
  life.attempt.number = 3;
  life.run.state = RunState::Running;
  EXPECT_THAT(page_of(life), Not(HasSubstr("The run asked for no kernel after this attempt")));
  life.run.stopped_by = "3 attempts";
  EXPECT_THAT(page_of(life),
              HasSubstr("The run asked for no kernel after this attempt: 3 attempts."));
  life.run.state = RunState::Interrupted;
  life.run.stopped_by.clear();
  EXPECT_THAT(page_of(life), HasSubstr("The run asked for no kernel after this attempt."));
}

TEST(Life, ARecalledVerdictCostNoTime) {
  Life life;
  life.attempt.evaluation.stage_ns = {{"check", 2e6}, {"measure", 3e6}};
  EXPECT_THAT(page_of(life), HasSubstr("time: 5.00 ms in the stages of this attempt"));
  life.attempt.recalled = 1;
  EXPECT_THAT(page_of(life), Not(HasSubstr("5.00 ms")));
}

TEST(Life, WhatNobodyAnsweredIsNobodysAndAReplyWithoutAKernelIsItsModels) {
  Life life;
  life.attempt.candidate.origin = Origin::Model;
  life.attempt.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "HTTP 400",
                                     Reason::NoAnswer};
  EXPECT_THAT(page_of(life),
              HasSubstr("The attempt is no kernel, because no model gave a usable answer."));
  life.attempt.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "no code block"};
  EXPECT_THAT(page_of(life),
              HasSubstr("The attempt is a language model's reply, which holds no kernel."));
}

TEST(Life, AnUnknownPriceIsSaidToBe) {
  Life life;
  life.attempt.exchanges = {"key"};
  life.spent = {0, 120, 1, 1};
  EXPECT_THAT(page_of(life), HasSubstr("cost unknown"));
  EXPECT_TRUE(life_json(life)["cost_usd"].is_null());
  life.spent = {0.02, 120, 1, 0};
  EXPECT_THAT(page_of(life), HasSubstr("cost $0.0200"));
}

TEST(Life, AParentWithoutAKernelHasNoEmptyName) {
  Life life;
  life.attempt.parent = 4;
  life.parent.emplace();
  life.parent->number = 4;
  life.parent->words = "failed at propose";
  EXPECT_THAT(page_of(life), HasSubstr("attempt 4, (no kernel): failed at propose"));
}

}  // namespace
}  // namespace kw::cli
