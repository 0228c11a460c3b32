// Numbers and reads the events of runs.
// SPDX-License-Identifier: Apache-2.0
#include "store/events.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "store/rows.h"

namespace kw::store {

void insert_event(SQLite::Database& db, std::int64_t run, const Event& event) {
  SQLite::Statement insert(db,
                           "INSERT INTO events(run, number, kind, at_ns, body) SELECT ?1, "
                           "COALESCE(MAX(number), 0) + 1, ?2, ?3, ?4 FROM events WHERE run = ?1");
  insert.bind(1, run);
  insert.bind(2, event.kind);
  insert.bind(3, event.at_ns);
  insert.bind(4, event.body);
  insert.exec();
}

Result<> Events::append(std::int64_t run, const Event& event) { return append_all(run, {event}); }

Result<> Events::append_all(std::int64_t run, const std::vector<Event>& events) {
  return db_.write([&](SQLite::Database& db) {
    for (const Event& event : events) insert_event(db, run, event);
  });
}

Result<std::vector<Event>> Events::of(std::int64_t run) const {
  std::vector<Event> events;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(
        db, "SELECT number, kind, at_ns, body FROM events WHERE run = ? ORDER BY number");
    row.bind(1, run);
    while (row.executeStep())
      events.push_back({row.getColumn(0).getInt(), row.getColumn(1).getString(),
                        row.getColumn(2).getInt64(), row.getColumn(3).getString()});
  }));
  return events;
}

Result<std::vector<Event>> Events::of(std::int64_t run, const std::string& kind, int after) const {
  std::vector<Event> events;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db,
                          "SELECT number, at_ns, body FROM events WHERE run = ? AND number > ? AND "
                          "kind = ? ORDER BY number");
    row.bind(1, run);
    row.bind(2, after);
    row.bind(3, kind);
    while (row.executeStep())
      events.push_back({row.getColumn(0).getInt(), kind, row.getColumn(1).getInt64(),
                        row.getColumn(2).getString()});
  }));
  return events;
}

}  // namespace kw::store
