// Lessons of a run: what it began with, what it learns after each tell and at its end.
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

/// What a run needs to learn.
struct Learning {
  const task::Definition* task = nullptr;  ///< Borrowed.
  Target target = Target::Cpu;
  std::string device;            ///< DeviceFacts::id.
  std::string arch{};            ///< Of its GPU; empty: none.
  const Shelf* shelf = nullptr;  ///< Null: prompts are told no knowledge. Borrowed.
};

/// What of this workspace bears on a task: lessons with the sources of wins, experience, knowledge.
/// `at`: UTC, now. `ledger` counts what embeddings cost; null: nobody does.
Result<LessonSnapshot> lessons_for(store::RunStore& store, const Learning& learning,
                                   const std::string& at, llm::Ledger* ledger = nullptr);

/// Puts what is told into a situation: wins before the examples it has, of which as many stay as
/// there is room for.
void tell(const memory::ToldLessons& told, propose::Situation& situation);

/// The same of experience and knowledge, after the examples are there.
void tell(std::vector<memory::Remembered> remembered, propose::Situation& situation);

class Lessons {
 public:
  /// Nothing where the run does without memory. A new run's lessons are kept with it; one that is
  /// taken up again begins with those, whatever was learnt since. `clock` and what `learning` names
  /// must outlive this. `ledger`: of the run; null: it has none.
  static Result<std::optional<Lessons>> open(const Learning* learning, store::RunStore& store,
                                             const platform::Clock& clock, const RunSummary& run,
                                             llm::Ledger* ledger = nullptr);

  /// What a completed attempt taught, to be stored with it: nothing where memory is frozen.
  /// Recorded attempts are observed again after a resume.
  std::vector<Lesson> observe(const Attempt& attempt, bool is_written);
  /// What it showed of techniques; likewise.
  std::vector<Experience> take_experience();
  /// Adds what the next prompt is told, for the parent that the situation has.
  void tell(propose::Situation& situation) const;
  /// The last words of a run that ends by itself; twice changes nothing more than once.
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
  bool is_frozen_;  ///< What this run sees reaches its own prompts and nobody else's.
};

}  // namespace kw::engine
