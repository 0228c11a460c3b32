// Reads attempts, whose bodies are packed and whose sources are artifacts.
// SPDX-License-Identifier: Apache-2.0
#include "store/attempts.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>

#include "record/codec.h"
#include "store/rows.h"
#include "store/walk.h"

namespace kw::store {
namespace {

PackedAttempt packed_attempt(SQLite::Statement& row) {
  return {row.getColumn(0).getString(), blob(row.getColumn(1))};
}

}  // namespace

Result<> Attempts::for_each(std::int64_t run, Sources sources,
                            const std::function<Result<>(Attempt&)>& visit, Samples samples) const {
  AttemptWalk walk(artifacts_, sources, samples, visit);
  KW_TRY(for_each_row(db_, "SELECT source, body FROM attempts WHERE run = ? ORDER BY number", {run},
                      [&](SQLite::Statement& row) { return walk.add(packed_attempt(row)); }));
  return walk.finish();
}

Result<> Attempts::for_each_line(std::int64_t run,
                                 const std::function<void(const AttemptLine&)>& visit,
                                 int after) const {
  // Rows of schema 1 lack the stored AttemptLine, so only their bodies are read, to make it.
  return for_each_row(
      db_,
      "SELECT source, CASE line WHEN '' THEN body END, line FROM attempts WHERE run = ? "
      "AND number > ? ORDER BY number",
      {run, after}, [&](SQLite::Statement& row) -> Result<> {
        const std::string line = row.getColumn(2).getString();
        visit(line.empty() ? line_of(KW_TRY(unpack(packed_attempt(row))))
                           : KW_TRY(decode<AttemptLine>(line)));
        return {};
      });
}

Result<Attempt> Attempts::get(std::int64_t run, int number) const {
  std::optional<PackedAttempt> packed;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, "SELECT source, body FROM attempts WHERE run = ? AND number = ?");
    row.bind(1, run);
    row.bind(2, number);
    if (row.executeStep()) packed = packed_attempt(row);
  }));
  if (!packed)
    return fail_input(ErrorCode::NotFound, About{std::to_string(number)},
                      "this run has no attempt " + std::to_string(number));
  Attempt attempt = KW_TRY(unpack(*packed));
  attempt.candidate.source = KW_TRY(SourceTexts(artifacts_).get(packed->source));
  return attempt;
}

}  // namespace kw::store
