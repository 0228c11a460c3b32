// Rows that several parts of the store write inside their own transactions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/lesson.h"

namespace SQLite {
class Database;
}

namespace kw::store {

struct Event;

/// Adds an event behind the others of the run; its number is given here.
void insert_event(SQLite::Database& db, std::int64_t run, const Event& event);

/// Adds each lesson or merges it into the one of its key, makes room where a task has too many of a
/// kind, and notes every change among the events of the run.
void keep_lessons(SQLite::Database& db, std::int64_t run, const std::vector<Lesson>& lessons);

}  // namespace kw::store
