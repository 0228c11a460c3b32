// RunStore: runs, attempts, events and remembered facts; all that resume, replay and reports read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/locks.h"
#include "record/attempt.h"
#include "record/lesson.h"
#include "store/artifacts.h"
#include "store/cards.h"
#include "store/database.h"

namespace kw::store {

struct Event {
  int number = 0;
  std::string kind;        ///< brief | confirm | order | order_effect
  std::int64_t at_ns = 0;  ///< Time since the run began.
  std::string body;        ///< JSON.
};

/// Whether a walk over attempts loads their source texts, which lie in separate files.
enum class Sources { Load, LeaveOut };
/// Whether a walk loads the samples of timed workloads, which are two thirds of the cost of
/// reading.
enum class Samples { Load, LeaveOut };

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

/// The workspace's database with its artifacts, under <workspace>/runs/.
class RunStore {
 public:
  /// `disk` holds the artifacts and must outlive the store.
  static Result<RunStore> open(const platform::Path& workspace,
                               platform::Disk& disk = platform::real_disk());

  /// Opens the store for reading only: creates nothing in the workspace, which may be read-only.
  static Result<RunStore> open_to_read(const platform::Path& workspace,
                                       platform::Disk& disk = platform::real_disk());

  /// Registers a run and names it <task>-<n>, where n is the first number that neither a run of the
  /// store nor a folder under runs/ has; so folders of an earlier store stay untouched.
  Result<RunSummary> create(const RunConfig& config, const std::string& started_at);
  /// Locks a run for the process that works on it; if taken, an Advice::Stop error that names the
  /// holder.
  Result<platform::FileLock> lock(const RunSummary& run) const;

  /// Stores a completed attempt, what it taught, and the run's state in one transaction.
  Result<> append(const RunSummary& run, const Attempt& attempt,
                  const std::vector<Lesson>& learnt = {},
                  const std::vector<Experience>& experience = {});
  Result<> append_event(std::int64_t run, const Event& event);
  /// Stores all events or none.
  Result<> append_events(std::int64_t run, const std::vector<Event>& events);
  /// Updates state, best attempt, stopped_by and spending. A spending below the cost of the run's
  /// stored exchanges is raised to it.
  Result<> update(const RunSummary& run);

  /// All runs. A run that nobody works on and whose end was not recorded is listed as Stopped.
  Result<std::vector<RunSummary>> list() const;
  /// Finds a run by its name, with the state that list() gives; an error suggests the nearest name.
  Result<RunSummary> find(const std::string& name) const;
  /// Visits attempts in order. A second thread unpacks them, a few dozen at a time, while `visit`
  /// runs on the caller's thread; an error of `visit` ends the walk.
  Result<> for_each_attempt(std::int64_t run, Sources sources,
                            const std::function<Result<>(Attempt&)>& visit,
                            Samples samples = Samples::Load) const;
  /// Visits the AttemptLine of each attempt behind attempt `after`, on one thread: about a tenth of
  /// the cost of for_each_attempt().
  Result<> for_each_line(std::int64_t run, const std::function<void(const AttemptLine&)>& visit,
                         int after = 0) const;
  Result<Attempt> attempt(std::int64_t run, int number) const;
  Result<std::vector<Event>> events(std::int64_t run) const;
  /// Events of one kind behind event `after`.
  Result<std::vector<Event>> events(std::int64_t run, const std::string& kind, int after = 0) const;

  /// Stores a completed exchange of a run; it is on the disk when this returns. A second exchange
  /// with the same key is ignored.
  Result<> keep_exchange(std::int64_t run, const Exchange& exchange);
  Result<std::optional<Exchange>> exchange(std::int64_t run, const std::string& key) const;
  /// Visits exchanges in the order in which they were stored.
  Result<> for_each_exchange(std::int64_t run,
                             const std::function<Result<>(Exchange&)>& visit) const;

  /// All lessons, oldest first, dropped ones included.
  Result<std::vector<Lesson>> lessons() const;
  Result<Lesson> lesson(std::int64_t id) const;
  /// Lessons whose words or code hold some of the query's words in any form, best first. Leaves out
  /// dropped lessons, and matches on words that most lessons hold. Takes milliseconds.
  Result<std::vector<LessonMatch>> find_lessons(const LessonQuery& query) const;
  Result<> set_lesson_state(std::int64_t id, LessonState state);
  /// Adds lessons or merges them into those with the same key. Where there are too many, the one
  /// not seen for longest is removed, and the run's changes record that.
  Result<> learn(std::int64_t run, const std::vector<Lesson>& lessons);
  /// Stores what a run begins with, and counts the lessons, experience and cards that its first
  /// prompt tells as used.
  Result<> begin_lessons(std::int64_t run, const LessonSnapshot& snapshot);
  /// The snapshot of a run; nothing if the run began without memory.
  Result<std::optional<LessonSnapshot>> lesson_snapshot(std::int64_t run) const;
  /// Counts a confirmed win of the run for the lessons that it began with, at most once.
  Result<> credit_lessons(std::int64_t run);
  /// Changes that the run made to lessons, in order.
  Result<std::vector<LessonChange>> lesson_changes(std::int64_t run) const;
  /// Lessons that were removed to make room for others, of all runs, in order.
  Result<std::vector<EvictedLesson>> evicted_lessons() const;

  /// Experience with techniques, the latest first; for one target, or for all.
  Result<std::vector<Experience>> experience(std::optional<Target> target = {}) const;
  Cards cards() { return Cards(db_); }

  /// Remembers a fact, such as device facts or baseline standings; the caller chooses kind and key.
  Result<> remember(const std::string& kind, const std::string& key, const std::string& body);
  Result<std::optional<std::string>> recall(const std::string& kind, const std::string& key) const;
  /// Replaces a fact by what `revise` makes of it (it gets nothing if there is none yet), in one
  /// transaction that excludes other writers; an error of `revise` changes nothing. `revise` must
  /// not use the store.
  Result<> revise(
      const std::string& kind, const std::string& key,
      const std::function<Result<std::string>(const std::optional<std::string>&)>& revise);

  platform::Path folder_of(const RunSummary& run) const { return root_ / run.name; }
  const platform::Path& root() const { return root_; }
  const std::string& notice() const { return db_.notice(); }
  Artifacts& artifacts() { return artifacts_; }

 private:
  static Result<RunStore> open_by(decltype(&Database::open) open_database,
                                  const platform::Path& workspace, platform::Disk& disk);
  void settle_state(RunSummary& run) const;
  Result<std::map<std::string, std::string>> codes_of(const std::vector<Lesson>& lessons) const;
  RunStore(platform::Path root, Database db, Artifacts artifacts);
  platform::Path root_;
  Database db_;
  Artifacts artifacts_;
};

}  // namespace kw::store
