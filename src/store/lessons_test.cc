// Tests of lessons in the store: merging, searching, eviction, migration.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "base/error_for_test.h"
#include "platform/memory_disk_for_test.h"
#include "record/codec.h"
#include "store/test_store.h"

namespace kw::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using LessonStoreTest = StoreTest;

Lesson lesson(const std::string& key, const std::string& run, int attempt, const std::string& at) {
  Lesson l;
  l.key = key;
  l.kind = LessonKind::Caution;
  l.task = "saxpy";
  l.text = "text of " + key + " in " + run;
  l.seen_in = {{run, attempt, at}};
  return l;
}

std::vector<std::string> keys_of(const std::vector<Lesson>& lessons) {
  std::vector<std::string> keys;
  for (const Lesson& l : lessons) keys.push_back(l.key);
  return keys;
}

TEST_F(LessonStoreTest, LessonsOfOneKeyAreOne) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  ASSERT_TRUE(store.append(run, attempt(1, "one"), {lesson("a", "saxpy-1", 1, "1")}));
  ASSERT_TRUE(store.append(run, attempt(2, "two"),
                           {lesson("b", "saxpy-1", 2, "2"), lesson("a", "saxpy-1", 2, "2")}));
  const auto lessons = store.lessons().all().value();
  ASSERT_THAT(keys_of(lessons), testing::ElementsAre("a", "b"));
  EXPECT_EQ(lessons[0].seen, 2);
  EXPECT_EQ(lessons[0].seen_in.back().attempt, 2);
  EXPECT_EQ(lessons[0].id, store.lessons().get(lessons[0].id)->id);

  const auto changes = store.lessons().changes(run.id).value();
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_THAT(changes[0].before, SizeIs(0));
  ASSERT_THAT(changes[2].before, SizeIs(1));
  EXPECT_EQ(changes[2].before[0].seen, 1);
  EXPECT_EQ(changes[2].after.seen, 2);
  EXPECT_THAT(store.lessons().get(99), IsErrorAbout(ErrorCode::NotFound, "99"));
}

TEST_F(LessonStoreTest, AnAttemptThatIsNotStoredTeachesNothing) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  ASSERT_TRUE(store.append(run, attempt(1, "one")));
  EXPECT_FALSE(store.append(run, attempt(1, "one"), {lesson("a", "saxpy-1", 1, "1")}));
  EXPECT_THAT(store.lessons().all().value(), SizeIs(0));
}

TEST_F(LessonStoreTest, DroppedAndFrozenLessonsAreNotLearntAgain) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  ASSERT_TRUE(store.lessons().learn(
      run.id, {lesson("a", "saxpy-1", 1, "1"), lesson("b", "saxpy-1", 1, "1")}));
  const auto first = store.lessons().all().value();
  ASSERT_TRUE(store.lessons().set_state(first[0].id, LessonState::Dropped));
  ASSERT_TRUE(store.lessons().set_state(first[1].id, LessonState::Frozen));
  ASSERT_TRUE(store.lessons().learn(
      run.id, {lesson("a", "saxpy-2", 1, "2"), lesson("b", "saxpy-2", 1, "2")}));
  const auto after = store.lessons().all().value();
  ASSERT_THAT(after, SizeIs(2));
  EXPECT_EQ(after[0].state, LessonState::Dropped);
  EXPECT_EQ(after[1].state, LessonState::Frozen);
  for (const Lesson& l : after) EXPECT_EQ(l.seen, 1) << l.key;
  EXPECT_THAT(store.lessons().changes(run.id).value(), SizeIs(2))
      << "the second time changed nothing";
}

TEST_F(LessonStoreTest, OfTooManyLessonsTheOneNotSeenForLongestGoes) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  const auto at = [](int i) { return std::string(i < 10 ? "t0" : "t") + std::to_string(i); };
  for (int i = 0; i < 24; ++i)
    ASSERT_TRUE(
        store.lessons().learn(run.id, {lesson("k" + std::to_string(i), "saxpy-1", i, at(i))}));
  ASSERT_TRUE(store.lessons().set_state(2, LessonState::Frozen));
  // The oldest lesson but one is frozen, and k0 is seen again, so k2 is the next to be removed.
  ASSERT_TRUE(store.lessons().learn(run.id, {lesson("k0", "saxpy-2", 1, at(30))}));
  for (int i = 40; i < 42; ++i)
    ASSERT_TRUE(
        store.lessons().learn(run.id, {lesson("k" + std::to_string(i), "saxpy-2", i, at(i))}));
  const auto keys = keys_of(store.lessons().all().value());
  EXPECT_THAT(keys, SizeIs(25)) << "24 and the frozen one";
  EXPECT_THAT(keys, testing::IsSupersetOf({"k0", "k1", "k3", "k40", "k41"}));
  EXPECT_THAT(keys, testing::Not(testing::Contains("k2")));
  const auto evicted = store.lessons().evicted().value();
  ASSERT_THAT(evicted, SizeIs(1));
  EXPECT_EQ(evicted[0].run, "saxpy-1");
  EXPECT_EQ(evicted[0].lesson.key, "k2");
  EXPECT_EQ(evicted[0].lesson.text, "text of k2 in saxpy-1");
  EXPECT_EQ(evicted[0].why,
            "evicted because there were more than 24 live lessons of kind caution for task "
            "'saxpy'; this one was last seen in t02");
  const auto changes = store.lessons().changes(run.id).value();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.back().evicted, evicted[0].why) << "after the one that needed the room";
  EXPECT_EQ(changes[changes.size() - 2].after.key, "k41");
}

TEST_F(LessonStoreTest, ARunKeepsWhatItBeganWith) {
  RunStore store = open();
  const RunSummary one = store.create(config("saxpy"), "").value();
  Lesson told = lesson("a", "saxpy-1", 1, "1");
  told.kind = LessonKind::Insight;
  ASSERT_TRUE(store.lessons().learn(one.id, {told, lesson("b", "saxpy-1", 1, "1")}));
  LessonSnapshot snapshot;
  snapshot.lessons = store.lessons().all().value();
  snapshot.sources = {"", ""};
  snapshot.told = {snapshot.lessons[0].id};
  const RunSummary two = store.create(config("saxpy"), "").value();
  ASSERT_TRUE(store.lessons().begin(two.id, snapshot));
  ASSERT_TRUE(store.lessons().learn(one.id, {lesson("a", "saxpy-1", 2, "2")}));
  EXPECT_EQ(encode(*store.lessons().snapshot(two.id).value()), encode(snapshot));
  ASSERT_TRUE(store.lessons().credit(two.id));
  ASSERT_TRUE(store.lessons().credit(two.id)) << "after a kill between this and the end of the run";
  ASSERT_TRUE(store.lessons().credit(one.id)) << "it began with none";
  const auto after = store.lessons().all().value();
  EXPECT_EQ(after[0].uses, 1);
  EXPECT_EQ(after[0].helped, 1);
  EXPECT_EQ(after[1].uses, 0) << "it was not told";
  EXPECT_EQ(after[1].helped, 0);
}

TEST_F(LessonStoreTest, ADatabaseOfSchema3LearnsFromNowOn) {
  RunSummary run;
  {
    RunStore store = open();
    run = store.create(config("saxpy"), "then").value();
    ASSERT_TRUE(store.append(run, attempt(1, "one")));
  }
  back_to_schema_3();
  RunStore migrated = open();
  EXPECT_EQ(migrated.attempts().get(run.id, 1)->candidate.source, "one");
  EXPECT_THAT(migrated.lessons().all().value(), SizeIs(0));
  EXPECT_EQ(migrated.lessons().snapshot(run.id).value(), std::nullopt);
  ASSERT_TRUE(migrated.append(run, attempt(2, "two"), {lesson("k", "saxpy-1", 2, "t")}));
  EXPECT_THAT(migrated.lessons().find({{"text"}, std::nullopt}).value(), SizeIs(0)) << "one lesson";
  EXPECT_THAT(keys_of(migrated.lessons().all().value()), testing::ElementsAre("k"));
}

/// Adds other lessons, since a search ignores words that every lesson holds.
void teach_others(RunStore& store, std::int64_t run) {
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(
        store.lessons().learn(run, {lesson("other " + std::to_string(i), "saxpy-1", i, "0")}));
}

std::vector<std::string> found(const RunStore& store, const LessonQuery& query) {
  std::vector<std::string> keys;
  const auto matches = store.lessons().find(query);
  EXPECT_TRUE(matches) << describe(matches.error());
  for (const LessonMatch& match : matches.value_or(std::vector<LessonMatch>()))
    keys.push_back(store.lessons().get(match.id)->key);
  return keys;
}

std::vector<std::string> bodies_of(const RunStore& store) {
  const auto lessons = store.lessons().all().value();
  std::vector<std::string> bodies;
  for (const Lesson& l : lessons) bodies.push_back(encode(l));
  return bodies;
}

/// A win whose source, stored among the artifacts, calls sqrtf.
Lesson win(RunStore& store, const std::string& key) {
  Lesson l = lesson(key, "saxpy-1", 1, "1");
  l.kind = LessonKind::Win;
  l.source_sha256 = store.artifacts().put("for (;;) y[i] = sqrtf(x[i]);").value().hex();
  return l;
}

TEST_F(LessonStoreTest, LessonsAreFoundByTheirWordsAndByTheCodeOfWins) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  teach_others(store, run.id);
  Lesson strides = lesson("strides", "saxpy-1", 1, "1");
  strides.text = "Strided loads cost four times the bandwidth.";
  Lesson tail = lesson("tail", "saxpy-1", 1, "1");
  tail.text = "A stride of one keeps loads contiguous; \"quoted\" tail elements stay scalar.";
  tail.target = Target::Cuda;
  ASSERT_TRUE(store.lessons().learn(run.id, {strides, tail, win(store, "root")}));

  EXPECT_THAT(found(store, {{"strides"}, std::nullopt}),
              testing::UnorderedElementsAre("strides", "tail"))
      << "in any form of the word";
  EXPECT_THAT(found(store, {{"stride"}, Target::Cuda}), ElementsAre("tail"));
  EXPECT_THAT(found(store, {{"bandwidth", "stride", "nothing"}, std::nullopt}),
              ElementsAre("strides", "tail"))
      << "what holds more of the words comes first";
  EXPECT_THAT(found(store, {{"bandwidth", "stride"}, std::nullopt, 1}), ElementsAre("strides"));
  EXPECT_THAT(found(store, {{"sqrtf"}, Target::Cpu}), ElementsAre("root"));
  EXPECT_THAT(found(store, {{"text"}, std::nullopt}), IsEmpty()) << "nearly all hold it";
  EXPECT_THAT(found(store, {{}, std::nullopt}), IsEmpty());
  EXPECT_THAT(found(store, {{"AND", "NOT", "\"", "quoted\" OR", "*", "text:stride"}, Target::Cpu}),
              IsEmpty())
      << "no word is an operator";
  Lesson again = lesson("root", "saxpy-2", 1, "2");
  again.kind = LessonKind::Win;
  again.text = "vectorised";
  ASSERT_TRUE(store.lessons().learn(run.id, {again}));
  EXPECT_THAT(found(store, {{"sqrtf", "vectorise"}, Target::Cpu}), ElementsAre("root"));
  EXPECT_THAT(found(store, {{"sqrtf"}, Target::Cpu}), ElementsAre("root")) << "its code stays";
  const auto matches = store.lessons().find({{"bandwidth", "stride"}, std::nullopt}).value();
  EXPECT_EQ(matches[0].relevance, 1);
  EXPECT_LT(matches[1].relevance, 1);
  EXPECT_GT(matches[1].relevance, 0);
}

TEST_F(LessonStoreTest, TheSearchFollowsWhatLessonsBecome) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  teach_others(store, run.id);
  Lesson a = lesson("a", "saxpy-1", 1, "1");
  a.text = "prefetching helped";
  ASSERT_TRUE(store.lessons().learn(run.id, {a}));
  a.text = "unrolling helped";
  a.seen_in = {{"saxpy-2", 1, "2"}};
  ASSERT_TRUE(store.lessons().learn(run.id, {a}));
  EXPECT_THAT(found(store, {{"prefetch"}, std::nullopt}), IsEmpty());
  ASSERT_THAT(found(store, {{"unroll"}, std::nullopt}), ElementsAre("a"));
  const auto all = store.lessons().all().value();
  const auto known = std::ranges::find(all, "a", &Lesson::key);
  ASSERT_TRUE(store.lessons().set_state(known->id, LessonState::Dropped));
  EXPECT_THAT(found(store, {{"unroll"}, std::nullopt}), IsEmpty()) << "dropped";
  Lesson gone = lesson("gone", "saxpy-1", 1, "");
  gone.text = "vectorise";
  ASSERT_TRUE(store.lessons().learn(run.id, {gone}));
  ASSERT_THAT(found(store, {{"vectorised"}, std::nullopt}), ElementsAre("gone"));
  for (int i = 0; i < 24; ++i)
    ASSERT_TRUE(
        store.lessons().learn(run.id, {lesson("new " + std::to_string(i), "saxpy-1", i, "3")}));
  EXPECT_THAT(found(store, {{"vectorised"}, std::nullopt}), IsEmpty()) << "it made room";
}

TEST_F(LessonStoreTest, DamagedRowsAreTroubleOfTheStore) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "then").value();
  ASSERT_TRUE(store.lessons().learn(run.id, {lesson("a", "saxpy-1", 1, "1")}));
  execute("UPDATE lessons SET state = 'dreaming'");
  EXPECT_THAT(store.lessons().all(), IsErrorAbout(ErrorCode::Malformed, "dreaming"));
  EXPECT_THAT(store.lessons().learn(run.id, {lesson("a", "saxpy-2", 1, "2")}),
              IsError(ErrorCode::Malformed));
}

TEST_F(LessonStoreTest, ADatabaseOfSchema4KeepsItsLessonsAndFindsThem) {
  RunSummary run;
  std::vector<std::string> before;
  {
    RunStore store = open();
    run = store.create(config("saxpy"), "then").value();
    teach_others(store, run.id);
    Lesson strides = lesson("strides", "saxpy-1", 1, "1");
    strides.text = "Strided loads cost bandwidth.";
    Lesson lost = win(store, "lost");
    lost.source_sha256 = sha256("never written").hex();
    ASSERT_TRUE(store.lessons().learn(run.id, {strides, win(store, "root")}));
    EXPECT_THAT(store.lessons().learn(run.id, {lost}), IsError(ErrorCode::NotFound))
        << "a win needs its source";
    before = bodies_of(store);
  }
  back_to_schema_4();
  const RunStore migrated = open();
  EXPECT_THAT(before, SizeIs(10));
  EXPECT_EQ(bodies_of(migrated), before);
  EXPECT_THAT(found(migrated, {{"stride"}, std::nullopt}), ElementsAre("strides"));
  EXPECT_THAT(found(migrated, {{"sqrtf"}, std::nullopt}), ElementsAre("root"));
  EXPECT_THAT(migrated.lessons().changes(run.id).value(), SizeIs(10));
}

TEST_F(LessonStoreTest, ALostSourceDoesNotKeepADatabaseFromOpening) {
  {
    RunStore store = open();
    const RunSummary run = store.create(config("saxpy"), "then").value();
    teach_others(store, run.id);
    Lesson root = win(store, "root");
    root.text = "Confirmed: square roots";
    ASSERT_TRUE(store.lessons().learn(run.id, {root}));
  }
  back_to_schema_4();
  platform::MemoryDisk empty;
  const auto migrated = RunStore::open(dir_.path(), empty);
  ASSERT_TRUE(migrated) << describe(migrated.error());
  EXPECT_THAT(found(*migrated, {{"roots"}, std::nullopt}), ElementsAre("root"));
  EXPECT_THAT(found(*migrated, {{"sqrtf"}, std::nullopt}), IsEmpty());
}

}  // namespace
}  // namespace kw::store
