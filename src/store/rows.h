// Functions by which several parts of the store write rows inside their own transactions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/lesson.h"

namespace SQLite {
class Database;
}

namespace kw::store {

class Artifacts;
struct Event;

/// Adds an event behind the others of the run, and numbers it.
void insert_event(SQLite::Database& db, std::int64_t run, const Event& event);

/// Source texts by their hashes.
using Codes = std::map<std::string, std::string>;

/// Adds each lesson or merges it into the one with the same key, removes lessons where a task has
/// too many of a kind, and records every change among the events of the run. `codes` holds the
/// sources of wins.
void keep_lessons(SQLite::Database& db, std::int64_t run, const std::vector<Lesson>& lessons,
                  const Codes& codes);

/// Adds counts of techniques to the entries with the same keys; where there are too many entries,
/// the oldest are removed.
void keep_experience(SQLite::Database& db, const std::vector<Experience>& news);

/// Fills the search index of a database that had schema 4 or older. A source that cannot be read is
/// skipped here; whoever wants to show it gets the error.
void index_lessons(SQLite::Database& db, const Artifacts& artifacts);

}  // namespace kw::store
