// RunStore: the runs of a workspace, with all that resume, replay and reports read about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/locks.h"
#include "record/attempt.h"
#include "record/experience.h"
#include "record/lesson.h"
#include "store/artifacts.h"
#include "store/attempts.h"
#include "store/cards.h"
#include "store/database.h"
#include "store/events.h"
#include "store/exchanges.h"
#include "store/facts.h"
#include "store/lessons.h"

namespace kw::store {

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
  /// Updates state, best attempt, stopped_by and spending. A spending below the cost of the run's
  /// stored exchanges is raised to it.
  Result<> update(const RunSummary& run);

  /// All runs. A run that nobody works on and whose end was not recorded is listed as Stopped.
  Result<std::vector<RunSummary>> list() const;
  /// Finds a run by its name, with the state that list() gives; an error suggests the nearest name.
  Result<RunSummary> find(const std::string& name) const;

  const Attempts& attempts() const { return parts_->attempts; }
  Events& events() { return parts_->events; }
  const Events& events() const { return parts_->events; }
  Exchanges& exchanges() { return parts_->exchanges; }
  const Exchanges& exchanges() const { return parts_->exchanges; }
  Lessons& lessons() { return parts_->lessons; }
  const Lessons& lessons() const { return parts_->lessons; }
  Cards& cards() { return parts_->cards; }
  Facts& facts() { return parts_->facts; }
  const Facts& facts() const { return parts_->facts; }
  Artifacts& artifacts() { return parts_->artifacts; }

  platform::Path folder_of(const RunSummary& run) const { return parts_->root / run.name; }
  const platform::Path& root() const { return parts_->root; }
  const std::string& notice() const { return parts_->db.notice(); }

 private:
  static Result<RunStore> open_by(decltype(&Database::open) open_database,
                                  const platform::Path& workspace, platform::Disk& disk);
  void settle_state(RunSummary& run) const;

  /// Lies on the heap, because its members refer to one another and the store can be moved.
  struct Parts {
    Parts(platform::Path folder, Database opened, Artifacts kept)
        : root(std::move(folder)), db(std::move(opened)), artifacts(std::move(kept)) {}
    platform::Path root;
    Database db;
    Artifacts artifacts;
    Attempts attempts{db, artifacts};
    Events events{db};
    Exchanges exchanges{db};
    Lessons lessons{db, events, artifacts, root.string()};
    Cards cards{db};
    Facts facts{db};
  };
  explicit RunStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
  std::unique_ptr<Parts> parts_;
};

}  // namespace kw::store
