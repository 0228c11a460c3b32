// Learner: what one run knows from others and learns itself, attempt by attempt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/advice.h"
#include "memory/lesson_rules.h"
#include "memory/recall.h"

namespace kw::memory {

/// Equal snapshots and equal attempts give equal lessons, so that resume builds the same prompts
/// whatever other runs taught meanwhile. Holds a few hundred bytes per source and some tens per
/// attempt.
class Learner {
 public:
  /// `scope.task` must outlive the learner.
  Learner(LessonScope scope, LessonSnapshot begun);

  /// Takes a completed attempt and returns what it taught. `is_written`: its source was written for
  /// it; others (settings of a tuner, ideas of the workbench) are remembered for the last words
  /// alone. A source teaches once. `at`: UTC, for people.
  std::vector<Lesson> observe(const Attempt& attempt, bool is_written, const std::string& at);

  /// The last words of a run that was not interrupted: its win, if one was confirmed, and what was
  /// tried. `best` may be null.
  std::vector<Lesson> conclude(const RunSummary& run, const Attempt* best,
                               const std::optional<Evaluation>& confirmation,
                               const std::string& at) const;

  /// What the latest observe() showed of techniques, to be stored with it.
  std::vector<Experience> take_experience() { return std::exchange(news_, {}); }

  /// What the next prompt tells.
  ToldLessons told() const;
  /// What it tells of techniques and knowledge, for a kernel that is held up by `bound`.
  std::vector<Remembered> remembered(Bound bound) const;
  const LessonScope& scope() const { return scope_; }

 private:
  void take(const Lesson& news);
  void take(const Attempt& attempt, const TriedSource& tried, const std::string& at);
  /// Place of the attempt's source in tried_; nothing: it is new.
  std::optional<std::size_t> find(const Attempt& attempt) const;
  const TriedSource* by_number(int number) const;
  /// The nearest correct source that this one was made from; null: none.
  const TriedSource* made_from(const TriedSource& tried) const;
  void remember(const Attempt& attempt);

  LessonScope scope_;
  LessonSnapshot known_;                     ///< With what was learnt since.
  std::map<std::string, std::size_t> keys_;  ///< Into known_.
  std::vector<Experience> news_;
  std::vector<TriedSource> tried_;
  std::map<std::string, std::size_t> sources_;  ///< By content, into tried_.
  std::map<int, std::size_t> numbers_;          ///< By attempt, into tried_.
};

}  // namespace kw::memory
