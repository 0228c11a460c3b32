// Tests that a run learns from its attempts, passes on what it knew at the start, and learns the
// same again when it gets the same attempts.
// SPDX-License-Identifier: Apache-2.0
#include "memory/learner.h"

#include <gmock/gmock.h>

#include "memory/test_task.h"
#include "record/codec.h"

namespace kw::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

LessonSnapshot snapshot_of(const std::vector<Lesson>& lessons) {
  LessonSnapshot snapshot;
  snapshot.lessons = lessons;
  return snapshot;
}

class LearnerTest : public testing::Test {
 protected:
  Learner learner(LessonSnapshot begun = {}) const {
    return {{&task_, Target::Cpu, "box", "waves-2"}, std::move(begun)};
  }
  static std::vector<LessonKind> kinds(const std::vector<Lesson>& lessons) {
    std::vector<LessonKind> all;
    for (const Lesson& lesson : lessons) all.push_back(lesson.kind);
    return all;
  }
  /// A lesson from the attempt as another run would have stored it.
  Lesson of_another_run(const Attempt& attempt, LessonState state) const {
    LessonScope scope{&task_, Target::Cpu, "box", "waves-1"};
    Lesson lesson = *caution_of(attempt, facts_of(attempt, {}, task_), scope);
    lesson.id = 7;
    lesson.state = state;
    return lesson;
  }

  task::Definition task_ = test_task();
  Attempt wrong_ = failed(1, "a", Outcome::WrongResult, {isolated()}, {"tiling"});
  Attempt crash_ = failed(1, "a", Outcome::Crashed, {});
};

TEST_F(LearnerTest, AFailureInstructsAtOnceAndWarnsWhenItComesBack) {
  Learner l = learner();
  EXPECT_THAT(kinds(l.observe(wrong_, true, "t")),
              ElementsAre(LessonKind::Caution, LessonKind::Instruction));
  EXPECT_THAT(l.told().instructions, SizeIs(1));
  EXPECT_THAT(l.told().cautions, IsEmpty());
  l.observe(failed(2, "b", Outcome::WrongResult, {isolated()}, {"tiling"}), true, "t");
  EXPECT_THAT(l.told().instructions, SizeIs(1));
  ASSERT_THAT(l.told().cautions, SizeIs(1));
  EXPECT_THAT(l.told().cautions[0], HasSubstr("Seen 2 times."));
}

TEST_F(LearnerTest, AFailureThatAnotherRunSawWarnsTheFirstTimeHere) {
  Learner l = learner(snapshot_of({of_another_run(crash_, LessonState::Live)}));
  EXPECT_THAT(l.told().cautions, IsEmpty());
  l.observe(crash_, true, "t");
  EXPECT_THAT(l.told().cautions, SizeIs(1));
}

TEST_F(LearnerTest, DroppedLessonsStayAway) {
  Learner l = learner(snapshot_of({of_another_run(crash_, LessonState::Dropped)}));
  for (const char* source : {"a", "b", "c"}) {
    crash_.candidate.sha256 = source;
    l.observe(crash_, true, "t");
  }
  EXPECT_THAT(l.told().cautions, IsEmpty());
}

TEST_F(LearnerTest, ASourceTeachesOnceAndTuningNothing) {
  Learner l = learner();
  EXPECT_THAT(l.observe(wrong_, true, "t"), SizeIs(2));
  wrong_.number = 2;
  EXPECT_THAT(l.observe(wrong_, true, "t"), IsEmpty()) << "the same source";
  Attempt recalled = failed(3, "c", Outcome::WrongResult, {isolated()});
  recalled.recalled = 1;
  EXPECT_THAT(l.observe(recalled, true, "t"), IsEmpty());
  EXPECT_THAT(l.observe(failed(4, "d", Outcome::Crashed, {}), false, "t"), IsEmpty())
      << "nobody wrote it for this run";
}

TEST_F(LearnerTest, EqualAttemptsGiveEqualWords) {
  const std::vector<Attempt> attempts{wrong_, correct(2, kStrided, 0.4, {"tiling"}),
                                      correct(3, kContiguous, 2, {"vectorization"})};
  const auto text = [&](const char* at) {
    Learner l = learner(snapshot_of({of_another_run(crash_, LessonState::Live)}));
    for (const Attempt& a : attempts) l.observe(a, true, at);
    std::string all;
    const ToldLessons told = l.told();
    for (const auto& texts : {told.cautions, told.instructions, told.insights})
      for (const std::string& t : texts) all += t + "\n";
    return all;
  };
  EXPECT_EQ(text("now"), text("later")) << "the hour is in no prompt";
  EXPECT_THAT(text("now"), HasSubstr("along z is lost"));
}

TEST_F(LearnerTest, TheLastWordsHoldTheWinAndWhatItWasMadeFrom) {
  Learner l = learner();
  l.observe(correct(2, kStrided, 0.4, {"tiling"}), true, "t");
  Attempt best = correct(3, kContiguous, 2, {"vectorization"});
  best.parent = 2;
  best.plan = "Keep z innermost. Then more.";
  l.observe(best, true, "t");
  RunSummary run;
  run.config.baseline = "reference";
  const auto last = l.conclude(run, &best, best.evaluation, "end");
  ASSERT_THAT(kinds(last), ElementsAre(LessonKind::Win, LessonKind::Insight));
  EXPECT_THAT(last[0].text,
              testing::AllOf(HasSubstr("Made from a kernel that reached 0.4x (tiling)"),
                             HasSubstr("“Keep z innermost.”")));
  EXPECT_EQ(last[0].seen_in[0].at, "end");
  EXPECT_THAT(last[1].text, HasSubstr("2 kernels tried"));
  EXPECT_THAT(kinds(l.conclude(run, &best, std::nullopt, "end")), ElementsAre(LessonKind::Insight));
  EXPECT_THAT(learner().conclude(run, nullptr, std::nullopt, "end"), IsEmpty());
}

TEST_F(LearnerTest, AParentThatATunerSetIsItsSource) {
  Learner l = learner();
  l.observe(correct(1, kStrided, 0.4, {"tiling"}), true, "t");
  Attempt tuned = correct(2, kStrided, 0.8, {"tiling"});
  tuned.parent = 1;
  l.observe(tuned, false, "t");
  Attempt recalled = correct(3, "another text", 0.8, {"tiling"});
  recalled.recalled = 2;
  l.observe(recalled, true, "t");
  RunSummary run;
  for (const int parent : {2, 3}) {
    Attempt best =
        correct(parent + 2, kContiguous + std::to_string(parent), 2, {"tiling", "vectorization"});
    best.parent = parent;
    l.observe(best, true, "t");
    const auto last = l.conclude(run, &best, best.evaluation, "end");
    ASSERT_THAT(kinds(last), ElementsAre(LessonKind::Win, LessonKind::Insight));
    EXPECT_THAT(last[0].text, HasSubstr("Made from a kernel that reached 0.8x (tiling)"));
    EXPECT_THAT(last[1].text, HasSubstr("Helped: vectorization 2x")) << "what is new in it";
  }
}

}  // namespace
}  // namespace kw::memory
