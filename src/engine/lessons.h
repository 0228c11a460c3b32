// Lessons of a run: what it began with, what it learns after each tell and at its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  std::string device;  ///< DeviceFacts::id.
};

/// The lessons of this workspace that bear on a task, with the sources of wins.
Result<LessonSnapshot> lessons_for(store::RunStore& store, const Learning& learning);

/// Puts what is told into a situation: wins before the examples it has, of which as many stay as
/// there is room for.
void tell(const memory::ToldLessons& told, propose::Situation& situation);

class Lessons {
 public:
  /// Nothing where the run does without memory. A new run's lessons are kept with it; one that is
  /// taken up again begins with those, whatever was learnt since. `clock` and what `learning` names
  /// must outlive this.
  static Result<std::optional<Lessons>> open(const Learning* learning, store::RunStore& store,
                                             const platform::Clock& clock, const RunSummary& run);

  /// What a completed attempt taught, to be stored with it. Recorded attempts are observed again
  /// after a resume.
  std::vector<Lesson> observe(const Attempt& attempt, bool is_written);
  /// Adds what the next prompt is told.
  void tell(propose::Situation& situation) const;
  /// The last words of a run that ends by itself; twice changes nothing more than once.
  Result<> conclude(store::RunStore& store, const RunSummary& run, const Attempt* best,
                    const std::optional<Evaluation>& confirmation) const;

 private:
  Lessons(const Learning& learning, const platform::Clock& clock, memory::Learner learner)
      : clock_(&clock), veil_(*learning.task), learner_(std::move(learner)) {}
  std::vector<Lesson> covered(std::vector<Lesson> lessons) const;
  std::string now() const { return platform::utc_text(clock_->wall_seconds()); }

  const platform::Clock* clock_;
  propose::Veil veil_;
  memory::Learner learner_;
};

}  // namespace kw::engine
