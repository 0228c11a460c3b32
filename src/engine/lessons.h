// Lessons of a run: what it began with, and what it learns after each attempt and at its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/knowledge.h"
#include "memory/learner.h"
#include "platform/clock.h"
#include "propose/proposer.h"
#include "propose/veil.h"
#include "store/run_store.h"

namespace kw::engine {

/// What a run needs in order to learn.
struct Learning {
  const task::Definition* task = nullptr;  ///< Borrowed.
  Target target = kDefaultTarget;
  std::string device;               ///< The same as DeviceFacts::id.
  std::string arch{};               ///< Architecture of the device's GPU, or "avx512f".
  const Shelf* shelf = nullptr;     ///< Borrowed; null: prompts contain no knowledge.
  bool has_dialect_headers = true;  ///< Code in dialects with headers compiles and may be shown.
};

/// What this workspace knows about a task: lessons with the sources of wins, experience, and
/// knowledge. `at` is the current time in UTC. `ledger` counts what embeddings cost; null: it is
/// not counted.
Result<LessonSnapshot> lessons_for(store::RunStore& store, const Learning& learning,
                                   const std::string& at, llm::Ledger* ledger = nullptr);

/// Puts the lessons into the situation that a prompt describes; wins come before the situation's
/// examples, of which as many stay as there is room for.
void tell(const memory::ToldLessons& told, propose::Situation& situation);

/// Puts experience and knowledge into the situation that a prompt describes, once its examples are
/// complete.
void tell(std::vector<memory::Remembered> remembered, propose::Situation& situation);

class Lessons {
 public:
  /// Nothing if the run does without memory. A new run's lessons are kept with it; a run that is
  /// taken up again begins with the kept ones, whatever was learnt since. `clock` and what
  /// `learning` refers to must outlive this object. `ledger` is the run's; null: it has none.
  static Result<std::optional<Lessons>> open(const Learning* learning, store::RunStore& store,
                                             const platform::Clock& clock, const RunSummary& run,
                                             llm::Ledger* ledger = nullptr);

  /// Lessons of a completed attempt, to be stored with it; none if memory is frozen. After a
  /// resume, recorded attempts are observed again.
  std::vector<Lesson> observe(const Attempt& attempt, bool is_written);
  /// Experience with techniques from the latest attempt, to be stored with it; none if memory is
  /// frozen.
  std::vector<Experience> take_experience();
  /// Adds to a situation what the next prompt is told of lessons, experience and knowledge.
  void tell(propose::Situation& situation) const;
  /// Stores what a run that ends by itself has taught as a whole; a second call changes nothing.
  Result<> conclude(store::RunStore& store, const RunSummary& run, const Attempt* best,
                    const std::optional<Evaluation>& confirmation) const;

 private:
  Lessons(const Learning& learning, const platform::Clock& clock, memory::Learner learner,
          bool is_frozen)
      : clock_(&clock),
        veil_(*learning.task),
        learner_(std::move(learner)),
        is_frozen_(is_frozen) {}
  std::vector<Lesson> covered(std::vector<Lesson> lessons) const;
  std::string now() const { return platform::utc_text(clock_->wall_seconds()); }

  const platform::Clock* clock_;
  propose::Veil veil_;
  memory::Learner learner_;
  bool is_frozen_;  ///< True: what this run sees reaches its own prompts only.
};

}  // namespace kw::engine
