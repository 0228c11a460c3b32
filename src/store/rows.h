// Rows that several parts of the store write inside their own transactions.
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

/// Adds an event behind the others of the run; its number is given here.
void insert_event(SQLite::Database& db, std::int64_t run, const Event& event);

/// Source texts by their hash.
using Codes = std::map<std::string, std::string>;

/// Adds each lesson or merges it into the one of its key, makes room where a task has too many of a
/// kind, and notes every change among the events of the run. `codes`: the sources of wins.
void keep_lessons(SQLite::Database& db, std::int64_t run, const std::vector<Lesson>& lessons,
                  const Codes& codes);

/// Adds what techniques did to the entries of the same key; of too many the oldest go.
void keep_experience(SQLite::Database& db, const std::vector<Experience>& news);

/// Fills the search's index for a database of schema 4 or before. A source that cannot be read is
/// left out: whoever wants to show it is told.
void index_lessons(SQLite::Database& db, const Artifacts& artifacts);

}  // namespace kw::store
