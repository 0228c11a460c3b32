// Experience and knowledge between runs: what the next prompt is told; and that frozen memory, and
// the memory with which a run began, do not change.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "engine/lessons.h"
#include "llm/budget.h"
#include "memory/knowledge.h"
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

task::Definition row_task() {
  task::TaskFiles files{"tasks/rows", {}};
  files.texts["task.yaml"] =
      "name: rows\nfamily: normalization\nsummary: Softmax of each row of a matrix.\ndims: [n]\n"
      "scalars:\n  n: { dtype: i32 }\n"
      "tensors:\n  x: { dtype: f32, shape: [n], role: in }\n"
      "  y: { dtype: f32, shape: [n], role: out }\n"
      "gate: { kind: relative, c: 4, scale: 1 }\n"
      "work:\n  floor: { bytes: n, flops: n }\n"
      "  nominal: { read_bytes: n, write_bytes: n, flops: n, items: n }\n";
  files.texts["shapes.yaml"] =
      "check: [ { name: secret, n: 7919 } ]\ntime: [ { name: b, n: 9 } ]\n";
  files.texts["spec.md"] =
      "# rows\n\nThe maximum of each row, the exponentials, and their sum carried together.\n";
  files.texts["reference.cpp"] =
      "template <class Real>\nvoid reference(int n, const Real* x, Real* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = exp(x[i]);\n}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

class MemoryTest : public store::OpenStore {
 protected:
  RunSummary begin(bool is_frozen = false) {
    RunConfig config;
    config.task = "rows";
    config.baseline = "reference";
    config.strategy = "refine";
    config.uses_memory = true;
    config.freezes_memory = is_frozen;
    return store_.create(config, "then").value();
  }
  Lessons open(const RunSummary& run) {
    auto lessons = Lessons::open(&learning_, store_, clock_, run);
    EXPECT_TRUE(lessons) << describe(lessons.error());
    return std::move(**lessons);
  }
  static Attempt written(int number, Outcome outcome, const std::string& technique) {
    Attempt a;
    a.number = number;
    a.candidate.source = "source " + std::to_string(number);
    a.candidate.sha256 = a.candidate.source;
    a.candidate.techniques = {technique};
    a.evaluation.verdict = {outcome == Outcome::Correct ? Stage::Measure : Stage::Check, outcome,
                            "workload 'secret'"};
    if (outcome == Outcome::Correct) a.against_baseline.value = 2;
    return a;
  }
  void teach(const RunSummary& run, Lessons& lessons, const Attempt& attempt) {
    const auto learnt = lessons.observe(attempt, true);
    ASSERT_TRUE(store_.append(run, attempt, learnt, lessons.take_experience()));
  }
  /// Stores a run that tried two techniques, one of which worked.
  void teach_two() {
    const RunSummary run = begin();
    Lessons lessons = open(run);
    teach(run, lessons, written(1, Outcome::Correct, "tiling"));
    teach(run, lessons, written(2, Outcome::WrongResult, "fusion"));
  }
  std::string prompt_of(const Lessons& lessons) {
    const auto data = memory::DataFiles::open(std::nullopt).value();
    propose::Situation s;
    s.number = 1;
    s.task = &task_;
    s.baseline = "reference";
    lessons.tell(s);
    return propose::PromptBook::open(data).value().build(s)->user;
  }
  std::string all_of_memory() {
    std::string text;
    const auto add = [&](const auto& all) {
      for (const auto& one : all) text += encode(one) + "\n";
    };
    add(store_.lessons().experience().value());
    add(store_.lessons().all().value());
    add(store_.cards().all().value());
    return text;
  }

  platform::FakeClock clock_;
  task::Definition task_ = row_task();
  Shelf shelf_ = [] {
    const auto data = memory::DataFiles::open(std::nullopt).value();
    return Shelf{memory::shipped_cards(data).value(), memory::playbook_cards(data)};
  }();
  Learning learning_{&task_, Target::Cpu, "box", "", &shelf_};
};

TEST_F(MemoryTest, ThePromptShowsWhatWasTriedAndWhatIsKnownAndWhy) {
  teach_two();
  const std::string prompt = prompt_of(open(begin()));
  EXPECT_THAT(prompt, AllOf(HasSubstr("## What memory holds for this"),
                            HasSubstr("Promising: `tiling`: worked in 1 of 1 tries"),
                            HasSubstr("Did not help: `fusion`"), HasSubstr("[the same task")));
  EXPECT_THAT(prompt, AllOf(HasSubstr("carried together: when the maximum grows"),
                            Not(HasSubstr("[found by `")), Not(HasSubstr("Verified kernel `"))));
  EXPECT_THAT(prompt, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("7919"))));
}

TEST_F(MemoryTest, ARunKeepsToWhatItBeganWithAndIsCountedOnce) {
  teach_two();
  const RunSummary run = begin();
  const std::string first = prompt_of(open(run));
  EXPECT_EQ(store_.lessons().experience()->front().uses, 1);
  teach_two();
  shelf_.shipped.clear();
  const int uses_since = store_.lessons().experience()->front().uses;
  EXPECT_EQ(prompt_of(open(run)), first);
  EXPECT_EQ(store_.lessons().experience()->front().uses, uses_since);
}

TEST_F(MemoryTest, FrozenMemoryMakesRunsComparable) {
  teach_two();
  const RunSummary one = begin(true);
  const std::string before = all_of_memory();
  Lessons lessons = open(one);
  const std::string known = all_of_memory();
  const std::string first = prompt_of(lessons);
  teach(one, lessons, written(1, Outcome::Correct, "packing"));
  EXPECT_THAT(prompt_of(lessons), HasSubstr("`packing`")) << "its own prompts do learn";
  RunSummary ended = one;
  ended.is_confirmed = true;
  ASSERT_TRUE(lessons.conclude(store_, ended, nullptr, std::nullopt));
  EXPECT_EQ(all_of_memory(), known) << "nothing was taught, nothing was counted";
  EXPECT_THAT(known, HasSubstr(before.substr(0, before.find('\n'))));
  EXPECT_EQ(prompt_of(open(begin(true))), first) << "the next run begins with the same";
}

TEST_F(MemoryTest, EmbeddingsRankAnewAndArePaidForOnce) {
  std::size_t asked = 0;
  shelf_.embedder = "fake";
  shelf_.embed = [&](const std::vector<std::string>& texts,
                     llm::Ledger*) -> Result<std::vector<std::vector<float>>> {
    asked += texts.size();
    std::vector<std::vector<float>> vectors;
    // Texts about false sharing and the task "rows" mean the same.
    for (const std::string& text : texts) {
      const bool is_like =
          text.find("take it from each other") != std::string::npos || text.starts_with("rows (");
      vectors.push_back(is_like ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
    }
    return vectors;
  };
  shelf_.shipped.resize(16);  // sixteen cards for cpu
  const auto found = find_knowledge(store_, shelf_, task_, Target::Cpu, "");
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, IsEmpty()) << "nothing was kept yet";
  ASSERT_TRUE(keep_knowledge(store_, shelf_, Target::Cpu));
  const auto ranked = find_knowledge(store_, shelf_, task_, Target::Cpu, "").value();
  ASSERT_THAT(ranked, Not(IsEmpty()));
  for (const FoundCard& one : ranked) EXPECT_GE(one.likeness, 0) << one.card.name;
  const std::size_t paid = asked;
  EXPECT_GT(paid, ranked.size() / 2);
  ASSERT_TRUE(find_knowledge(store_, shelf_, task_, Target::Cpu, ""));
  EXPECT_EQ(asked, paid) << "vectors are kept";
}

TEST_F(MemoryTest, WhatEmbeddingsCostIsTheRunsThatNeededThemFirst) {
  shelf_.embedder = "fake";
  shelf_.embed = [](const std::vector<std::string>& texts,
                    llm::Ledger* ledger) -> Result<std::vector<std::vector<float>>> {
    const Usage usage{100, 0, 0, 0, false};
    KW_TRY(ledger->reserve(usage, Price{}, "fake"));
    ledger->settle(usage, usage, Price{});
    return std::vector<std::vector<float>>(texts.size(), {1, 0});
  };
  llm::Ledger first({}), second({}), used_up({.calls = 0});
  ASSERT_TRUE(Lessons::open(&learning_, store_, clock_, begin(), &first));
  EXPECT_EQ(first.spent().calls, 1);
  EXPECT_EQ(first.spent().tokens, 100);
  ASSERT_TRUE(Lessons::open(&learning_, store_, clock_, begin(), &second));
  EXPECT_EQ(second.spent().calls, 0) << "vectors are kept";
  std::vector<std::string> notices;
  shelf_.on_notice = [&](const std::string& text) { notices.push_back(text); };
  shelf_.embedder = "another";
  ASSERT_TRUE(Lessons::open(&learning_, store_, clock_, begin(), &used_up));
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0], HasSubstr("words alone")) << "a budget bounds them";
}

TEST_F(MemoryTest, TroubleWithEmbeddingsIsSaidAndWordsRank) {
  std::vector<std::string> notices;
  shelf_.embedder = "fake";
  shelf_.embed = [](const std::vector<std::string>&,
                    llm::Ledger*) -> Result<std::vector<std::vector<float>>> {
    return fail("no connection");
  };
  shelf_.on_notice = [&](const std::string& text) { notices.push_back(text); };
  ASSERT_TRUE(keep_knowledge(store_, shelf_, Target::Cpu));
  const auto found = find_knowledge(store_, shelf_, task_, Target::Cpu, "").value();
  EXPECT_THAT(found, Not(IsEmpty()));
  EXPECT_EQ(found.front().likeness, -1);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0], HasSubstr("no connection"));
}

}  // namespace
}  // namespace kw::engine
