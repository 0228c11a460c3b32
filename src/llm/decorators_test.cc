// Tests of retry, rate limit, budget, cache, record and replay with a fake clock.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "base/error_for_test.h"
#include "base/text.h"
#include "llm/budget.h"
#include "llm/estimate.h"
#include "llm/exchanges.h"
#include "llm/memory_exchanges_for_test.h"
#include "llm/prices.h"
#include "llm/rate_limit.h"
#include "llm/retry.h"
#include "platform/files.h"

namespace kw::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Gives prepared answers in order, and repeats the last one for ever.
class ListModel final : public ChatModel {
 public:
  explicit ListModel(std::deque<Result<ChatReply>> answers) : answers_(std::move(answers)) {}
  Result<ChatReply> complete(const ChatRequest&, Call& call) override {
    call.report = report;
    ++calls;
    Result<ChatReply> answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  const std::string& name() const override { return name_; }

  int calls = 0;
  TryReport report;

 private:
  std::deque<Result<ChatReply>> answers_;
  std::string name_ = "list:model";
};

ChatReply says(const std::string& text, std::int64_t tokens = 10) {
  ChatReply reply;
  reply.text = text;
  reply.usage.prompt_tokens = tokens;
  reply.usage.completion_tokens = tokens;
  return reply;
}

Result<ChatReply> trouble(Advice advice) {
  return fail(ErrorCode::ServerFailed, About{"529"}, "HTTP 529: Overloaded", "x", advice);
}

ChatRequest question(const std::string& text, std::int64_t max_tokens = 100) {
  ChatRequest request;
  request.messages = {{ChatRole::User, text}};
  request.max_tokens = max_tokens;
  return request;
}

struct Listener {
  Call call;
  std::vector<std::string> notices;
  int restarts = 0;
  Listener() {
    call.on_notice = [this](const std::string& notice) { notices.push_back(notice); };
    call.on_delta = [this](const Delta& delta) { restarts += delta.kind == Delta::Kind::Restart; };
  }
};

/// A RetryModel around a ListModel. `list` points to the inner model, which the RetryModel owns.
struct Retrying {
  platform::FakeClock clock;
  ListModel* list;
  std::unique_ptr<RetryModel> model;
  explicit Retrying(std::deque<Result<ChatReply>> answers, RetryPolicy policy = {}) {
    auto inner = std::make_unique<ListModel>(std::move(answers));
    list = inner.get();
    model = std::make_unique<RetryModel>(std::move(inner), policy, clock, Seed::from_number(1));
  }
};

TEST(Retry, AsksAgainWithGrowingWaitsAndSaysSo) {
  Retrying r({trouble(Advice::Retry), trouble(Advice::Retry), trouble(Advice::Retry), says("ok")});
  Listener listener;
  const auto reply = r.model->complete(question("q"), listener.call);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->attempts, 4);
  EXPECT_EQ(listener.restarts, 3);
  ASSERT_EQ(listener.notices.size(), 3u);
  EXPECT_THAT(listener.notices[0], HasSubstr("list:model: HTTP 529: Overloaded; trying again in"));
  // The three waits of 1, 2 and 4 s are each shortened by jitter, to half at most.
  EXPECT_GE(r.clock.now_ns(), 3'500'000'000 - 1'000'000);
  EXPECT_LE(r.clock.now_ns(), 7'000'000'000);
}

TEST(Retry, AfterItsTriesNothingElseIsAskedEither) {
  Retrying r({trouble(Advice::Retry)}, {.max_tries = 3});
  Listener listener;
  const auto reply = r.model->complete(question("q"), listener.call);
  ASSERT_FALSE(reply);
  EXPECT_EQ(r.list->calls, 3);
  EXPECT_EQ(reply.error().advice, Advice::Stop);
  EXPECT_THAT(reply, IsErrorAbout(ErrorCode::ServerFailed, "529"));
}

TEST(Retry, NeverRepeatsWhatCannotPass) {
  for (const Advice advice : {Advice::GiveUp, Advice::Stop}) {
    Retrying r({trouble(advice)});
    Listener listener;
    EXPECT_EQ(r.model->complete(question("q"), listener.call).error().advice, advice);
    EXPECT_EQ(r.list->calls, 1);
    EXPECT_EQ(r.clock.now_ns(), 0);
  }
}

TEST(Retry, WaitsNoLongerThanARunHasTime) {
  platform::FakeClock clock(1'000'000'000);
  Ledger ledger({});
  const RateLimits two_a_minute{.requests_per_minute = 2};
  auto list = std::make_unique<ListModel>(
      std::deque<Result<ChatReply>>{trouble(Advice::Retry), says("ok")});
  list->report.retry_after = seconds(20);
  RetryModel model(std::make_unique<RateLimitModel>(std::move(list), two_a_minute, clock, &ledger),
                   {}, clock, Seed::from_number(1), &ledger);
  Listener listener;
  ledger.set_latest(10'000'000'000);
  const auto refused = model.complete(question("q"), listener.call);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused, IsErrorAbout(ErrorCode::OverBudget, "time"));
  EXPECT_EQ(refused.error().advice, Advice::Stop);
  EXPECT_EQ(clock.now_ns(), 1'000'000'000) << "the wait is refused, not cut";
  EXPECT_THAT(ledger.refusal(), AllOf(HasSubstr("list:model asks for a wait of 2"),
                                      HasSubstr("the search has 9.00 s left")));
  ledger.set_latest(60'000'000'000);
  ASSERT_TRUE(model.complete(question("q"), listener.call)) << "its second in this minute";
  EXPECT_FALSE(model.complete(question("q"), listener.call)) << "a minute has room for two";
  ledger.set_latest(0);
  EXPECT_TRUE(model.complete(question("q"), listener.call));
}

TEST(Retry, HonoursRetryAfterUnlessItIsTooLong) {
  Retrying r({trouble(Advice::Retry), says("ok")});
  r.list->report.retry_after = seconds(20);
  Listener listener;
  ASSERT_TRUE(r.model->complete(question("q"), listener.call));
  EXPECT_GE(r.clock.now_ns(), 20'000'000'000);
  EXPECT_LE(r.clock.now_ns(), 22'000'000'000);
  Retrying too_long({trouble(Advice::Retry), says("ok")});
  too_long.list->report.retry_after = seconds(3600);
  const auto refused = too_long.model->complete(question("q"), listener.call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().advice, Advice::Stop);
  EXPECT_EQ(too_long.list->calls, 1);
  EXPECT_EQ(too_long.clock.now_ns(), 0);
}

TEST(Retry, ARefusalThatComesAgainIsAboutNoSingleRequest) {
  const auto refused = [](const std::string& words) {
    auto failed = fail(ErrorCode::Refused, "HTTP 400: " + words, "x", Advice::GiveUp);
    failed.error().about = without_numbers(words);
    return Result<ChatReply>(std::move(failed));
  };
  const auto advices = [](Retrying r, std::size_t calls) {
    Listener listener;
    std::vector<Advice> all;
    for (std::size_t i = 0; i < calls; ++i)
      if (const auto reply = r.model->complete(question("q"), listener.call); !reply)
        all.push_back(reply.error().advice);
    return all;
  };
  EXPECT_THAT(
      advices(Retrying({refused("of 8192 tokens, 9000"), refused("of 8192 tokens, 9100")}), 2),
      ElementsAre(Advice::GiveUp, Advice::Stop));
  EXPECT_THAT(advices(Retrying({refused("too long"), refused("bad image")}), 2),
              ElementsAre(Advice::GiveUp, Advice::GiveUp));
  EXPECT_THAT(advices(Retrying({refused("too long"), says("ok"), refused("too long")}), 3),
              ElementsAre(Advice::GiveUp, Advice::GiveUp));
}

TEST(Retry, WaitsDifferBetweenCallsAndRepeatWithTheSeed) {
  const auto waits = [](std::uint64_t seed) {
    Backoff backoff({}, Seed::from_number(seed));
    std::vector<std::int64_t> all;
    while (const auto wait = backoff.next({})) all.push_back(wait->count());
    return all;
  };
  EXPECT_EQ(waits(1), waits(1));
  EXPECT_NE(waits(1), waits(2));
  EXPECT_EQ(waits(1).size(), 5u);
}

TEST(Retry, StopsWaitingWhenCancelled) {
  Retrying r({trouble(Advice::Retry)});
  std::stop_source stop;
  stop.request_stop();
  Listener listener;
  listener.call.cancel = stop.get_token();
  const auto reply = r.model->complete(question("q"), listener.call);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply, IsError(ErrorCode::Cancelled));
  EXPECT_EQ(reply.error().advice, Advice::Stop);
}

TEST(RateLimit, WaitsForTheMinuteToPass) {
  platform::FakeClock clock;
  RateLimitModel model(std::make_unique<ListModel>(std::deque<Result<ChatReply>>{says("ok")}),
                       {.requests_per_minute = 2}, clock);
  Listener listener;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(model.complete(question("q"), listener.call));
    clock.advance(seconds(1));
  }
  // The requests were sent at 0, 1, 60, 61 and 120 s; then the clock was advanced by a second.
  EXPECT_EQ(clock.now_ns(), 121'000'000'000);
  EXPECT_EQ(listener.notices.size(), 2u);
}

TEST(RateLimit, CountsTokensAsTheyTurnedOut) {
  platform::FakeClock clock;
  RateLimitModel model(std::make_unique<ListModel>(std::deque<Result<ChatReply>>{says("ok", 200)}),
                       {.tokens_per_minute = 1000}, clock);
  Listener listener;
  // A request counts as about 510 tokens before its reply and as 400 after it, so that two fit into
  // the limit and a third does not.
  ASSERT_TRUE(model.complete(question("q", 500), listener.call));
  ASSERT_TRUE(model.complete(question("q", 500), listener.call));
  EXPECT_EQ(clock.now_ns(), 0);
  ASSERT_TRUE(model.complete(question("q", 500), listener.call));
  EXPECT_EQ(clock.now_ns(), 60'000'000'000);
  // A request larger than the limit is sent once the window is empty, instead of waiting for ever.
  ASSERT_TRUE(model.complete(question("q", 5000), listener.call));
  EXPECT_EQ(clock.now_ns(), 120'000'000'000);
}

Price price_of(double prompt, double completion) {
  Price price;
  price.prompt_usd = price.cached_usd = price.cache_write_usd = prompt;
  price.completion_usd = completion;
  return price;
}

TEST(Budget, CountsCallsThatFailed) {
  Ledger ledger({.calls = 2});
  auto inner = std::make_unique<ListModel>(
      std::deque<Result<ChatReply>>{trouble(Advice::Retry), says("ok")});
  ListModel& list = *inner;
  list.report.spent.prompt_tokens = 7;
  BudgetModel model(std::move(inner), ledger, {});
  Listener listener;
  EXPECT_FALSE(model.complete(question("q"), listener.call));
  EXPECT_EQ(ledger.spent().tokens, 7);
  EXPECT_TRUE(model.complete(question("q"), listener.call));
  const auto refused = model.complete(question("q"), listener.call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().advice, Advice::Stop);
  EXPECT_THAT(refused, IsErrorAbout(ErrorCode::OverBudget, "calls"));
  EXPECT_EQ(list.calls, 2);
  EXPECT_EQ(ledger.spent().calls, 2);
  EXPECT_EQ(ledger.spent().unpriced, 2);
}

TEST(Budget, RefusesBeforeTheWorstCaseWouldExceed) {
  Ledger ledger({.usd = 0.01});
  auto inner = std::make_unique<ListModel>(std::deque<Result<ChatReply>>{says("ok", 10)});
  ListModel& list = *inner;
  BudgetModel model(std::move(inner), ledger, price_of(1, 10));
  Listener listener;
  const auto refused = model.complete(question("q", 1000), listener.call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(list.calls, 0);
  EXPECT_THAT(refused, IsErrorAbout(ErrorCode::OverBudget, "usd"));
  int paid = 0;
  while (model.complete(question("q", 500), listener.call)) ++paid;
  // A call costs 0.00011 dollars. The last call is refused although slightly more than 0.005 is
  // left, because its worst case costs more.
  EXPECT_NEAR(paid, 46, 2);
  EXPECT_NEAR(ledger.spent().usd, paid * 0.00011, 1e-9);
  EXPECT_LE(ledger.spent().usd, 0.01);
}

TEST(Budget, DollarsNeedAPriceAndTokensDoNot) {
  Ledger dollars({.usd = 5});
  BudgetModel unpriced(std::make_unique<ListModel>(std::deque<Result<ChatReply>>{says("ok")}),
                       dollars, {});
  Listener listener;
  EXPECT_THAT(unpriced.complete(question("q"), listener.call),
              IsErrorAbout(ErrorCode::OverBudget, "price"));
  Ledger tokens({.tokens = 130}, {.tokens = 20});
  BudgetModel counted(std::make_unique<ListModel>(std::deque<Result<ChatReply>>{says("ok")}),
                      tokens, {});
  EXPECT_TRUE(counted.complete(question("q", 90), listener.call));
  EXPECT_THAT(counted.complete(question("q", 90), listener.call),
              IsErrorAbout(ErrorCode::OverBudget, "tokens"));
  EXPECT_THAT(tokens.refusal(), HasSubstr("130 tokens has 90 left"));
}

TEST(Budget, ReservationsOfCallsUnderWayCount) {
  Ledger ledger({.tokens = 1000});
  Usage worst;
  worst.prompt_tokens = 600;
  ASSERT_TRUE(ledger.reserve(worst, {}, "a"));
  EXPECT_FALSE(ledger.reserve(worst, {}, "b"));
  ledger.settle(worst, {}, {});
  EXPECT_TRUE(ledger.reserve(worst, {}, "b"));
}

TEST(Budget, ARaisedOneLetsCallsPassAgain) {
  Ledger ledger({.tokens = 1000, .calls = 1});
  ASSERT_TRUE(ledger.reserve({}, {}, "a"));
  EXPECT_FALSE(ledger.reserve({}, {}, "a"));
  EXPECT_THAT(ledger.refusal(), HasSubstr("1 model calls"));
  ledger.raise({.calls = 2});
  EXPECT_TRUE(ledger.reserve({}, {}, "a"));
  EXPECT_EQ(ledger.refusal(), "") << "the latest call was not refused";
  Usage worst;
  worst.prompt_tokens = 1001;
  ledger.raise({.calls = 9});
  EXPECT_FALSE(ledger.reserve(worst, {}, "a")) << "other bounds stay";
}

TEST(Exchanges, ARecordedRunAsksNothingTwice) {
  platform::FakeClock clock;
  MemoryExchanges store;
  const auto run = [&](std::deque<Result<ChatReply>> answers, int& calls) {
    auto inner = std::make_unique<ListModel>(std::move(answers));
    ListModel& list = *inner;
    RecordModel model(std::move(inner), store, clock);
    std::vector<std::string> texts;
    Listener listener;
    for (const char* scope : {"attempt 1", "attempt 1", "attempt 2"}) {
      listener.call.scope = scope;
      const auto reply = model.complete(question("same"), listener.call);
      texts.push_back(reply ? reply->text : "failed");
    }
    calls = list.calls;
    return texts;
  };
  int calls = 0;
  // The third call fails: only completed replies are kept.
  EXPECT_THAT(run({says("one"), says("two"), trouble(Advice::GiveUp)}, calls),
              ElementsAre("one", "two", "failed"));
  EXPECT_EQ(store.size(), 2u);
  EXPECT_THAT(run({says("three")}, calls), ElementsAre("one", "two", "three"));
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(run({says("never")}, calls), ElementsAre("one", "two", "three"));
  EXPECT_EQ(calls, 0);
}

TEST(Exchanges, TheCacheServesAcrossScopesButKeepsNoBadReply) {
  platform::FakeClock clock;
  MemoryExchanges store;
  ChatReply cut = says("half");
  cut.stop = StopReason::Length;
  const auto ask = [&](Result<ChatReply> answer, const std::string& scope) {
    CacheModel model(std::make_unique<ListModel>(std::deque<Result<ChatReply>>{answer}), store,
                     clock);
    Listener listener;
    listener.call.scope = scope;
    return *model.complete(question("q"), listener.call);
  };
  EXPECT_EQ(ask(cut, "a").text, "half");
  ChatReply whole = says("whole");
  whole.cost_usd = 0.5;
  EXPECT_EQ(ask(whole, "b").origin, ReplyOrigin::Model);
  const ChatReply again = ask(says("never"), "c");
  EXPECT_EQ(again.text, "whole");
  EXPECT_EQ(again.origin, ReplyOrigin::Cache);
}

TEST(Exchanges, FilesHoldThemAndAreChecked) {
  const auto folder = *platform::TempDir::create();
  FolderExchanges store(folder.path() / "deep" / "er");
  EXPECT_EQ(*store.find("k"), std::nullopt);
  Exchange exchange{"k", "m", "s", question("q"), says("r"), "t"};
  ASSERT_TRUE(store.keep(exchange));
  const auto found = store.find("k");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->reply, exchange.reply);
  ASSERT_TRUE(platform::write_file_atomic(folder.path() / "deep" / "er" / "k.json", "{", false));
  EXPECT_FALSE(store.find("k"));
}

TEST(Estimate, CallsCostBetweenLikelyAndWorst) {
  ExpectedCalls plan{.calls = 10, .worst_calls = 20, .prompt_bytes = 35'000};
  plan.worst_prompt_bytes = 84'000;
  plan.likely_reply_tokens = 1000;
  plan.max_tokens = 8000;
  const CostEstimate estimate = estimate_calls(plan, price_of(1, 10));
  EXPECT_EQ(estimate.likely.prompt_tokens, 100'000);
  EXPECT_EQ(estimate.worst.prompt_tokens, 840'000) << "the longest prompt, at 2 bytes a token";
  EXPECT_DOUBLE_EQ(*estimate.likely_usd, 0.1 + 0.1);
  EXPECT_DOUBLE_EQ(*estimate.worst_usd, 0.84 + 1.6);
  const CostEstimate unpriced = estimate_calls(plan, {});
  EXPECT_EQ(unpriced.worst_usd, std::nullopt);

  EXPECT_EQ(sum_of(estimate, unpriced).worst_usd, std::nullopt);
  EXPECT_EQ(sum_of(estimate, unpriced).worst.total(), 2 * estimate.worst.total());
  const CostEstimate dearer = estimate_calls(plan, price_of(3, 30));
  const CostEstimate one = one_of({estimate, dearer});
  EXPECT_DOUBLE_EQ(*one.worst_usd, *dearer.worst_usd);
  EXPECT_DOUBLE_EQ(*one.likely_usd, 2 * *estimate.likely_usd) << "the mean of one and three";
  EXPECT_EQ(one.likely.total(), estimate.likely.total());
}

/// Returns a vector for each text, and counts tokens only if told to.
class FakeEmbeddings final : public EmbeddingModel {
 public:
  explicit FakeEmbeddings(std::int64_t tokens) : tokens_(tokens) {}
  Result<Embeddings> embed(const std::vector<std::string>& texts, Call&) override {
    Embeddings all;
    all.vectors.assign(texts.size(), {1, 0});
    all.usage.prompt_tokens = tokens_;
    return all;
  }
  const std::string& name() const override { return name_; }

 private:
  std::int64_t tokens_;
  std::string name_ = "openai:embedder";
};

TEST(BudgetEmbeddings, CountAsChatsDoAndAreRefusedBeforeTheyAreSent) {
  Price price;
  price.prompt_usd = 1000;
  Ledger ledger({.usd = 1.0});
  Call call;
  BudgetEmbeddings counted(std::make_unique<FakeEmbeddings>(40), ledger, price);
  ASSERT_TRUE(counted.embed({std::string(100, 'a')}, call));
  EXPECT_EQ(ledger.spent().calls, 1);
  EXPECT_EQ(ledger.spent().tokens, 40);
  EXPECT_NEAR(ledger.spent().usd, 0.04, 1e-12);
  const auto refused = counted.embed({std::string(4000, 'a')}, call);
  ASSERT_FALSE(refused) << "2000 tokens may cost two dollars";
  EXPECT_EQ(refused.error().advice, Advice::Stop);
  EXPECT_EQ(ledger.spent().calls, 1);

  BudgetEmbeddings silent(std::make_unique<FakeEmbeddings>(0), ledger, price);
  const auto estimated = silent.embed({std::string(350, 'a')}, call);
  ASSERT_TRUE(estimated);
  EXPECT_TRUE(estimated->usage.is_estimated) << "a server that counts nothing is not free";
  EXPECT_GE(estimated->usage.prompt_tokens, 100);
  EXPECT_EQ(ledger.spent().tokens, 40 + estimated->usage.prompt_tokens);
}

}  // namespace
}  // namespace kw::llm
