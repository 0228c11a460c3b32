// Tests of which lessons a prompt tells, in which order and words.
// SPDX-License-Identifier: Apache-2.0
#include "memory/recall.h"

#include <gmock/gmock.h>

#include "memory/test_task.h"

namespace kw::memory {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

LessonSnapshot knowing(const std::vector<Lesson>& lessons) {
  LessonSnapshot snapshot;
  snapshot.lessons = lessons;
  return snapshot;
}

Lesson insight(std::int64_t id, const std::string& task, const std::string& text) {
  Lesson lesson;
  lesson.id = id;
  lesson.key = text;
  lesson.task = task;
  lesson.family = "stencil";
  lesson.text = text;
  return lesson;
}

TEST(Recall, TheOwnTaskComesFirstThenWhatHelped) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "box", "waves-9"};
  std::vector<Lesson> all{insight(1, "heat", "of the family"), insight(2, "waves", "own"),
                          insight(3, "waves", "never helped"), insight(4, "waves", "helped"),
                          insight(5, "matmul", "elsewhere"),   insight(6, "waves", "of this run")};
  all[2].uses = 9;
  all[3].uses = all[3].helped = 3;
  all[4].family = "matmul";
  all[5].seen_in = {{"waves-9", 1, ""}};
  const ToldLessons told = recall(knowing(all), scope);
  EXPECT_THAT(told.insights, ElementsAre("of this run", "helped", "own", "never helped",
                                         "(`heat`) of the family"));
  EXPECT_THAT(told.ids, ElementsAre(6, 4, 2, 3, 1));
}

TEST(Recall, InstructionsStayWithTheirTaskAndOtherTargetsAreOut) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "", ""};
  Lesson other = insight(1, "heat", "instruction");
  other.kind = LessonKind::Instruction;
  Lesson cuda = insight(2, "waves", "cuda");
  cuda.target = Target::Cuda;
  EXPECT_THAT(bearing_on({other, cuda}, scope), IsEmpty());
}

Lesson elsewhere(std::int64_t id, LessonKind kind) {
  Lesson lesson = insight(id, "gemm", "elsewhere " + std::to_string(id));
  lesson.family = "matmul";
  lesson.kind = kind;
  lesson.seen = 2;
  lesson.gain.value = 100;
  return lesson;
}

TEST(Recall, OfOtherFamiliesWhatASearchFoundComesLastInWordsAlone) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "box", ""};
  const std::vector<Lesson> all{
      insight(1, "heat", "of the family"), elsewhere(2, LessonKind::Insight),
      elsewhere(3, LessonKind::Win),       elsewhere(4, LessonKind::Instruction),
      elsewhere(5, LessonKind::Caution),   elsewhere(6, LessonKind::Insight),
      elsewhere(7, LessonKind::Insight),   elsewhere(8, LessonKind::Insight)};
  // Lesson 8 ranks far below the best match, so it must not be used for the task.
  const std::vector<LessonMatch> found{{4, 1.0}, {2, 0.95}, {3, 0.9}, {5, 0.8},
                                       {6, 0.7}, {7, 0.6},  {8, 0.3}};
  LessonSnapshot known = knowing(bearing_on(all, scope, found));
  EXPECT_THAT(known.lessons, SizeIs(6)) << "no instruction of another task, and not lesson 8";
  known.found = found;
  known.sources.assign(known.lessons.size(), "void gemm() {}");
  const ToldLessons told = recall(known, scope);
  EXPECT_THAT(told.wins, IsEmpty()) << "its code solves something else";
  EXPECT_THAT(told.insights, ElementsAre("(`heat`) of the family", "(`gemm`) elsewhere 2",
                                         "(`gemm`) elsewhere 3"));
  EXPECT_THAT(told.cautions, ElementsAre("(`gemm`) elsewhere 5 Seen 2 times."));
  EXPECT_THAT(told.ids, testing::UnorderedElementsAre(1, 2, 3, 5)) << "three of other families";
  known.found.clear();
  EXPECT_THAT(recall(known, scope).ids, ElementsAre(1)) << "as runs of before knew it";
}

TEST(Recall, RelevanceMovesWhatHelpedEquallyAndNothingOfTheOwnTask) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "", ""};
  LessonSnapshot known = knowing({insight(1, "waves", "own 1"), insight(2, "waves", "own 2"),
                                  insight(3, "heat", "heat 3"), insight(4, "heat", "heat 4"),
                                  insight(5, "heat", "never helped")});
  known.lessons[4].uses = 9;
  known.found = {{5, 1.0}, {3, 0.9}, {1, 0.8}};
  EXPECT_THAT(recall(known, scope).ids, ElementsAre(2, 1, 3, 4, 5));
}

TEST(Recall, ATaskIsLookedForByItsWordsAndThoseOfItsReference) {
  task::Definition task = test_task();
  task.task.name = "waves";
  task.task.summary = "The waves; of an x-y plane.";
  task.task.spec = "";
  task.reference = "y[i] = sqrt_fast(x[i]);";
  EXPECT_THAT(query_words(task), ElementsAre("waves", task.task.family, "plane", "sqrt", "fast"))
      << "the article says nothing";
  task.task.spec = "Far results of 100 bytes hold without a tail.";
  EXPECT_THAT(query_words(task),
              ElementsAre("waves", task.task.family, "plane", "bytes", "sqrt", "fast"))
      << "such words stand in texts about anything";
  task.task.spec = "";
  for (int i = 0; i < 1000; ++i) task.task.spec += "word" + std::to_string(i) + " ";
  const auto words = query_words(task);
  EXPECT_THAT(words, AllOf(SizeIs(kMostQueryWords - kMostCodeWords + 2), Contains("sqrt")));
}

TEST(Recall, DroppedLessonsTakeNobodysRoom) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "", ""};
  std::vector<Lesson> all{insight(1, "waves", "live")};
  for (int i = 2; i <= 100; ++i) {
    all.push_back(insight(i, "waves", "dropped " + std::to_string(i)));
    all.back().state = LessonState::Dropped;
    all.back().uses = all.back().helped = i;
  }
  const auto bearing = bearing_on(all, scope);
  EXPECT_THAT(bearing, SizeIs(100)) << "dropped ones are known, so that they stay away";
  EXPECT_THAT(recall(knowing(bearing), scope).insights, ElementsAre("live"));
}

TEST(Recall, EachKindHasItsCap) {
  const RecallScope scope{"waves", "stencil", Target::Cpu, "", ""};
  LessonSnapshot known;
  for (int i = 1; i <= 40; ++i)
    for (const LessonKind kind :
         {LessonKind::Win, LessonKind::Caution, LessonKind::Instruction, LessonKind::Insight}) {
      Lesson lesson = insight(10 * i + static_cast<int>(kind), "waves", std::to_string(i));
      lesson.key += name_of(kind);
      lesson.kind = kind;
      lesson.seen = 2;
      lesson.gain.value = i;
      known.lessons.push_back(lesson);
      known.sources.push_back(kind == LessonKind::Win ? std::string(1000, 'x') : "");
    }
  const ToldLessons told = recall(known, scope);
  ASSERT_THAT(told.wins, SizeIs(kMostWins));
  EXPECT_THAT(told.wins[0].title, HasSubstr("40")) << "the largest gain first";
  EXPECT_THAT(told.cautions, SizeIs(kMostCautions));
  EXPECT_THAT(told.instructions, SizeIs(kMostInstructions));
  EXPECT_THAT(told.insights, SizeIs(kMostInsights));
  EXPECT_EQ(told.insights.front(), "40") << "the newest first";
  EXPECT_THAT(bearing_on(known.lessons, scope),
              SizeIs(2 * (kMostWins + kMostInstructions + kMostInsights) + 4 * kMostCautions));
  for (std::string& source : known.sources) source.append(kMostWinBytes, 'y');
  EXPECT_THAT(recall(known, scope).wins, IsEmpty()) << "too long to show";
}

}  // namespace
}  // namespace kw::memory
