// Functions by which several parts of the store write rows inside their own transactions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "record/experience.h"
#include "record/lesson.h"
#include "store/database.h"

namespace SQLite {
class Column;
}

namespace kw::store {

class Artifacts;
struct Event;

/// The bytes of a column.
std::string blob(const SQLite::Column& column);

/// Calls `visit` for each row, until it fails.
Result<> for_each_row(const Database& db, const char* query,
                      std::initializer_list<std::int64_t> bound,
                      const std::function<Result<>(SQLite::Statement&)>& visit);

/// Adds an event behind the others of the run, and numbers it.
void insert_event(SQLite::Database& db, std::int64_t run, const Event& event);

/// Source texts by their hashes.
using Codes = std::map<std::string, std::string>;

/// The sources of the wins among these lessons.
Result<Codes> codes_of(const Artifacts& artifacts, const std::vector<Lesson>& lessons);

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
