// Tests of a judge model: what it is asked, what is kept of its replies, and how failures are
// handled.
// SPDX-License-Identifier: Apache-2.0
#include "propose/judge.h"

#include <gmock/gmock.h>

#include <deque>

#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns prepared answers in turn, and remembers what it was asked.
class FakeChat final : public llm::ChatModel {
 public:
  Result<ChatReply> complete(const ChatRequest& request, llm::Call& call) override {
    asked.push_back(request.messages.back().text);
    scopes.push_back(call.scope);
    if (answers.empty()) return fail("no connection", name_, Advice::Retry);
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  const std::string& name() const override { return name_; }

  std::deque<Result<ChatReply>> answers;
  std::vector<std::string> asked;
  std::vector<std::string> scopes;

 private:
  const std::string name_ = "fake:judge";
};

ChatReply reply(const std::string& text, StopReason stop = StopReason::End) {
  ChatReply r;
  r.text = text;
  r.stop = stop;
  r.usage = {100, 0, 0, 20, false};
  r.cost_usd = 0.01;
  return r;
}

class ModelJudgeTest : public testing::Test {
 protected:
  ModelJudgeTest() {
    parent_.evaluation.findings.push_back(
        {FindingKind::Mismatch, 1, "Every second row is wrong.", "", ""});
    parent_.evaluation.verdict.evidence = "workload 'secret_tall' at row 6828";
    situation_.number = 4;
    situation_.errand = Errand::Repair;
    situation_.task = &task_;
    situation_.device = &device_;
    situation_.baseline = "omp";
    situation_.parent = &parent_;
  }
  ModelJudge judge(ModelJudgeOptions options = {}) {
    return ModelJudge(shipped_prompts(), chat_, std::move(options));
  }

  const task::Definition task_ = test_task();
  const DeviceFacts device_ = test_device();
  Attempt parent_ = test_attempt(3, Outcome::WrongResult);
  Situation situation_;
  FakeChat chat_;
};

TEST_F(ModelJudgeTest, ReadsTheFindingsThatAWriterGets) {
  chat_.answers.push_back(reply("  The stride is twice too large.\n"));
  const Reading reading = judge().read(situation_).value();
  EXPECT_EQ(reading.attempt, 3);
  EXPECT_EQ(reading.asked_for, 4);
  EXPECT_EQ(reading.words, "The stride is twice too large.");
  EXPECT_EQ(reading.trouble, "");
  EXPECT_EQ(reading.usage.total(), 120);
  EXPECT_EQ(reading.cost_usd, 0.01);
  EXPECT_FALSE(reading.exchange.empty());
  EXPECT_EQ(chat_.scopes.at(0), "reading of attempt 3");
  EXPECT_THAT(chat_.asked.at(0),
              AllOf(HasSubstr("Every second row is wrong."), HasSubstr("// kernel 3"),
                    HasSubstr("wrong result"), HasSubstr("Test Processor 9000")));
  EXPECT_THAT(chat_.asked.at(0), AllOf(Not(HasSubstr("secret_tall")), Not(HasSubstr("6828"))))
      << "hidden shapes stay hidden";
}

TEST_F(ModelJudgeTest, FailuresAreReadingsWithoutWords) {
  chat_.answers.push_back(reply("I would rather not.", StopReason::Refusal));
  chat_.answers.push_back(reply("", StopReason::Length));
  chat_.answers.push_back(reply("Cut off in the mid", StopReason::Length));
  ModelJudge j = judge();
  EXPECT_THAT(j.read(situation_)->trouble, HasSubstr("refused"));
  EXPECT_THAT(j.read(situation_)->trouble, HasSubstr("cut off"));
  EXPECT_EQ(j.read(situation_)->words, "Cut off in the mid");
}

TEST_F(ModelJudgeTest, IsLeftOutAfterTwoFailuresInARow) {
  ModelJudge j = judge();
  EXPECT_THAT(j.read(situation_)->trouble, HasSubstr("no connection"));
  chat_.answers.push_back(reply("Words."));
  EXPECT_EQ(j.read(situation_)->words, "Words.");
  for (int i = 0; i < 2; ++i) EXPECT_THAT(j.read(situation_)->trouble, HasSubstr("no connection"));
  EXPECT_THAT(j.read(situation_)->trouble, HasSubstr("not asked any more"));
  EXPECT_EQ(chat_.asked.size(), 4u);
}

TEST_F(ModelJudgeTest, AnInterruptIsNoFailure) {
  std::stop_source stop;
  stop.request_stop();
  ModelJudge j = judge({.on_notice = {}, .cancel = stop.get_token()});
  EXPECT_FALSE(j.read(situation_)) << "the reading is asked for again on resume";
}

TEST_F(ModelJudgeTest, ItsWordsStandInThePromptAndGoBeforeTheFindings) {
  const PromptBook book = shipped_prompts();
  EXPECT_THAT(book.build(situation_)->user, Not(HasSubstr("another model")));
  situation_.reading = "The stride is twice too large.";
  const Prompt prompt = book.build(situation_).value();
  EXPECT_THAT(prompt.user, AllOf(HasSubstr("What another model reads in this"),
                                 HasSubstr("The stride is twice too large.")));
  const Prompt small = book.build(situation_, {500}).value();
  EXPECT_THAT(small.user, AllOf(Not(HasSubstr("The stride")), HasSubstr("Every second row")));
  EXPECT_THAT(small.dropped, testing::Contains("the judge's reading"));
}

TEST(Scopes, NameTheAttemptAndComeBack) {
  EXPECT_EQ(attempt_of_scope(scope_of_attempt(12)), 12);
  EXPECT_EQ(attempt_of_scope(scope_of_reading(12)), 0);
  EXPECT_EQ(attempt_of_reading(scope_of_reading(12)), 12);
  EXPECT_EQ(attempt_of_reading(scope_of_attempt(12)), 0);
  EXPECT_EQ(attempt_of_scope("attempt x"), 0);
  EXPECT_EQ(attempt_of_scope("attempt 1 2"), 0);
}

}  // namespace
}  // namespace kw::propose
