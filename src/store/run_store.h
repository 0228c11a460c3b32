// Runs, attempts, events and remembered facts: everything that resume, replay and reports read.
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
  std::int64_t at_ns = 0;  ///< Since the run began.
  std::string body;        ///< JSON.
};

/// Whether a walk over attempts brings their source texts, which lie in files of their own.
enum class Sources { Load, LeaveOut };
/// The same for the samples of its timed workloads: two thirds of what reading an attempt costs.
enum class Samples { Load, LeaveOut };

/// What lessons are looked for by.
struct LessonQuery {
  std::vector<std::string> words;
  std::optional<Target> target;  ///< Nothing: of any.
  std::size_t most = 64;
};

/// A lesson that made room for others.
struct EvictedLesson {
  std::string run;  ///< Name of the run that needed the room.
  Lesson lesson;
  std::string why;
};

/// The workspace's database with its artifacts, under <workspace>/runs/.
class RunStore {
 public:
  /// `disk` serves the artifacts and must outlive the store.
  static Result<RunStore> open(const platform::Path& workspace,
                               platform::Disk& disk = platform::real_disk());

  /// For what only looks: makes nothing in the workspace, which may be one that cannot be written.
  static Result<RunStore> open_to_read(const platform::Path& workspace,
                                       platform::Disk& disk = platform::real_disk());

  /// Registers a run and names it <task>-<n>, n the first number that no run of the store has and
  /// no folder under runs/: what an earlier store left there stays.
  Result<RunSummary> create(const RunConfig& config, const std::string& started_at);
  /// Held while a process works on a run; taken: Advice::Stop, naming the holder.
  Result<platform::FileLock> lock(const RunSummary& run) const;

  /// Stores a completed attempt, what it taught and the run's standing in one transaction.
  Result<> append(const RunSummary& run, const Attempt& attempt,
                  const std::vector<Lesson>& learnt = {},
                  const std::vector<Experience>& experience = {});
  Result<> append_event(std::int64_t run, const Event& event);
  /// All or none.
  Result<> append_events(std::int64_t run, const std::vector<Event>& events);
  /// Updates state, best, stopped_by, spent. Spending below what its exchanges cost is theirs.
  Result<> update(const RunSummary& run);

  /// One that nobody works on any more and that left no state of its own is Stopped.
  Result<std::vector<RunSummary>> list() const;
  /// By name, as list() tells it; errors suggest the nearest.
  Result<RunSummary> find(const std::string& name) const;
  /// In order, a few dozen in memory at a time, unpacked by a second thread while `visit` runs on
  /// the caller's; an error of `visit` ends the walk.
  Result<> for_each_attempt(std::int64_t run, Sources sources,
                            const std::function<Result<>(Attempt&)>& visit,
                            Samples samples = Samples::Load) const;
  /// The same for the lines of attempts behind attempt `after`, by one thread: about a tenth of the
  /// cost.
  Result<> for_each_line(std::int64_t run, const std::function<void(const AttemptLine&)>& visit,
                         int after = 0) const;
  Result<Attempt> attempt(std::int64_t run, int number) const;
  Result<std::vector<Event>> events(std::int64_t run) const;
  /// Those of one kind behind event `after`.
  Result<std::vector<Event>> events(std::int64_t run, const std::string& kind, int after = 0) const;

  /// Keeps a completed exchange of a run; on the disk when this returns. Kept once: a second one of
  /// the same key is left out.
  Result<> keep_exchange(std::int64_t run, const Exchange& exchange);
  Result<std::optional<Exchange>> exchange(std::int64_t run, const std::string& key) const;
  /// In the order in which they were kept.
  Result<> for_each_exchange(std::int64_t run,
                             const std::function<Result<>(Exchange&)>& visit) const;

  /// All of them, oldest first, dropped ones included.
  Result<std::vector<Lesson>> lessons() const;
  Result<Lesson> lesson(std::int64_t id) const;
  /// Those whose words or code hold some of the query's words in any form of theirs, best first;
  /// none that is dropped, and none where the words are in most lessons. Milliseconds.
  Result<std::vector<LessonMatch>> find_lessons(const LessonQuery& query) const;
  Result<> set_lesson_state(std::int64_t id, LessonState state);
  /// Adds lessons or merges them into those of the same key; of too many the one not seen for
  /// longest goes, and the run's changes say so.
  Result<> learn(std::int64_t run, const std::vector<Lesson>& lessons);
  /// Keeps what a run begins with, and counts what its first prompt tells as used: lessons,
  /// experience and cards.
  Result<> begin_lessons(std::int64_t run, const LessonSnapshot& snapshot);
  /// Nothing: the run began without.
  Result<std::optional<LessonSnapshot>> lesson_snapshot(std::int64_t run) const;
  /// The run ended with a confirmed win: counts that for the lessons it began with, once.
  Result<> credit_lessons(std::int64_t run);
  /// What the run did to lessons, in order.
  Result<std::vector<LessonChange>> lesson_changes(std::int64_t run) const;
  /// Lessons that made room for others, of all runs, in order.
  Result<std::vector<EvictedLesson>> evicted_lessons() const;

  /// What techniques did, the latest first; of one target, or of all.
  Result<std::vector<Experience>> experience(std::optional<Target> target = {}) const;
  Cards cards() { return Cards(db_); }

  /// Remembered facts: device facts, baseline standings; kind and key are the caller's.
  Result<> remember(const std::string& kind, const std::string& key, const std::string& body);
  Result<std::optional<std::string>> recall(const std::string& kind, const std::string& key) const;
  /// Replaces one by what `revise` makes of it (nothing: there is none yet), in one transaction
  /// that no other writer comes between; its error changes nothing. `revise` must not use the
  /// store.
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
