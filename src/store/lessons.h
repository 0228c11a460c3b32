// Lessons: what runs have taught, with the experience that they gathered with techniques.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/experience.h"
#include "record/lesson.h"
#include "store/artifacts.h"
#include "store/database.h"
#include "store/events.h"

namespace kw::store {

/// What to search lessons for.
struct LessonQuery {
  std::vector<std::string> words;
  std::optional<Target> target;  ///< Nothing: lessons of any target.
  std::size_t most = 64;
};

/// A lesson that was removed to make room for others.
struct EvictedLesson {
  std::string run;  ///< Name of the run that needed the room.
  Lesson lesson;
  std::string why;
};

class Lessons {
 public:
  /// The references must outlive the object; `where` names the place of the store in errors.
  Lessons(Database& db, const Events& events, const Artifacts& artifacts, std::string where)
      : db_(db), events_(events), artifacts_(artifacts), where_(std::move(where)) {}

  /// All lessons, oldest first, dropped ones included.
  Result<std::vector<Lesson>> all() const;
  Result<Lesson> get(std::int64_t id) const;
  /// Lessons whose words or code hold some of the query's words in any form, best first. Leaves out
  /// dropped lessons, and matches on words that most lessons hold. Takes milliseconds.
  Result<std::vector<LessonMatch>> find(const LessonQuery& query) const;
  Result<> set_state(std::int64_t id, LessonState state);
  /// Adds lessons or merges them into those with the same key. Where there are too many, the one
  /// not seen for longest is removed, and the run's changes record that.
  Result<> learn(std::int64_t run, const std::vector<Lesson>& lessons);
  /// Stores what a run begins with, and counts the lessons, experience and cards that its first
  /// prompt tells as used.
  Result<> begin(std::int64_t run, const LessonSnapshot& snapshot);
  /// The snapshot of a run; nothing if the run began without memory.
  Result<std::optional<LessonSnapshot>> snapshot(std::int64_t run) const;
  /// Counts a confirmed win of the run for the lessons that it began with, at most once.
  Result<> credit(std::int64_t run);
  /// Changes that the run made to lessons, in order.
  Result<std::vector<LessonChange>> changes(std::int64_t run) const;
  /// Lessons that were removed to make room for others, of all runs, in order.
  Result<std::vector<EvictedLesson>> evicted() const;

  /// Experience with techniques, the latest first; for one target, or for all.
  Result<std::vector<Experience>> experience(std::optional<Target> target = {}) const;

 private:
  Database& db_;
  const Events& events_;
  const Artifacts& artifacts_;
  std::string where_;
};

}  // namespace kw::store
