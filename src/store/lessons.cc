// Stores lessons: learning, snapshots of runs, and changes by a person.
// SPDX-License-Identifier: Apache-2.0
#include "store/lessons.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

#include "record/codec.h"
#include "store/rows.h"

namespace kw::store {
namespace {

constexpr const char* kSnapshotEvent = "lessons";
constexpr const char* kChangeEvent = "lesson";
constexpr const char* kEvictedEvent = "lesson_evicted";
constexpr const char* kHelpedEvent = "lessons_helped";

/// Most live lessons of one task, by kind; prompts tell far fewer. Beyond this number, the lesson
/// not seen for longest is removed.
constexpr std::array<int, EnumNames<LessonKind>::names.size()> kMost{4, 24, 12, 12};

constexpr const char* kColumns = "SELECT id, state, uses, helped, body FROM lessons ";

/// A word in the text counts more than one in code, where names are short and chosen freely.
constexpr const char* kRank = "bm25(lesson_words, 2.0, 1.0)";
/// Worst rank that is a match: words in most lessons rank about 1e-6 each (SQLite's floor of the
/// inverse document frequency).
constexpr double kWorstRank = -1e-3;

Result<Lesson> read_lesson(SQLite::Statement& row) {
  auto lesson = KW_TRY(decode<Lesson>(row.getColumn(4).getString()));
  lesson.id = row.getColumn(0).getInt64();
  const auto state = enum_from<LessonState>(row.getColumn(1).getString());
  if (!state)
    return fail(ErrorCode::Malformed, About{row.getColumn(1).getString()},
                "the workspace's database holds a lesson whose state this program does not know",
                lesson.key, Advice::Stop);
  lesson.state = *state;
  lesson.uses = row.getColumn(2).getInt();
  lesson.helped = row.getColumn(3).getInt();
  return lesson;
}

/// The body of a row: the lesson without the fields that have columns, which are updated there.
std::string body_of(Lesson lesson) {
  lesson.id = 0;
  lesson.state = LessonState::Live;
  lesson.uses = lesson.helped = 0;
  return encode(lesson);
}

/// The lesson, or an exception where its row is damaged; inside a transaction the exception rolls
/// back.
Lesson must(Result<Lesson> lesson) {
  if (!lesson) throw SQLite::Exception(lesson.error().what);
  return std::move(*lesson);
}

std::string last_seen(const Lesson& lesson) {
  return lesson.seen_in.empty() ? std::string() : lesson.seen_in.back().at;
}

void note_change(SQLite::Database& db, std::int64_t run, const LessonChange& change) {
  insert_event(db, run, {0, kChangeEvent, 0, encode(change)});
}

/// The text by which a search finds a lesson.
std::string words_of(const Lesson& lesson) {
  return lesson.text + "\n" + lesson.task + " " + lesson.family;
}

std::string code_of(const Lesson& lesson, const Codes& codes) {
  const auto known = codes.find(lesson.source_sha256);
  return known == codes.end() ? std::string() : known->second;
}

void index_lesson(SQLite::Database& db, const Lesson& lesson, const std::string& code) {
  SQLite::Statement insert(
      db, "INSERT OR REPLACE INTO lesson_words(rowid, text, code) VALUES(?, ?, ?)");
  insert.bind(1, lesson.id);
  insert.bind(2, words_of(lesson));
  insert.bind(3, code);
  insert.exec();
}

/// Replaces the words of a lesson in the index; its code stays.
void reword_lesson(SQLite::Database& db, const Lesson& lesson) {
  SQLite::Statement update(db, "UPDATE lesson_words SET text = ? WHERE rowid = ?");
  update.bind(1, words_of(lesson));
  update.bind(2, lesson.id);
  update.exec();
}

void insert_lesson(SQLite::Database& db, std::int64_t run, Lesson lesson, const Codes& codes) {
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
  index_lesson(db, lesson, code_of(lesson, codes));
  note_change(db, run, {{}, std::move(lesson)});
}

void update_lesson(SQLite::Database& db, std::int64_t run, const Lesson& known, const Lesson& news,
                   const Codes& codes) {
  Lesson after = merged(known, news);
  const std::string body = body_of(after);
  if (body == body_of(known)) return;
  SQLite::Statement update(db, "UPDATE lessons SET at = ?, body = ? WHERE id = ?");
  update.bind(1, last_seen(after));
  update.bind(2, body);
  update.bind(3, known.id);
  update.exec();
  if (news.source_sha256.empty())
    reword_lesson(db, after);
  else
    index_lesson(db, after, code_of(after, codes));
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

/// The live lessons of the same task and kind beyond the `most` latest.
std::vector<Lesson> surplus_of(SQLite::Database& db, const Lesson& lesson, int most) {
  SQLite::Statement row(db, std::string(kColumns) +
                                "WHERE task = ? AND kind = ? AND state = 'live' "
                                "ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?");
  row.bind(1, lesson.task);
  row.bind(2, std::string(name_of(lesson.kind)));
  row.bind(3, most);
  std::vector<Lesson> surplus;
  while (row.executeStep()) surplus.push_back(must(read_lesson(row)));
  return surplus;
}

void make_room(SQLite::Database& db, std::int64_t run, const Lesson& lesson) {
  const int most = kMost[static_cast<std::size_t>(lesson.kind)];
  for (const Lesson& gone : surplus_of(db, lesson, most)) {
    count_for(db, {gone.id}, "DELETE FROM lessons WHERE id = ?");
    count_for(db, {gone.id}, "DELETE FROM lesson_words WHERE rowid = ?");
    const std::string why = "evicted because there were more than " + std::to_string(most) +
                            " live lessons of kind " + std::string(name_of(gone.kind)) +
                            " for task '" + gone.task + "'; this one was last seen in " +
                            last_seen(gone);
    insert_event(db, run, {0, kEvictedEvent, 0, encode(LessonChange{{gone}, gone, why})});
  }
}

/// A query over both columns; each word is quoted, so that none acts as an operator.
std::string match_of(const std::vector<std::string>& words) {
  std::string match;
  for (const std::string& word : words) {
    if (!match.empty()) match += " OR ";
    match += '"';
    for (const char c : word) match.append(c == '"' ? 2 : 1, c);
    match += '"';
  }
  return match;
}

}  // namespace

void keep_lessons(SQLite::Database& db, std::int64_t run, const std::vector<Lesson>& lessons,
                  const Codes& codes) {
  for (const Lesson& lesson : lessons) {
    SQLite::Statement row(db, std::string(kColumns) + "WHERE key = ?");
    row.bind(1, lesson.key);
    if (row.executeStep()) {
      update_lesson(db, run, must(read_lesson(row)), lesson, codes);
    } else {
      insert_lesson(db, run, lesson, codes);
      make_room(db, run, lesson);
    }
  }
}

void index_lessons(SQLite::Database& db, const Artifacts& artifacts) {
  SQLite::Statement row(db, std::string(kColumns) + "ORDER BY id");
  while (row.executeStep()) {
    const Lesson lesson = must(read_lesson(row));
    const auto name = Sha256::from_hex(lesson.source_sha256);
    index_lesson(db, lesson, name ? artifacts.get(*name).value_or("") : "");
  }
}

Result<Codes> codes_of(const Artifacts& artifacts, const std::vector<Lesson>& lessons) {
  Codes codes;
  for (const Lesson& lesson : lessons)
    if (!lesson.source_sha256.empty())
      codes[lesson.source_sha256] =
          KW_TRY(artifacts.get(KW_TRY(Sha256::from_hex(lesson.source_sha256))));
  return codes;
}

Result<std::vector<Lesson>> Lessons::all() const {
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

Result<Lesson> Lessons::get(std::int64_t id) const {
  for (Lesson& lesson : KW_TRY(all()))
    if (lesson.id == id) return std::move(lesson);
  return fail_input(ErrorCode::NotFound, About{std::to_string(id)},
                    "there is no lesson " + std::to_string(id) + "; kw memory lists all lessons",
                    where_);
}

Result<std::vector<LessonMatch>> Lessons::find(const LessonQuery& query) const {
  std::vector<LessonMatch> found;
  if (query.words.empty()) return found;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, std::string("SELECT lessons.id, ") + kRank +
                                  " AS rank FROM lesson_words JOIN lessons ON lessons.id = "
                                  "lesson_words.rowid WHERE lesson_words MATCH ?1 AND state <> "
                                  "'dropped' AND (?2 = '' OR json_extract(body, '$.target') = ?2) "
                                  "ORDER BY rank, lessons.id LIMIT ?3");
    row.bind(1, match_of(query.words));
    row.bind(2, query.target ? std::string(name_of(*query.target)) : "");
    row.bind(3, static_cast<std::int64_t>(query.most));
    double best = 0;
    while (row.executeStep()) {
      const double rank = row.getColumn(1).getDouble();  // ranks are negative, best first
      if (rank > kWorstRank) break;
      if (found.empty()) best = rank;
      found.push_back({row.getColumn(0).getInt64(), rank / best});
    }
  }));
  return found;
}

Result<> Lessons::set_state(std::int64_t id, LessonState state) {
  return db_.write([&](SQLite::Database& db) {
    SQLite::Statement update(db, "UPDATE lessons SET state = ? WHERE id = ?");
    update.bind(1, std::string(name_of(state)));
    update.bind(2, id);
    update.exec();
  });
}

Result<> Lessons::learn(std::int64_t run, const std::vector<Lesson>& lessons) {
  if (lessons.empty()) return {};
  const Codes codes = KW_TRY(codes_of(artifacts_, lessons));
  return db_.write([&](SQLite::Database& db) { keep_lessons(db, run, lessons, codes); });
}

Result<> Lessons::begin(std::int64_t run, const LessonSnapshot& snapshot) {
  const std::string body = encode(snapshot);
  return db_.write([&](SQLite::Database& db) {
    insert_event(db, run, {0, kSnapshotEvent, 0, body});
    count_for(db, snapshot.told, "UPDATE lessons SET uses = uses + 1 WHERE id = ?");
    count_for(db, snapshot.told_experience, "UPDATE experience SET uses = uses + 1 WHERE id = ?");
    count_for(db, snapshot.told_cards, "UPDATE cards SET uses = uses + 1 WHERE id = ?");
  });
}

Result<std::optional<LessonSnapshot>> Lessons::snapshot(std::int64_t run) const {
  const auto known = KW_TRY(events_.of(run, kSnapshotEvent));
  if (known.empty()) return std::optional<LessonSnapshot>();
  return std::optional(KW_TRY(decode<LessonSnapshot>(known.front().body)));
}

Result<> Lessons::credit(std::int64_t run) {
  const auto begun = KW_TRY(snapshot(run));
  if (!begun) return {};
  if (!KW_TRY(events_.of(run, kHelpedEvent)).empty()) return {};
  return db_.write([&](SQLite::Database& db) {
    insert_event(db, run, {0, kHelpedEvent, 0, "{}"});
    count_for(db, begun->told, "UPDATE lessons SET helped = helped + 1 WHERE id = ?");
    count_for(db, begun->told_experience, "UPDATE experience SET helped = helped + 1 WHERE id = ?");
    count_for(db, begun->told_cards, "UPDATE cards SET helped = helped + 1 WHERE id = ?");
  });
}

Result<std::vector<LessonChange>> Lessons::changes(std::int64_t run) const {
  std::vector<std::string> bodies;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(
        db, "SELECT body FROM events WHERE run = ? AND kind IN (?, ?) ORDER BY number");
    row.bind(1, run);
    row.bind(2, kChangeEvent);
    row.bind(3, kEvictedEvent);
    while (row.executeStep()) bodies.push_back(row.getColumn(0).getString());
  }));
  std::vector<LessonChange> changes;
  for (const std::string& body : bodies) changes.push_back(KW_TRY(decode<LessonChange>(body)));
  return changes;
}

Result<std::vector<EvictedLesson>> Lessons::evicted() const {
  std::vector<std::pair<std::string, std::string>> rows;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db,
                          "SELECT name, body FROM events JOIN runs ON runs.id = events.run "
                          "WHERE kind = ? ORDER BY run, number");
    row.bind(1, kEvictedEvent);
    while (row.executeStep())
      rows.emplace_back(row.getColumn(0).getString(), row.getColumn(1).getString());
  }));
  std::vector<EvictedLesson> evicted;
  for (const auto& [run, body] : rows) {
    auto change = KW_TRY(decode<LessonChange>(body));
    evicted.push_back({run, std::move(change.after), std::move(change.evicted)});
  }
  return evicted;
}

}  // namespace kw::store
