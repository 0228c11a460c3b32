// Dialogue: lets a test ask a strategy and tell it outcomes that the test chooses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/make_for_test.h"
#include "search/reward.h"
#include "search/strategy.h"

namespace kw::search {

/// Asks a strategy and tells it outcomes. Each written source becomes a new idea, numbered from 10.
class Dialogue {
 public:
  explicit Dialogue(std::string_view name, StrategyOptions options = {},
                    std::vector<Idea> ideas = {})
      : strategy_(make(name, std::move(ideas), options)) {}

  Ask ask() {
    auto ask = strategy_->ask();
    EXPECT_TRUE(ask);
    last_ = ask.value_or(Ask{});
    EXPECT_FALSE(last_.why.empty());
    return last_;
  }
  /// Tells that the last ask failed with this outcome.
  void fails(Outcome outcome = Outcome::WrongResult) {
    Tell tell{last_.id, OutcomeClass::Failed, outcome, 0, {}};
    tell.stage = outcome == Outcome::CompileFailed ? Stage::Compile : Stage::Check;
    if (outcome == Outcome::NoCandidate || outcome == Outcome::Rejected)
      tell.stage = Stage::Propose;
    if (last_.role == Role::Write) tell.idea = next_idea_++, tell.written = Idea{"w", {}};
    strategy_->tell(tell);
  }
  /// Tells that the last ask was correct, with this speedup.
  void works(double speedup, Traits traits = {}, std::vector<std::string> techniques = {},
             const std::string& chosen = {}) {
    const bool is_best = speedup > best_;
    best_ = std::max(best_, speedup);
    Tell tell{
        last_.id, is_best ? OutcomeClass::NewBest : OutcomeClass::NoGain, Outcome::Correct, 0, {}};
    tell.speedup.value = speedup;
    tell.stage = Stage::Measure;
    tell.time_ns = 1e6 / speedup;
    tell.roofline_fraction = roofline_;
    grant(**find_reward_policy(policy_), tell);
    tell.traits = std::move(traits);
    tell.chosen = chosen;
    tell.shown = shown_;
    if (last_.role == Role::Write) {
      tell.idea = next_idea_++;
      tell.written = Idea{"w", space_, std::move(techniques)};
    }
    strategy_->tell(tell);
  }
  /// Sets the name of the reward policy for all later tells.
  void set_reward(std::string policy) { policy_ = std::move(policy); }
  /// Sets the fraction of the roofline for all later correct tells.
  void set_roofline(double fraction) { roofline_ = fraction; }
  /// Sets the techniques that every later correct kernel names; before the first call no techniques
  /// are told.
  void set_shown(std::vector<std::string> techniques) { shown_ = std::move(techniques); }
  /// Sets the knobs of every source that is written from now on.
  void set_space(KnobSpace space) { space_ = std::move(space); }
  Strategy& strategy() { return *strategy_; }

 private:
  static std::unique_ptr<Strategy> make(std::string_view name, std::vector<Idea> ideas,
                                        const StrategyOptions& options) {
    auto strategy = make_strategy(name, std::move(ideas), options);
    EXPECT_TRUE(strategy) << name;
    return std::move(*strategy);
  }

  std::unique_ptr<Strategy> strategy_;
  KnobSpace space_;
  std::optional<std::vector<std::string>> shown_;
  Ask last_;
  std::string policy_ = "speedup";
  double roofline_ = 0;
  double best_ = 0;
  int next_idea_ = 10;
};

}  // namespace kw::search
