// Tests that lessons of earlier runs, and those of the run itself, come from the store into
// prompts, and that memory understands the referee's messages.
// SPDX-License-Identifier: Apache-2.0
#include "engine/lessons.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "propose/prompt.h"
#include "record/codec.h"
#include "store/store_for_test.h"
#include "task/load.h"

namespace kw::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

task::Definition small_task() {
  task::TaskFiles files{"tasks/twice", {}};
  files.texts["task.yaml"] =
      "name: twice\nfamily: elementwise\nsummary: s\ndims: [n]\n"
      "scalars:\n  n: { dtype: i32 }\n"
      "tensors:\n  x: { dtype: f32, shape: [n], role: in }\n"
      "  y: { dtype: f32, shape: [n], role: out }\n"
      "gate: { kind: relative, c: 4, scale: 1 }\n"
      "work:\n  floor: { bytes: n, flops: n }\n"
      "  nominal: { read_bytes: n, write_bytes: n, flops: n, items: n }\n";
  files.texts["shapes.yaml"] =
      "check: [ { name: secret, n: 7919 } ]\ntime: [ { name: b, n: 9 } ]\n";
  files.texts["reference.cpp"] =
      "template <class Real>\nvoid reference(int n, const Real* x, Real* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

class LessonsTest : public store::OpenStore {
 protected:
  RunSummary begin(bool uses_memory = true, const std::string& strategy = "refine") {
    RunConfig config;
    config.task = "twice";
    config.baseline = "reference";
    config.strategy = strategy;
    config.uses_memory = uses_memory;
    return store_.create(config, "then").value();
  }
  std::optional<Lessons> open(const RunSummary& run) {
    auto lessons = Lessons::open(&learning_, store_, clock_, run);
    EXPECT_TRUE(lessons) << describe(lessons.error());
    return std::move(*lessons);
  }
  static Attempt wrong(int number, const std::string& evidence = "") {
    Attempt a;
    a.number = number;
    a.candidate.source = "source " + std::to_string(number);
    a.candidate.sha256 = sha256(a.candidate.source).hex();
    a.evaluation.verdict = {Stage::Check, Outcome::WrongResult, evidence};
    a.evaluation.findings = {{FindingKind::Mismatch, 1,
                              "In workload 'secret': 2 isolated elements are wrong: 7919.", "", "",
                              MismatchPattern::Isolated}};
    return a;
  }
  static std::string text_of(const Lessons& lessons) {
    propose::Situation s;
    lessons.tell(s);
    std::string text;
    for (const propose::Example& e : s.examples) text += e.title + "|" + e.source + "\n";
    for (const auto* texts : {&s.cautions, &s.task_instructions, &s.insights})
      for (const std::string& t : *texts) text += t + "\n";
    return text;
  }
  /// Ends a run of one attempt with a confirmed win.
  void teach_a_win(const RunSummary& run, int number, double speedup) {
    auto lessons = open(run);
    Attempt best;
    best.number = number;
    best.candidate.origin = Origin::Model;
    best.candidate.source = "void twice() { /* " + std::to_string(speedup) + " */ }\n";
    best.candidate.sha256 = sha256(best.candidate.source).hex();
    best.evaluation.verdict = {Stage::Measure, Outcome::Correct, ""};
    best.evaluation.speedup = {speedup, speedup, speedup, 0.995, "reference", std::nullopt, true};
    best.against_baseline = best.evaluation.speedup;
    best.outcome_class = OutcomeClass::NewBest;
    ASSERT_TRUE(store_.append(run, best, lessons->observe(best, true)));
    RunSummary ended = run;
    ended.is_confirmed = true;
    ASSERT_TRUE(lessons->conclude(store_, ended, &best, best.evaluation));
    ASSERT_TRUE(lessons->conclude(store_, ended, &best, best.evaluation)) << "again after a kill";
  }

  platform::FakeClock clock_;
  task::Definition task_ = small_task();
  Learning learning_{&task_, Target::Cpu, "box"};
};

TEST_F(LessonsTest, ARunThatFreezesMemoryIsToldAndCountsNothing) {
  teach_a_win(begin(), 1, 2.0);
  RunConfig config;
  config.task = "twice";
  config.strategy = "refine";
  config.uses_memory = config.freezes_memory = true;
  const RunSummary run = store_.create(config, "then").value();
  const auto uses = [&] {
    int sum = 0;
    const std::vector<Lesson> lessons = store_.lessons().all().value();
    for (const Lesson& lesson : lessons) sum += static_cast<int>(lesson.uses);
    return sum;
  };
  const int before = uses();
  EXPECT_THAT(text_of(*open(run)), HasSubstr("Confirmed: 2x"));
  EXPECT_EQ(uses(), before);
  EXPECT_THAT(text_of(*open(begin())), HasSubstr("Confirmed: 2x"));
  EXPECT_GT(uses(), before);
}

TEST_F(LessonsTest, ARunKeepsToWhatItBeganWithWhateverOthersLearnMeanwhile) {
  teach_a_win(begin(), 1, 2.0);
  const RunSummary run = begin();
  std::string first;
  {
    auto lessons = open(run);
    ASSERT_TRUE(store_.append(run, wrong(1), lessons->observe(wrong(1), true)));
    first = text_of(*lessons);
  }
  EXPECT_THAT(first, AllOf(HasSubstr("Confirmed: 2x"), HasSubstr("Keep point updates")));
  // Meanwhile another run wins more, somebody drops the lessons that this run began with, and the
  // run goes on on another machine.
  teach_a_win(begin(), 1, 3.0);
  const auto all = store_.lessons().all().value();
  for (const Lesson& lesson : all)
    ASSERT_TRUE(store_.lessons().set_state(lesson.id, LessonState::Dropped));
  learning_.device = "another box";
  auto resumed = open(run);
  resumed->observe(store_.attempts().get(run.id, 1).value(), true);
  EXPECT_EQ(text_of(*resumed), first) << "a changed prompt would be paid for twice";
  EXPECT_THAT(store_.lessons().changes(run.id).value(), SizeIs(2))
      << "observing again stores nothing";
  EXPECT_EQ(text_of(*open(begin())), "") << "a new run knows nothing that was dropped";
}

TEST_F(LessonsTest, ARunBeginsWithWhatASearchFindsInOtherFamiliesAndKeepsToThat) {
  const RunSummary other = begin();
  std::vector<Lesson> lessons(9);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    lessons[i].key = "k" + std::to_string(i);
    lessons[i].task = "gemm";
    lessons[i].family = "matmul";
    lessons[i].text = "Tiles of panel " + std::to_string(i) + ".";
  }
  lessons[4].text = "Twice as many elementwise products in flight hide the latency.";
  ASSERT_TRUE(store_.lessons().learn(other.id, lessons));
  const RunSummary run = begin();
  const std::string first = text_of(*open(run));
  EXPECT_THAT(first, AllOf(HasSubstr("(`gemm`) Twice as many elementwise products"),
                           Not(HasSubstr("panel"))));
  // All lessons of the other task get the same text, so that a search no longer finds the one that
  // the run was told.
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    lessons[i].text = "Twice the elementwise products.";
    lessons[i].seen_in = {{"gemm-1", 1, "later"}};
  }
  ASSERT_TRUE(store_.lessons().learn(other.id, lessons));
  EXPECT_EQ(text_of(*open(run)), first);
  EXPECT_EQ(store_.lessons().snapshot(run.id).value()->told.size(), 1u);
  EXPECT_EQ(text_of(*open(begin())), "");
}

TEST_F(LessonsTest, WinsAreShownBeforeThePlaybookWithTheirSource) {
  teach_a_win(begin(), 1, 2.0);
  teach_a_win(begin(), 1, 3.0);
  propose::Situation s;
  s.examples = {{"playbook a", "a"}, {"playbook b", "b"}};
  open(begin())->tell(s);
  ASSERT_THAT(s.examples, SizeIs(memory::kMostExamples));
  EXPECT_THAT(s.examples[0].title, HasSubstr("3x"));
  EXPECT_THAT(s.examples[0].source, HasSubstr("void twice()"));
  EXPECT_EQ(s.examples[2].title, "playbook a");
}

TEST_F(LessonsTest, EndingTwiceCountsOnce) {
  teach_a_win(begin(), 1, 2.0);
  teach_a_win(begin(), 2, 3.0);
  const auto all = store_.lessons().all().value();
  for (const Lesson& lesson : all) {
    EXPECT_EQ(lesson.seen, 1) << lesson.text;
    const bool is_older = lesson.seen_in.front().run == "twice-1";
    EXPECT_EQ(lesson.uses, is_older ? 1 : 0) << lesson.text;
    EXPECT_EQ(lesson.helped, is_older ? 1 : 0) << lesson.text;
  }
}

TEST_F(LessonsTest, WhereNobodyWritesNothingIsTold) {
  teach_a_win(begin(), 1, 2.0);
  teach_a_win(begin(true, "greedy"), 1, 3.0);
  const auto all = store_.lessons().all().value();
  EXPECT_EQ(all.back().seen_in.front().run, "twice-2") << "it learns all the same";
  for (const Lesson& lesson : all) {
    EXPECT_EQ(lesson.uses, 0) << lesson.text;
    EXPECT_EQ(lesson.helped, 0) << lesson.text;
  }
}

TEST_F(LessonsTest, HiddenWorkloadsAreInNoLesson) {
  auto lessons = open(begin());
  Attempt rejected = wrong(1);
  rejected.evaluation.verdict = {Stage::Screen, Outcome::Rejected, "'secret' has 7919 elements"};
  rejected.evaluation.findings.clear();
  for (const Attempt& a : {wrong(2, "'secret': 7919"), rejected})
    for (const Lesson& lesson : lessons->observe(a, true))
      EXPECT_THAT(lesson.text, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("7919"))));
  rejected.number = 3;
  rejected.candidate.sha256 = "another";
  lessons->observe(rejected, true);
  EXPECT_THAT(text_of(*lessons), AllOf(HasSubstr("a hidden workload has N elements"),
                                       Not(HasSubstr("secret")), Not(HasSubstr("7919"))));
}

TEST_F(LessonsTest, WithoutMemoryNothingIsKnown) {
  teach_a_win(begin(), 1, 2.0);
  const RunSummary run = begin(false);
  EXPECT_FALSE(open(run));
  EXPECT_FALSE(store_.lessons().snapshot(run.id).value());
  EXPECT_FALSE(Lessons::open(nullptr, store_, clock_, begin()).value()) << "no task to learn about";
}

TEST_F(LessonsTest, APromptWithFullMemoryAndLongHistoryIsBuiltQuickly) {
  auto lessons = open(begin());
  for (int i = 1; i <= 200; ++i) lessons->observe(wrong(i), true);
  const auto data = memory::DataFiles::open(std::nullopt).value();
  const auto book = propose::PromptBook::open(data).value();
  propose::Situation s;
  s.number = 201;
  s.task = &task_;
  s.baseline = "reference";
  const propose::Veil veil(task_);
  propose::History history;
  for (int i = 1; i <= 200; ++i) {
    AttemptLine line;
    line.number = i;
    line.name = "kernel_" + std::to_string(i);
    line.words = "failed at check: wrong_result";
    history.add(line, veil);
  }
  s.history = &history;
  const auto started = std::chrono::steady_clock::now();
  lessons->tell(s);
  const auto prompt = book.build(s);
  const std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - started;
  ASSERT_TRUE(prompt);
  EXPECT_THAT(prompt->user, AllOf(HasSubstr("Seen 200 times."), HasSubstr("Keep point updates")));
  std::printf("prompt with lessons and 200 attempts: %.1f ms\n", spent.count());
}

}  // namespace
}  // namespace kw::engine
