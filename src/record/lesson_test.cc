// Tests of merging lessons, and the lists of where each was seen.
// SPDX-License-Identifier: Apache-2.0
#include "record/lesson.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

Lesson caution(const std::string& run, int attempt) {
  Lesson lesson;
  lesson.key = "caution k";
  lesson.kind = LessonKind::Caution;
  lesson.text = "text of " + run;
  lesson.seen_in = {{run, attempt, "then"}};
  return lesson;
}

TEST(Lesson, ACautionIsToldOnceItsFailureCameBack) {
  Lesson lesson = caution("a-1", 1);
  EXPECT_FALSE(is_told(lesson));
  lesson = merged(lesson, caution("a-1", 1));
  EXPECT_EQ(lesson.seen, 1) << "the same attempt counts once";
  lesson = merged(lesson, caution("b-1", 1));
  EXPECT_EQ(lesson.seen, 2);
  EXPECT_EQ(lesson.text, "text of b-1");
  EXPECT_TRUE(is_told(lesson));
  lesson.state = LessonState::Frozen;
  EXPECT_TRUE(is_told(lesson));
  lesson.state = LessonState::Dropped;
  EXPECT_FALSE(is_told(lesson));
}

TEST(Lesson, OtherKindsAreToldAtOnce) {
  for (const LessonKind kind : {LessonKind::Win, LessonKind::Instruction, LessonKind::Insight}) {
    Lesson lesson = caution("a-1", 1);
    lesson.kind = kind;
    EXPECT_TRUE(is_told(lesson)) << name_of(kind);
  }
}

TEST(Lesson, FrozenAndDroppedOnesStayAsTheyAre) {
  for (const LessonState state : {LessonState::Frozen, LessonState::Dropped}) {
    Lesson lesson = caution("a-1", 1);
    lesson.state = state;
    const Lesson after = merged(lesson, caution("b-1", 7));
    EXPECT_EQ(after.seen, 1);
    EXPECT_EQ(after.text, "text of a-1");
    EXPECT_EQ(after.state, state);
  }
}

TEST(Lesson, TheFirstSightingIsKeptAndTheListIsBounded) {
  Lesson lesson = caution("a-1", 1);
  for (int attempt = 2; attempt <= 20; ++attempt) lesson = merged(lesson, caution("a-1", attempt));
  EXPECT_EQ(lesson.seen, 20);
  ASSERT_EQ(lesson.seen_in.size(), kMostSightings);
  EXPECT_EQ(lesson.seen_in.front().attempt, 1);
  EXPECT_EQ(lesson.seen_in.back().attempt, 20);
}

TEST(Lesson, ANewGainReplacesTheOldOne) {
  Lesson win = caution("a-1", 3);
  win.kind = LessonKind::Win;
  win.gain.value = 2;
  win.source_sha256 = "one";
  Lesson again = win;
  again.seen_in[0].run = "a-2";
  again.gain.value = 3;
  again.source_sha256 = "";
  const Lesson after = merged(win, again);
  EXPECT_EQ(after.gain.value, 3);
  EXPECT_EQ(after.source_sha256, "one");
}

}  // namespace
}  // namespace kw
