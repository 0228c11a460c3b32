// Tests of specs, keys and their redaction, prices, scripts, the scripted and the manual model.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/error_for_test.h"
#include "llm/budget.h"
#include "llm/manual.h"
#include "llm/memory_exchanges_for_test.h"
#include "llm/open_model.h"
#include "llm/prices.h"
#include "llm/providers.h"
#include "llm/reply_parts.h"
#include "llm/script.h"
#include "llm/scripted.h"
#include "llm/secret.h"
#include "llm/spec.h"
#include "llm/thinking.h"
#include "llm/wire.h"
#include "net/fake_http_for_test.h"
#include "platform/files.h"

namespace kw::llm {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Spec, ReadsRoleProviderNameAndAddress) {
  const auto plain = *parse_model_spec("openai:gpt-4.1");
  EXPECT_EQ(plain.provider, *provider_named("openai"));
  EXPECT_EQ(plain.name, "gpt-4.1");
  EXPECT_EQ(plain.base_url, "https://api.openai.com/v1");
  EXPECT_EQ(plain.text(), "openai:gpt-4.1");
  const auto judge = *parse_model_spec("judge=anthropic:claude-x");
  EXPECT_EQ(judge.role, "judge");
  EXPECT_EQ(judge.base_url, "https://api.anthropic.com");
  const auto local = *parse_model_spec("openai:org/qwen:7b@http://localhost:8000/v1/");
  EXPECT_EQ(local.name, "org/qwen:7b");
  EXPECT_EQ(local.base_url, "http://localhost:8000/v1");
  EXPECT_EQ(local.text(), "openai:org/qwen:7b@http://localhost:8000/v1");
  EXPECT_EQ(parse_model_spec("openai:m", "https://proxy/v1")->base_url, "https://proxy/v1");
  EXPECT_EQ(parse_model_spec("manual:/tmp/a=b", "https://proxy/v1")->base_url, "");
  EXPECT_EQ(parse_model_spec("scripted:dir/x.txt")->name, "dir/x.txt");
}

TEST(Spec, RefusesWithASuggestion) {
  EXPECT_THAT(parse_model_spec("opnai:x"), IsErrorAbout(ErrorCode::BadInput, "provider"));
  for (const auto& [bad, about] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "provider"},
           {"gpt-4", "provider"},
           {"openai:", "name"},
           {"9=openai:x", "role"},
           {"openai:x@http://", "base URL"},
           {"openai:x@https://u:p@h/v1", "secret"},
           {"manual:", "folder"},
           {"openai:x@https://h/v1?key=1", "secret"}})
    EXPECT_THAT(parse_model_spec(bad), IsErrorAbout(ErrorCode::BadInput, about)) << bad;
  EXPECT_THAT(parse_model_spec("openai:x@https://u:hunter2@h/v1"), IsErrorWithout("hunter2"));
  EXPECT_FALSE(parse_model_spec("openai:x", "localhost:8000"));
  for (const char* address : {"localhost:8000/v1", "gpu:8000", "gpu/v1", "localhost"})
    EXPECT_THAT(parse_model_spec(std::string("openai:x@") + address),
                IsErrorAbout(ErrorCode::BadInput, std::string("http://") + address))
        << "a model of that name at the vendor would be sent the task";
  EXPECT_THAT(parse_model_spec("openai:x@u:hunter2@h/v1"), IsErrorWithout("hunter2"));
  EXPECT_THAT(parse_model_spec("openai:x@HTTP://h/v1"),
              IsErrorAbout(ErrorCode::BadInput, "http://h/v1"));
  EXPECT_EQ(parse_model_spec("anthropic:claude-x@20240620")->name, "claude-x@20240620");
  EXPECT_EQ(parse_model_spec("openai:@cf/meta/llama@https://h/v1")->name, "@cf/meta/llama");
}

TEST(Keys, ComeFromTheEnvironmentOnceTrimmed) {
  ::setenv("OPENAI_API_KEY", "  sk-abcdefgh1234\n", 1);
  ::unsetenv("ANTHROPIC_API_KEY");
  const auto keys = keys_from_environment();
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->of(*provider_named("openai")).reveal(), "sk-abcdefgh1234");
  EXPECT_FALSE(keys->of(*provider_named("anthropic")).is_set());
  ::setenv("OPENAI_API_KEY", "sk-abc\r\nX-Injected: 1", 1);
  const auto bad = keys_from_environment();
  EXPECT_THAT(bad, AllOf(IsError(ErrorCode::BadKey), IsErrorAt("OPENAI_API_KEY"),
                         IsErrorWithout("sk-abc")));
  ::unsetenv("OPENAI_API_KEY");
}

TEST(Keys, AreRedactedWhereverTheyStand) {
  Redactor redactor;
  redactor.add(Secret("my-own-token-42"));
  redactor.add(Secret("short"));
  EXPECT_EQ(redactor.redact("a my-own-token-42, my-own-token-42b short"), "a [key], [key]b short");
  EXPECT_EQ(redactor.redact("provided: sk-proj-****abcd."), "provided: [key].");
  EXPECT_EQ(redactor.redact("task-list disk-based sk-x"), "task-list disk-based sk-x");
}

TEST(Prices, KnowModelsTheirDatesAndTheirServers) {
  const auto table = PriceTable::parse(R"(
groups:
  - provider: openai
    as_of: 2026-01-01
    source: https://example.org
    models:
      m: { prompt: 2, cached: 0.5, completion: 8 }
      m-2024-05-13: { prompt: 5, completion: 15 }
  - provider: openai
    base_url: http://localhost:8000/v1/
    as_of: 2026-01-01
    source: my own power bill
    models: { m: { prompt: 0, completion: 0.25 } }
)",
                                       "p.yaml");
  ASSERT_TRUE(table) << describe(table.error());
  const auto price = [&](const char* spec) { return table->find(*parse_model_spec(spec)); };
  EXPECT_EQ(price("openai:m")->cached_usd, 0.5);
  EXPECT_EQ(price("openai:m")->cache_write_usd, 2);
  EXPECT_EQ(price("openai:m-2025-04-14")->prompt_usd, 2);
  EXPECT_EQ(price("openai:m-2024-05-13")->prompt_usd, 5);
  EXPECT_FALSE(price("openai:m-mini"));
  EXPECT_FALSE(price("openai:m-mini-2025-04-14"));
  EXPECT_FALSE(price("anthropic:m"));
  EXPECT_FALSE(price("openai:m@https://elsewhere/v1"));
  EXPECT_EQ(price("openai:m@http://localhost:8000/v1")->completion_usd, 0.25);
  EXPECT_EQ(price("manual:dir")->completion_usd, 0);
  const auto near_names = [&](const char* spec) {
    return table->near_names(*parse_model_spec(spec));
  };
  EXPECT_EQ(near_names("openai:m-2024-0513"), " (did you mean 'm-2024-05-13'?)");
  EXPECT_EQ(near_names("anthropic:m-2024-0513"), "") << "another vendor";
}

TEST(Prices, OfEmbeddingsAreForWhatIsReadAlone) {
  const auto table = PriceTable::parse(R"(groups:
  - provider: openai
    as_of: 2026-11-20
    source: test
    models: { e: { embedding: 0.5 }, m: { prompt: 1, completion: 2 } }
)",
                                       "p.yaml");
  ASSERT_TRUE(table) << describe(table.error());
  const auto price = table->find(*parse_model_spec("openai:e"));
  ASSERT_TRUE(price);
  EXPECT_DOUBLE_EQ(cost_usd({.prompt_tokens = 2'000'000}, *price), 1.0);
  EXPECT_DOUBLE_EQ(worst_cost_usd({.prompt_tokens = 2'000'000}, *price), 1.0);
  EXPECT_EQ(price->completion_usd, 0);
}

TEST(Prices, ShippedOnesAreReadable) {
  const auto text = platform::read_file(KW_SOURCE_DIR "/models/prices.yaml");
  const auto table = PriceTable::parse(*text, "models/prices.yaml");
  ASSERT_TRUE(table) << describe(table.error());
  for (const Price& price : table->all()) {
    EXPECT_THAT(price.source, testing::StartsWith("https://")) << price.model;
    EXPECT_EQ(price.as_of.size(), 10u) << price.model;
    EXPECT_LE(price.cached_usd, price.prompt_usd) << price.model;
  }
  EXPECT_TRUE(table->find(*parse_model_spec("anthropic:claude-sonnet-4-5-20250929")));
  EXPECT_EQ(table->find(*parse_model_spec("openai:text-embedding-3-small"))->prompt_usd, 0.02);
}

TEST(Prices, ComplainWithAPlace) {
  const auto read = [](const char* text) { return PriceTable::parse(text, "p.yaml"); };
  const auto is_about = [](const char* about) { return IsErrorAbout(ErrorCode::BadInput, about); };
  EXPECT_THAT(read("groups: [ { provider: x } ]"),
              AllOf(is_about("provider"), IsErrorAt("p.yaml:1:23")));
  EXPECT_THAT(read("grops: []"), is_about("grops"));
  EXPECT_THAT(read("groups: {"),
              AllOf(is_about("YAML"), IsErrorAt(testing::StartsWith("p.yaml:1"))));
  EXPECT_THAT(read("groups: [ { provider: openai, as_of: a, source: b, models: { m: { prompt: -1, "
                   "completion: 2 } } } ]"),
              is_about("prompt"));
  EXPECT_THAT(read("7"), is_about("mapping"));
  EXPECT_THAT(
      read("groups: [ { provider: openai, as_of: a, source: b, models: { m: { embedding: 1, "
           "completion: 2 } } } ]"),
      is_about("completion"));
}

TEST(RetryAfter, IsSecondsADateOrMilliseconds) {
  const auto of = [](const char* name, const char* value) {
    return retry_after_of({429, {{name, value}}}, 1'000'000'000);
  };
  EXPECT_EQ(of("retry-after", "3"), milliseconds(3000));
  EXPECT_EQ(of("retry-after", "0.5"), milliseconds(500));
  EXPECT_EQ(of("retry-after-ms", "120"), milliseconds(120));
  EXPECT_EQ(of("retry-after", "Sun, 09 Sep 2001 01:47:10 GMT"), milliseconds(30'000));
  EXPECT_EQ(of("retry-after", "Sun, 09 Sep 2001 01:00:00 GMT"), milliseconds(0));
  for (const char* bad : {"soon", "", "-3", "1e99", "nan"})
    EXPECT_FALSE(of("retry-after", bad)) << bad;
}

TEST(Thinking, IsPartedFromText) {
  const auto part = [](std::string_view text) {
    const PartedReply parted = part_thinking(text);
    return parted.thinking + "|" + parted.text + (parted.is_open ? "|open" : "");
  };
  EXPECT_EQ(part("<think>a</think>b"), "a|b");
  EXPECT_EQ(part("<THINK>a</Think >b"), "a|b");
  EXPECT_EQ(part("[THINK]a[/THINK]b[i]"), "a|b[i]");
  EXPECT_EQ(part("<thinking>\na\n</thinking>\n\nb\n<thought>c</thought>\n"), "a\nc|b");
  EXPECT_EQ(part(" \n<think>cut"), "cut||open");
  EXPECT_EQ(part("b\n<think>cut"), "cut|b|open");
  EXPECT_EQ(part("a</think>b"), "a|b");
  EXPECT_EQ(part("<think>I close it with </think> now</think>b"), "now\nI close it with|b");
  EXPECT_EQ(part("```\na\n```\n</think>"), "|```\na\n```\n</think>") << "the code stands before";
  EXPECT_EQ(part("```\na\n```\n</think>\n```\nb\n```"), "```\na\n```|```\nb\n```");
  EXPECT_EQ(part("plain"), "|plain");
  EXPECT_EQ(part("say <think> and </think>"), "|say <think> and </think>");
  EXPECT_EQ(part(""), "|");
  EXPECT_EQ(part("</think>"), "|</think>");
}

constexpr const char* kScript = R"(# remarks before the first entry

=== the first answer
!usage prompt=1200 cached=1000 completion=300
!model m-1
!thinking tile it
Here it is:
\!not a directive
\=== nor a separator

===
!429 retry-after=2
slow down
===
!cut
half a
=== !ignored words after the separator
!refusal
I will not.
===
!empty
===
!length
!repeat 2
for (
===
!hang
)";

TEST(Script, ReadsEntriesDirectivesAndText) {
  const auto script = parse_script(kScript, "s.txt");
  ASSERT_TRUE(script) << describe(script.error());
  ASSERT_EQ(script->size(), 7u);
  EXPECT_EQ((*script)[0].reply.text, "Here it is:\n!not a directive\n=== nor a separator\n");
  EXPECT_EQ((*script)[0].reply.usage, (Usage{1200, 1000, 0, 300, false}));
  EXPECT_EQ((*script)[0].reply.thinking, "tile it\n");
  EXPECT_EQ((*script)[1].status, 429);
  EXPECT_EQ((*script)[1].retry_after, milliseconds(2000));
  EXPECT_EQ((*script)[3].reply.stop, StopReason::Refusal);
  EXPECT_EQ((*script)[4].reply.text, "");
  EXPECT_EQ((*script)[5].repeat, 2);
}

TEST(Script, ComplainsWithAPlace) {
  const auto read = [](const char* text) { return parse_script(text, "s.txt"); };
  const auto is_about = [](const char* about) { return IsErrorAbout(ErrorCode::BadInput, about); };
  EXPECT_THAT(read("hello"), AllOf(is_about("==="), IsErrorAt("s.txt:1:1")));
  EXPECT_THAT(read(""), is_about("entry"));
  EXPECT_THAT(read("===\n!refusl\n"), AllOf(is_about("refusl"), IsErrorAt("s.txt:2:1")));
  EXPECT_THAT(read("===\n<<<<<<< SEARCH\na\n=======\nb\n"),
              AllOf(is_about("======="), IsErrorAt("s.txt:4:1")));
  EXPECT_THAT(read("===\n!usage prompt=x"), is_about("number"));
  EXPECT_THAT(read("===\n!usage tokens=1"), is_about("usage"));
  EXPECT_THAT(read("===\n!200"), is_about("status"));
  EXPECT_THAT(read("===\n!429 later"), is_about("retry-after"));
}

ScriptedOptions scripted_options(platform::Clock& clock, std::int64_t position = 0) {
  ScriptedOptions options;
  options.name = "scripted:s.txt";
  options.clock = &clock;
  options.position = position;
  return options;
}

TEST(Scripted, PlaysItsEntriesInOrder) {
  platform::FakeClock clock;
  const auto model = make_scripted_chat(*parse_script(kScript, "s.txt"), scripted_options(clock));
  Call call;
  std::string heard;
  call.on_delta = [&](const Delta& delta) { heard += delta.text; };
  const auto first = model->complete({}, call);
  ASSERT_TRUE(first);
  EXPECT_EQ(heard, "tile it\n" + first->text);
  EXPECT_EQ(first->model, "m-1");
  EXPECT_EQ(first->cost_usd, 0);
  const auto limited = model->complete({}, call);
  EXPECT_EQ(limited.error().advice, Advice::Retry);
  EXPECT_EQ(call.report.retry_after, milliseconds(2000));
  EXPECT_THAT(limited, IsError(ErrorCode::TooManyRequests));
  EXPECT_EQ(model->complete({}, call).error().advice, Advice::Retry);
  EXPECT_GT(call.report.spent.completion_tokens, 0);
  EXPECT_EQ(model->complete({}, call)->stop, StopReason::Refusal);
  EXPECT_EQ(why_unusable(*model->complete({}, call)), "the reply is empty");
  EXPECT_EQ(model->complete({}, call)->stop, StopReason::Length);
  EXPECT_EQ(model->complete({}, call)->stop, StopReason::Length);
  const auto hung = model->complete({}, call);
  EXPECT_THAT(hung, IsErrorAbout(ErrorCode::TimedOut, "hang"));
  EXPECT_EQ(clock.now_ns(), 300'000'000'000);
  const auto over = model->complete({}, call);
  EXPECT_EQ(over.error().advice, Advice::Stop);
  EXPECT_THAT(over, IsErrorAbout(ErrorCode::Missing, "entry 9"));

  const auto resumed =
      make_scripted_chat(*parse_script(kScript, "s.txt"), scripted_options(clock, 3));
  EXPECT_EQ(resumed->complete({}, call)->stop, StopReason::Refusal);
}

/// A clock that calls back whenever it is read, as the person who answers.
class BusyClock final : public platform::Clock {
 public:
  std::int64_t now_ns() const override { return inner_.now_ns(); }
  std::int64_t wall_seconds() const override { return inner_.wall_seconds(); }
  void sleep_for(platform::Nanoseconds duration) override {
    inner_.sleep_for(duration);
    ++looks;
    if (on_look) on_look(looks);
  }
  int looks = 0;
  std::function<void(int)> on_look;

 private:
  platform::FakeClock inner_;
};

struct ManualTest : testing::Test {
  platform::TempDir folder = *platform::TempDir::create();
  BusyClock clock;
  Call call;
  std::vector<std::string> notices;

  ManualTest() {
    call.on_notice = [this](const std::string& notice) { notices.push_back(notice); };
  }
  std::unique_ptr<ChatModel> open() {
    ManualOptions options;
    options.folder = folder.path();
    options.clock = &clock;
    options.timeout = std::chrono::seconds(10);
    auto model = make_manual_chat(options);
    EXPECT_TRUE(model) << describe(model.error());
    return std::move(*model);
  }
  void write(const char* name, const char* text) {
    EXPECT_TRUE(platform::write_file_atomic(folder.path() / name, text, false));
  }
  std::string read(const char* name) { return *platform::read_file(folder.path() / name); }
};

ChatRequest words(const char* text) {
  ChatRequest request;
  request.messages = {{ChatRole::System, "rules"}, {ChatRole::User, text}};
  return request;
}

TEST_F(ManualTest, WaitsForAReplyThatIsCompletelyWritten) {
  const auto model = open();
  clock.on_look = [&](int look) {
    if (look == 1) write("001.reply.md", "");
    if (look == 2) write("001.reply.md", "half");
    if (look == 3) write("001.reply.md", "half and the rest");
  };
  const auto reply = model->complete(words("first"), call);
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "half and the rest");
  EXPECT_EQ(reply->cost_usd, 0);
  EXPECT_EQ(read("001.prompt.md"),
            "<!-- prompt -->\n\n# Instructions\n\nrules\n\n# Message\n\nfirst\n");
  EXPECT_THAT(notices, ElementsAre(AllOf(HasSubstr("001.reply.md"), HasSubstr("001.prompt.md"))));
}

TEST_F(ManualTest, TakesUpAPromptThatAnEarlierProcessAsked) {
  {
    const auto model = open();
    call.scope = "attempt 1";
    EXPECT_THAT(model->complete(words("first"), call), IsErrorAbout(ErrorCode::TimedOut, "reply"));
    call.scope = "attempt 2";
    EXPECT_FALSE(model->complete(words("first"), call));
  }
  write("002.reply.md", "answer to the second");
  const auto model = open();
  EXPECT_EQ(model->complete(words("first"), call)->text, "answer to the second");
  EXPECT_FALSE(model->complete(words("first"), call));  // the same question gets a new number
  EXPECT_THAT(read("003.prompt.md"), HasSubstr("attempt 2"));
  EXPECT_THAT(notices.back(), HasSubstr("003.reply.md"));
}

TEST_F(ManualTest, IsForOneProcessAndCanBeCancelled) {
  const auto model = open();
  ManualOptions options;
  options.folder = folder.path();
  options.clock = &clock;
  EXPECT_FALSE(make_manual_chat(options));
  std::stop_source stop;
  clock.on_look = [&](int) { stop.request_stop(); };
  call.cancel = stop.get_token();
  EXPECT_EQ(model->complete(words("first"), call).error().advice, Advice::Stop);
}

TEST_F(ManualTest, AnInterruptedWaitIsNoCallOfItsOwn) {
  Ledger ledger({.calls = 1});
  const auto ask = [&] {
    return BudgetModel(open(), ledger, Price{}).complete(words("first"), call);
  };
  std::stop_source stop;
  clock.on_look = [&](int) { stop.request_stop(); };
  call.cancel = stop.get_token();
  EXPECT_FALSE(ask());
  EXPECT_EQ(ledger.spent().calls, 0);
  clock.on_look = {};
  call.cancel = {};
  write("001.reply.md", "the answer");
  const auto reply = ask();
  ASSERT_TRUE(reply) << describe(reply.error());
  EXPECT_EQ(reply->text, "the answer");
  EXPECT_EQ(ledger.spent().calls, 1);
}

TEST(OpenModel, WrapsAProviderInTheDecoratorsOfARun) {
  const auto folder = *platform::TempDir::create();
  const auto script = folder.path() / "s.txt";
  ASSERT_TRUE(platform::write_file_atomic(script, "===\n!529\n===\nhello\n", false));
  platform::FakeClock clock;
  net::FakeHttp http;
  MemoryExchanges records;
  Ledger ledger({.calls = 3});
  ModelSurroundings around;
  around.http = &http;
  around.clock = &clock;
  around.ledger = &ledger;
  around.records = &records;
  const auto spec = *parse_model_spec("scripted:" + script.string());
  Call call;
  call.scope = "attempt 1";
  {
    const auto model = open_model(spec, around);
    ASSERT_TRUE(model) << describe(model.error());
    const auto reply = (*model)->complete(words("q"), call);
    ASSERT_TRUE(reply) << describe(reply.error());
    EXPECT_EQ(reply->attempts, 2);
    EXPECT_EQ(ledger.spent().calls, 2);
  }
  around.script_position = 2;  // another process: the script is used up, but the reply was recorded
  const auto again = (*open_model(spec, around))->complete(words("q"), call);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->text, "hello\n");
  EXPECT_EQ(ledger.spent().calls, 2);
}

TEST(OpenModel, SaysWhatIsMissingAndWarns) {
  platform::FakeClock clock;
  net::FakeHttp http;
  ModelSurroundings around;
  around.http = &http;
  around.clock = &clock;
  const auto no_key = open_model(*parse_model_spec("anthropic:claude-x"), around);
  EXPECT_THAT(no_key, IsErrorAbout(ErrorCode::BadKey, "ANTHROPIC_API_KEY"));
  EXPECT_TRUE(open_model(*parse_model_spec("openai:m@http://localhost:1/v1"), around));
  EXPECT_FALSE(open_model(*parse_model_spec("scripted:/nowhere/s.txt"), around));
  EXPECT_THAT(open_embeddings(*parse_model_spec("manual:x"), around),
              IsErrorAbout(ErrorCode::Unsupported, "embeddings"));
  around.keys.set(*provider_named("openai"), Secret("sk-something-long"));
  EXPECT_THAT(warnings_for(*parse_model_spec("openai:m@http://far.example/v1"), around),
              ElementsAre(HasSubstr("price is not known"), HasSubstr("unencrypted")));
  EXPECT_THAT(warnings_for(*parse_model_spec("openai:m@http://localhost:1/v1"), around),
              ElementsAre(HasSubstr("price is not known")));
  EXPECT_TRUE(warnings_for(*parse_model_spec("manual:x"), around).empty());
}

}  // namespace
}  // namespace kw::llm
