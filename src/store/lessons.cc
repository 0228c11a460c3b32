// Lessons: learning, snapshots of runs, and what a person does to them.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

#include "record/codec.h"
#include "store/rows.h"
#include "store/run_store.h"

namespace kw::store {
namespace {

constexpr const char* kSnapshotEvent = "lessons";
constexpr const char* kChangeEvent = "lesson";
constexpr const char* kHelpedEvent = "lessons_helped";

/// Live lessons of one task, by kind; prompts tell far fewer. Beyond, the one that has not been
/// seen for longest goes.
constexpr std::array<int, EnumNames<LessonKind>::names.size()> kMost{4, 24, 12, 12};

constexpr const char* kColumns = "SELECT id, state, uses, helped, body FROM lessons ";

Result<Lesson> read_lesson(SQLite::Statement& row) {
  auto lesson = KW_TRY(decode<Lesson>(row.getColumn(4).getString()));
  lesson.id = row.getColumn(0).getInt64();
  const auto state = enum_from<LessonState>(row.getColumn(1).getString());
  if (!state) return fail("lesson with an unknown state", lesson.key, Advice::Stop);
  lesson.state = *state;
  lesson.uses = row.getColumn(2).getInt();
  lesson.helped = row.getColumn(3).getInt();
  return lesson;
}

/// What the body holds: not what has a column of its own and is changed there.
std::string body_of(Lesson lesson) {
  lesson.id = 0;
  lesson.state = LessonState::Live;
  lesson.uses = lesson.helped = 0;
  return encode(lesson);
}

std::string last_seen(const Lesson& lesson) {
  return lesson.seen_in.empty() ? std::string() : lesson.seen_in.back().at;
}

void note_change(SQLite::Database& db, std::int64_t run, const LessonChange& change) {
  insert_event(db, run, {0, kChangeEvent, 0, encode(change)});
}

void insert_lesson(SQLite::Database& db, std::int64_t run, Lesson lesson) {
  SQLite::Statement insert(
      db, "INSERT INTO lessons(key, kind, task, state, at, body) VALUES(?, ?, ?, ?, ?, ?)");
  insert.bind(1, lesson.key);
  insert.bind(2, std::string(name_of(lesson.kind)));
  insert.bind(3, lesson.task);
  insert.bind(4, std::string(name_of(lesson.state)));
  insert.bind(5, last_seen(lesson));
  insert.bind(6, body_of(lesson));
  insert.exec();
  lesson.id = db.getLastInsertRowid();
  note_change(db, run, {{}, std::move(lesson)});
}

void update_lesson(SQLite::Database& db, std::int64_t run, const Lesson& known,
                   const Lesson& news) {
  Lesson after = merged(known, news);
  const std::string body = body_of(after);
  if (body == body_of(known)) return;
  SQLite::Statement update(db, "UPDATE lessons SET at = ?, body = ? WHERE id = ?");
  update.bind(1, last_seen(after));
  update.bind(2, body);
  update.bind(3, known.id);
  update.exec();
  note_change(db, run, {{known}, std::move(after)});
}

void count_for(SQLite::Database& db, const std::vector<std::int64_t>& ids, const char* statement) {
  SQLite::Statement update(db, statement);
  for (const std::int64_t id : ids) {
    update.reset();
    update.bind(1, id);
    update.exec();
  }
}

void make_room(SQLite::Database& db, const Lesson& lesson) {
  SQLite::Statement trim(db,
                         "DELETE FROM lessons WHERE id IN (SELECT id FROM lessons WHERE task = ? "
                         "AND kind = ? AND state = 'live' ORDER BY at DESC, id DESC "
                         "LIMIT -1 OFFSET ?)");
  trim.bind(1, lesson.task);
  trim.bind(2, std::string(name_of(lesson.kind)));
  trim.bind(3, kMost[static_cast<std::size_t>(lesson.kind)]);
  trim.exec();
}

}  // namespace

void keep_lessons(SQLite::Database& db, std::int64_t run, const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) {
    SQLite::Statement row(db, std::string(kColumns) + "WHERE key = ?");
    row.bind(1, lesson.key);
    if (!row.executeStep()) {
      insert_lesson(db, run, lesson);
      make_room(db, lesson);
    } else if (const auto known = read_lesson(row)) {
      update_lesson(db, run, *known, lesson);
    } else {
      throw SQLite::Exception(known.error().what);
    }
  }
}

Result<std::vector<Lesson>> RunStore::lessons() const {
  std::vector<Lesson> lessons;
  Result<> status;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, std::string(kColumns) + "ORDER BY id");
    while (status && row.executeStep()) {
      auto lesson = read_lesson(row);
      if (lesson)
        lessons.push_back(std::move(*lesson));
      else
        status = std::unexpected(lesson.error());
    }
  }));
  KW_TRY(status);
  return lessons;
}

Result<Lesson> RunStore::lesson(std::int64_t id) const {
  for (Lesson& lesson : KW_TRY(lessons()))
    if (lesson.id == id) return std::move(lesson);
  return fail("no lesson " + std::to_string(id) + "; kw memory lists them", root_.string());
}

Result<> RunStore::set_lesson_state(std::int64_t id, LessonState state) {
  return db_.write([&](SQLite::Database& db) {
    SQLite::Statement update(db, "UPDATE lessons SET state = ? WHERE id = ?");
    update.bind(1, std::string(name_of(state)));
    update.bind(2, id);
    update.exec();
  });
}

Result<> RunStore::learn(std::int64_t run, const std::vector<Lesson>& lessons) {
  if (lessons.empty()) return {};
  return db_.write([&](SQLite::Database& db) { keep_lessons(db, run, lessons); });
}

Result<> RunStore::begin_lessons(std::int64_t run, const LessonSnapshot& snapshot) {
  const std::string body = encode(snapshot);
  return db_.write([&](SQLite::Database& db) {
    insert_event(db, run, {0, kSnapshotEvent, 0, body});
    count_for(db, snapshot.told, "UPDATE lessons SET uses = uses + 1 WHERE id = ?");
  });
}

Result<std::optional<LessonSnapshot>> RunStore::lesson_snapshot(std::int64_t run) const {
  const auto known = KW_TRY(events(run, kSnapshotEvent));
  if (known.empty()) return std::optional<LessonSnapshot>();
  return std::optional(KW_TRY(decode<LessonSnapshot>(known.front().body)));
}

Result<> RunStore::credit_lessons(std::int64_t run) {
  const auto snapshot = KW_TRY(lesson_snapshot(run));
  if (!snapshot) return {};
  if (!KW_TRY(events(run, kHelpedEvent)).empty()) return {};
  return db_.write([&](SQLite::Database& db) {
    insert_event(db, run, {0, kHelpedEvent, 0, "{}"});
    count_for(db, snapshot->told, "UPDATE lessons SET helped = helped + 1 WHERE id = ?");
  });
}

Result<std::vector<LessonChange>> RunStore::lesson_changes(std::int64_t run) const {
  std::vector<LessonChange> changes;
  for (const Event& event : KW_TRY(events(run, kChangeEvent)))
    changes.push_back(KW_TRY(decode<LessonChange>(event.body)));
  return changes;
}

}  // namespace kw::store
