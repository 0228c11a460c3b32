// Learner: what a run knows from earlier runs and what it learns itself, attempt by attempt.
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

/// Learns deterministically: equal snapshots and equal attempts give equal lessons, so that a
/// resumed run builds the same prompts whatever other runs have learnt meanwhile. Keeps a few
/// hundred bytes for each source and some tens for each attempt.
class Learner {
 public:
  /// `scope.task` must outlive the learner.
  Learner(LessonScope scope, LessonSnapshot begun);

  /// Takes a completed attempt and returns its lessons. `is_written`: the source was written for
  /// this attempt; other sources (settings of a tuner, ideas of the workbench) are only remembered
  /// for the summary. Only the first attempt with a source gives lessons. `at` is the time in UTC,
  /// for people.
  std::vector<Lesson> observe(const Attempt& attempt, bool is_written, const std::string& at);

  /// The lessons at the end of a run that was not interrupted: its win, if one was confirmed, and a
  /// summary of what was tried. `best` may be null.
  std::vector<Lesson> conclude(const RunSummary& run, const Attempt* best,
                               const std::optional<Evaluation>& confirmation,
                               const std::string& at) const;

  /// Returns the experience from the latest observe(), which is to be stored with the attempt.
  std::vector<Experience> take_experience() { return std::exchange(news_, {}); }

  /// The lessons that the next prompt tells.
  ToldLessons told() const;
  /// What the next prompt tells about techniques and knowledge, for a kernel whose bottleneck is
  /// `bound`.
  std::vector<Remembered> remembered(Bound bound) const;
  const LessonScope& scope() const { return scope_; }

 private:
  void take(const Lesson& news);
  void take(const Attempt& attempt, const TriedSource& tried, const std::string& at);
  /// Index in tried_ of the attempt's source; nothing: the source is new.
  std::optional<std::size_t> find(const Attempt& attempt) const;
  const TriedSource* by_number(int number) const;
  /// The nearest correct source from which `tried` was made; null: there is none.
  const TriedSource* made_from(const TriedSource& tried) const;
  void remember(const Attempt& attempt);

  LessonScope scope_;
  LessonSnapshot known_;  ///< What was known at the start of the run, and what it has learnt since.
  std::map<std::string, std::size_t> keys_;  ///< Index in known_ by the lesson's key.
  std::vector<Experience> news_;
  std::vector<TriedSource> tried_;
  std::map<std::string, std::size_t> sources_;  ///< Index in tried_ by the source's content.
  std::map<int, std::size_t> numbers_;          ///< Index in tried_ by the attempt's number.
};

}  // namespace kw::memory
