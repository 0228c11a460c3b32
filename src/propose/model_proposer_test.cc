// Tests of ModelProposer with scripted models: replies that can be used, and replies that cannot.
// SPDX-License-Identifier: Apache-2.0
#include "propose/model_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include <memory>

#include "llm/budget.h"
#include "llm/retried_for_test.h"
#include "llm/scripted.h"
#include "memory/shipped_task.h"
#include "platform/clock.h"
#include "propose/examples.h"
#include "propose/test_situation.h"
#include "task/header.h"

namespace kw::propose {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const char* const kReply =
    "Plan: stream.\n\n```cpp\n// kw: tune U = 4, 8\n// kw: technique unrolling, Vector Streams\n"
    "void twice(int rows, int cols, int pitch, const float* x, float* y) {}\n```\n";

class ProposerTest : public testing::Test {
 protected:
  ProposerTest() {
    situation_.number = 1;
    situation_.task = &task_;
    situation_.baseline = "omp";
  }

  llm::ChatModel* model(const std::string& script, const std::string& name = "scripted:test") {
    auto entries = llm::parse_script(script, "test.txt");
    KW_ASSERT(entries.has_value());
    llm::ScriptedOptions options;
    options.name = name;
    options.clock = &clock_;
    models_.push_back(llm::make_scripted_chat(std::move(*entries), std::move(options)));
    return models_.back().get();
  }

  Result<Proposal> propose(const std::string& script) {
    ModelProposer proposer(shipped_prompts(), {model(script)}, {});
    return proposer.propose(situation_);
  }

  platform::FakeClock clock_;
  std::vector<std::unique_ptr<llm::ChatModel>> models_;
  const task::Definition task_ = test_task();
  Situation situation_;
};

TEST_F(ProposerTest, AReplyBecomesACandidate) {
  const auto proposal = propose(std::string("===\n") + kReply);
  ASSERT_TRUE(proposal.has_value()) << describe(proposal.error());
  ASSERT_TRUE(proposal->has_candidate()) << proposal->evidence;
  EXPECT_EQ(proposal->candidate.name, "001_unrolling_vector_streams");
  EXPECT_EQ(proposal->candidate.origin, Origin::Model);
  EXPECT_EQ(proposal->candidate.knobs, (KnobPoint{{"U", 4}}));
  EXPECT_EQ(proposal->plan, "Plan: stream.");
  EXPECT_THAT(proposal->exchanges, SizeIs(1));
  EXPECT_GT(proposal->usage.prompt_tokens, 0);
}

TEST_F(ProposerTest, ModelsTakeTurnsByTheNumberOfTheAttempt) {
  llm::ChatModel* first = model(std::string("===\n!repeat forever\n") + kReply, "scripted:a");
  llm::ChatModel* second = model("===\n!repeat forever\nI would rather talk.\n", "scripted:b");
  ModelProposer proposer(shipped_prompts(), {first, second}, {});
  for (int number = 1; number <= 4; ++number) {
    situation_.number = number;
    EXPECT_EQ(proposer.propose(situation_)->has_candidate(), number % 2 == 1) << number;
  }
}

TEST_F(ProposerTest, OneThatWasChosenWritesAndWhereItIsOutOfReachTheNext) {
  llm::ChatModel* first = model("===\n!401\nno\n", "scripted:a");
  llm::ChatModel* second = model(std::string("===\n!repeat forever\n") + kReply, "scripted:b");
  std::vector<std::string> notices;
  ModelProposerOptions options;
  options.on_notice = [&](const std::string& text) { notices.push_back(text); };
  ModelProposer proposer(shipped_prompts(), {first, second}, options);
  situation_.writer = 2;
  EXPECT_EQ(proposer.propose(situation_)->writer, "scripted:b");
  EXPECT_THAT(notices, IsEmpty());
  situation_.number = 2;
  situation_.writer = 1;
  const auto proposal = proposer.propose(situation_);
  ASSERT_TRUE(proposal.has_value()) << describe(proposal.error());
  EXPECT_EQ(proposal->writer, "scripted:b");
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0], HasSubstr("the next model is asked"));
}

TEST_F(ProposerTest, OneThatIsOutOfReachForAllTriesIsPassedOver) {
  for (const char* trouble : {"!hang", "!500", "!429 retry-after=3600"}) {
    SCOPED_TRACE(trouble);
    llm::Retried first(
        *model(std::string("===\n!repeat forever\n") + trouble + "\n", "scripted:a"));
    llm::Retried second(*model(std::string("===\n!repeat forever\n") + kReply, "scripted:b"));
    const auto both = ModelProposer(shipped_prompts(), {&first, &second}, {}).propose(situation_);
    ASSERT_TRUE(both.has_value()) << describe(both.error());
    EXPECT_EQ(both->writer, "scripted:b");
    const auto one = ModelProposer(shipped_prompts(), {&first}, {}).propose(situation_);
    ASSERT_FALSE(one.has_value());
    EXPECT_EQ(one.error().advice, Advice::Stop) << "nobody is left to ask";
  }
}

TEST_F(ProposerTest, OneThatRefusesEveryRequestIsPassedOver) {
  llm::Retried first(*model("===\n!repeat forever\n!400\nno\n", "scripted:a"));
  llm::Retried second(*model(std::string("===\n!repeat forever\n") + kReply, "scripted:b"));
  ModelProposer proposer(shipped_prompts(), {&first, &second}, {});
  const auto refused = proposer.propose(situation_);
  ASSERT_FALSE(refused.has_value()) << "it may be about this prompt alone";
  EXPECT_EQ(refused.error().advice, Advice::GiveUp);
  situation_.number = 3;
  EXPECT_EQ(proposer.propose(situation_)->writer, "scripted:b");
}

TEST_F(ProposerTest, WhatCannotBeUsedIsAProposalWithEvidence) {
  const auto expect = [&](const std::string& script, const char* evidence) {
    const auto proposal = propose(script);
    ASSERT_TRUE(proposal.has_value()) << describe(proposal.error());
    EXPECT_FALSE(proposal->has_candidate());
    EXPECT_THAT(proposal->evidence, HasSubstr(evidence));
    EXPECT_THAT(proposal->exchanges, SizeIs(1));
    EXPECT_GT(proposal->usage.total(), 0) << "it has cost something";
  };
  expect("===\n!refusal\nI cannot help with that.\n", "the model refused: I cannot help");
  expect("===\n\n", "the reply is empty");
  expect("===\nOnly words.\n", "no fenced code block");
  expect("===\n!length\nPlan.\n```cpp\nvoid twice(\n", "was cut off in line 1 of the code");
  expect("===\n<<<<<<< SEARCH\na\n\\=======\nb\n>>>>>>> REPLACE\n", "no parent to edit");
  expect("===\n```cpp\n// kw: option Ofast\nvoid twice() {}\n```\n", "unknown option 'Ofast'");
}

TEST_F(ProposerTest, AHeaderThatCannotBeReadComesWithItsCaret) {
  const auto proposal = propose("===\n```cpp\n// kw: tun U = 2\nvoid twice() {}\n```\n");
  ASSERT_TRUE(proposal.has_value());
  EXPECT_THAT(proposal->evidence,
              HasSubstr(":1:8: unknown directive 'tun' (did you mean 'tune'?)"));
  ASSERT_THAT(proposal->findings, SizeIs(1));
  EXPECT_THAT(proposal->findings[0].frame, AllOf(HasSubstr("kw: tun U"), HasSubstr("^")));
}

TEST_F(ProposerTest, ACutOffBehindTheCodeIsNoLoss) {
  const auto proposal = propose(std::string("===\n!length\n") + kReply + "\nThis is beca\n");
  ASSERT_TRUE(proposal.has_value());
  EXPECT_TRUE(proposal->has_candidate()) << proposal->evidence;
}

TEST_F(ProposerTest, EditsOfTheParentAreApplied) {
  const Attempt parent = test_attempt(1, Outcome::Correct, 2);
  situation_.errand = Errand::Improve;
  situation_.parent = &parent;
  situation_.number = 2;
  const auto proposal =
      propose("===\n<<<<<<< SEARCH\n  // kernel 1\n\\=======\n  // kernel one\n>>>>>>> REPLACE\n");
  ASSERT_TRUE(proposal.has_value());
  EXPECT_THAT(proposal->candidate.source,
              AllOf(HasSubstr("// kernel one"), HasSubstr("void twice(")));
}

TEST_F(ProposerTest, AFixThatTakesTheDifficultPartOutIsTurnedDown) {
  Attempt parent = test_attempt(3, Outcome::WrongResult);
  parent.candidate.techniques = {"tiling"};
  situation_.number = 4;
  situation_.errand = Errand::Repair;
  situation_.parent = &parent;
  Manner manner;
  manner.keeps_kernel = true;
  situation_.manner = &manner;
  const std::string plain =
      "===\n```cpp\nvoid twice(int rows, int cols, int pitch, const float* x, float* y) {}\n```\n";
  const auto turned_down = propose(plain);
  ASSERT_TRUE(turned_down);
  EXPECT_FALSE(turned_down->has_candidate());
  EXPECT_THAT(turned_down->evidence, HasSubstr("drops the technique 'tiling'"));
  const auto kept = propose(
      "===\n```cpp\n// kw: technique tiling\n"
      "void twice(int rows, int cols, int pitch, const float* x, float* y) {}\n```\n");
  EXPECT_TRUE(kept->has_candidate()) << kept->evidence;
  manner.keeps_kernel = false;
  EXPECT_TRUE(propose(plain)->has_candidate()) << "a method that lets kernels be given up";
}

TEST_F(ProposerTest, TroubleOfTheSurroundingsIsAnError) {
  const auto proposal = propose("===\n!401\n");
  EXPECT_FALSE(proposal.has_value());
}

TEST(Examples, ComeFromTheFamilyAndNeverFromTheTaskItselfUnlessAsked) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  for (const std::string& name : data->folders("tasks")) {
    const auto definition = task::parse_task(*memory::shipped_task(*data, name));
    ASSERT_TRUE(definition.has_value());
    const Target target = name.contains("f16") ? Target::Cuda : Target::Cpu;
    const auto examples = select_examples(*data, definition->task, {.target = target});
    ASSERT_TRUE(examples.has_value()) << describe(examples.error());
    std::string subject = name.substr(0, name.rfind("_padded"));
    subject = subject.substr(0, std::min(subject.rfind("_bf16"), subject.rfind("_f16")));
    for (const Example& example : *examples)
      for (const auto* variant : {"`", "_bf16`", "_f16`", "_padded`", "_bf16_padded`"})
        EXPECT_THAT(example.title, Not(HasSubstr("the task `" + subject + variant)));
    const auto own =
        select_examples(*data, definition->task, {.target = target, .own_playbook = true});
    ASSERT_TRUE(own.has_value());
    EXPECT_THAT(own->front().title, HasSubstr("the task `" + name + "`"));
  }
  const auto softmax =
      task::parse_task({"tasks/softmax_padded", data->under("tasks/softmax_padded")});
  EXPECT_THAT(select_examples(*data, softmax->task)->front().title, HasSubstr("normalization"));
  EXPECT_THAT(*select_examples(*data, softmax->task, {.most = 5, .max_bytes = 10}), IsEmpty());
}

TEST(Examples, RunOnTheGpuThatThePromptIsFor) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  const auto task = task::parse_task(*memory::shipped_task(*data, "matmul_padded"));
  ASSERT_TRUE(task.has_value());
  const auto sources = [&](const char* arch, std::int64_t shared) {
    GpuFacts gpu;
    gpu.arch = arch;
    gpu.multiprocessors = 40;
    gpu.shared_per_block = gpu.shared_per_multiprocessor = shared;
    gpu.registers_per_block = 65536;
    gpu.threads_per_multiprocessor = 1024;
    const auto examples = select_examples(
        *data, task->task, {.max_bytes = 1 << 20, .target = Target::Cuda, .gpu = {gpu}});
    EXPECT_THAT(*examples, Not(IsEmpty())) << arch;
    std::string all;
    for (const Example& example : *examples) all += example.source;
    return all;
  };
  EXPECT_THAT(sources("sm_90a", 232448), HasSubstr("kw: dialect cute"));
  EXPECT_THAT(sources("sm_75", 65536), Not(HasSubstr("require arch")));
}

TEST(Examples, AreInCuteOnlyWhereItCompiles) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  const auto task = task::parse_task(*memory::shipped_task(*data, "matmul_bf16"));
  ASSERT_TRUE(task.has_value());
  for (const bool has_dialect_headers : {true, false}) {
    const auto examples = select_examples(
        *data, task->task,
        {.max_bytes = 1 << 20, .target = Target::Cuda, .has_dialect_headers = has_dialect_headers});
    std::string all;
    for (const Example& example : *examples) all += example.source;
    EXPECT_EQ(task::asks_for_headers(all), has_dialect_headers);
  }
}

TEST(Examples, OfTheSameTypeComeFirst) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  const auto conv2d = task::parse_task(*memory::shipped_task(*data, "conv2d"));
  ASSERT_TRUE(conv2d.has_value());
  const auto examples = select_examples(*data, conv2d->task, {.target = Target::Cuda});
  ASSERT_THAT(*examples, Not(IsEmpty()));
  EXPECT_THAT(examples->front().title, Not(HasSubstr("bf16")));
}

TEST_F(ProposerTest, WhereABudgetRefusesOneModelTheNextIsAsked) {
  llm::Ledger ledger({.usd = 1});
  Price dear, cheap;
  dear.prompt_usd = dear.completion_usd = 1e6;
  cheap.prompt_usd = cheap.completion_usd = 0.001;
  const auto within = [&](const std::string& name, const Price& price) {
    auto entries = llm::parse_script(std::string("===\n") + kReply + "===\n" + kReply, name);
    llm::ScriptedOptions scripted;
    scripted.name = name;
    scripted.clock = &clock_;
    models_.push_back(std::make_unique<llm::BudgetModel>(
        llm::make_scripted_chat(std::move(*entries), std::move(scripted)), ledger, price));
    return models_.back().get();
  };
  ModelProposerOptions options;
  std::vector<std::string> notices;
  options.on_notice = [&](const std::string& text) { notices.push_back(text); };
  options.is_refused = [&] { return !ledger.refusal().empty(); };
  ModelProposer proposer(shipped_prompts(), {within("dear", dear), within("cheap", cheap)},
                         options);
  const auto proposal = proposer.propose(situation_);
  ASSERT_TRUE(proposal.has_value()) << describe(proposal.error());
  EXPECT_TRUE(proposal->has_candidate());
  EXPECT_THAT(proposal->exchanges, SizeIs(1)) << "what was refused was no exchange";
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0], AllOf(HasSubstr("dear"), HasSubstr("the next model is asked")));
  EXPECT_EQ(ledger.spent().calls, 1);

  ModelProposer alone(shipped_prompts(), {within("dear", dear), within("dearer", dear)}, options);
  EXPECT_FALSE(alone.propose(situation_).has_value()) << "nobody may go on";
  EXPECT_NE(ledger.refusal(), "");
}

}  // namespace
}  // namespace kw::propose
