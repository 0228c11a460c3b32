// What tests of the store share: its database as older programs left it, and small records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <string>

#include "platform/files.h"
#include "store/run_store.h"
#include "store/store_for_test.h"

namespace kw::store {

class StoreTest : public StoreFolder {
 protected:
  RunStore open() { return RunStore::open(dir_.path(), disk_).value(); }
  platform::Path database() const { return dir_.path() / "runs" / "kernelwright.sqlite"; }
  void execute(const std::string& sql) {
    SQLite::Database(database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  }

  /// The functions below leave the database as a program of schema 5, 4, 3 or 2 did.
  void back_to_schema_5() {
    execute(
        "DROP TABLE experience; DROP TABLE cards; DROP TABLE card_words; DROP TABLE card_counts; "
        "PRAGMA user_version = 5");
  }
  void back_to_schema_4() {
    back_to_schema_5();
    execute("DROP TABLE lesson_words; PRAGMA user_version = 4");
  }
  void back_to_schema_3() {
    back_to_schema_4();
    execute("DROP TABLE lessons; PRAGMA user_version = 3");
  }
  void back_to_schema_2() {
    back_to_schema_3();
    execute("DROP TABLE exchanges; ALTER TABLE runs DROP COLUMN lost; PRAGMA user_version = 2");
  }
};

inline RunConfig config(const std::string& task) {
  RunConfig c;
  c.task = task;
  c.seed = 7;
  return c;
}

inline Attempt attempt(int number, const std::string& source) {
  Attempt a;
  a.number = number;
  a.candidate.name = "c" + std::to_string(number);
  a.candidate.source = source;
  a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9"};
  a.reward = -0.5;
  a.ask = R"({"id":1})";
  return a;
}

}  // namespace kw::store
