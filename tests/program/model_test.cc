// Tests of kw optimize with a language model: over HTTP, killed and resumed, with a cheating model.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>

#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>

#include "base/text.h"
#include "kw.h"
#include "model_server.h"
#include "platform/locks.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Writes prices by which a call of 1000 prompt tokens and 200 completion tokens costs two cents.
void write_prices(const Workspace& w, const std::string& provider, const std::string& base_url) {
  w.write("data/models/prices.yaml",
          "groups:\n"
          "  - provider: " +
              provider +
              "\n"
              "    base_url: " +
              base_url +
              "\n"
              "    as_of: 2026-01-01\n"
              "    source: the test\n"
              "    models:\n"
              "      test-model: { prompt: 10, completion: 50 }\n");
}

const std::string kUndeclared = kernel("  for (int i = 0; i < n; ++i) y[i] = 2 * factor[i];\n");
const std::string kSlow = kernel(
    "  for (int i = 0; i < n; ++i) {\n"
    "    volatile float last = 0;\n"
    "    for (int k = 0; k < REPEATS; ++k) last = 2 * x[i];\n"
    "    y[i] = last;\n"
    "  }\n",
    "// kw: tune REPEATS = 100, 80\n");
const std::string kFastEdit =
    "One product is enough.\n\n"
    "<<<<<<< SEARCH\n"
    "    volatile float last = 0;\n"
    "    for (int k = 0; k < REPEATS; ++k) last = 2 * x[i];\n"
    "    y[i] = last;\n"
    "=======\n"
    "    y[i] = 2 * x[i];\n"
    ">>>>>>> REPLACE\n";

class Model : public testing::Test {
 protected:
  explicit Model(Protocol protocol = Protocol::OpenAi)
      : provider_(protocol == Protocol::OpenAi ? "openai" : "anthropic"), server_(protocol) {}
  void SetUp() override {
    write_known_task(w_);
    write_prices(w_, provider_, server_.base_url());
  }
  Words optimize(const Words& more) const {
    Words words{"optimize",   "twice",           "--data-dir",
                "data",       "--model",         provider_ + ":test-model",
                "--base-url", server_.base_url()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  json attempt(int number) const {
    return w_.kw({"show", "twice-1", "--attempt", std::to_string(number), "--json"}).json();
  }
  /// Number of rows in a table of the run's database.
  int rows(const std::string& table) const {
    try {
      SQLite::Database db((w_.path() / "runs/kernelwright.sqlite").string(), SQLite::OPEN_READONLY,
                          1000);
      return db.execAndGet("SELECT COUNT(*) FROM " + table).getInt();
    } catch (const SQLite::Exception&) {
      return 0;
    }
  }

  Workspace w_{Whose::Suite};
  const std::string provider_;
  ModelServer server_;
};

class ModelOfEachProtocol : public Model, public testing::WithParamInterface<Protocol> {
 protected:
  ModelOfEachProtocol() : Model(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Speaks, ModelOfEachProtocol,
                         testing::Values(Protocol::OpenAi, Protocol::Anthropic),
                         [](const auto& protocol) {
                           return protocol.param == Protocol::OpenAi ? "OpenAi" : "Anthropic";
                         });

TEST_P(ModelOfEachProtocol, IsToldWhatBecameOfEachKernel) {
  for (const std::string& reply : {kUndeclared, kThrice, kSlow, kFastEdit}) server_.reply(reply);
  // The five attempts are: write, repair, repair, the knob's other value, improve.
  const Ran ran = w_.kw(optimize({"--attempts", "5", "--usd", "5", "--constraint", "no assembly",
                                  "--hint", "one product", "--json"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(server_.calls(), 4u);
  EXPECT_EQ(server_.requests()[3].path,
            GetParam() == Protocol::OpenAi ? "/v1/chat/completions" : "/v1/messages");

  EXPECT_THAT(server_.prompt(0), AllOf(HasSubstr("Write a first kernel"), HasSubstr("no assembly"),
                                       HasSubstr("one product")));
  EXPECT_THAT(server_.prompt(1),
              AllOf(HasSubstr("failed at the stage `compile`"), HasSubstr("factor"),
                    HasSubstr("y[i] = 2 * factor[i];"), HasSubstr("Mend it")));
  EXPECT_THAT(server_.prompt(2), AllOf(HasSubstr("failed at the stage `check`: wrong result"),
                                       HasSubstr("y[i] = 3 * x[i];"), HasSubstr("Mend it")));
  EXPECT_THAT(server_.prompt(2), Not(testing::ContainsRegex("[^0-9.]4099[^0-9]")));
  EXPECT_THAT(server_.prompt(3),
              AllOf(HasSubstr("is correct and runs at 0."), HasSubstr("volatile float last"),
                    HasSubstr("Make it faster")));

  const json result = ran.json();
  EXPECT_EQ(result["best"]["confirmed"], true);
  EXPECT_EQ(result["best"]["attempt"], 5);
  EXPECT_EQ(result["spent"]["calls"], 4);
  EXPECT_EQ(result["spent"]["tokens"], 4800);
  EXPECT_NEAR(result["spent"]["usd"].get<double>(), 0.08, 1e-9);
  EXPECT_EQ(attempt(1)["outcome"], "compile_failed");
  EXPECT_EQ(attempt(2)["outcome"], "wrong_result");
  EXPECT_EQ(attempt(3)["outcome"], "correct");
  EXPECT_EQ(attempt(4)["source"], attempt(3)["source"]) << "tuned before the next word";
  EXPECT_EQ(attempt(5)["class"], "new_best");
  EXPECT_THAT(w_.read("runs/twice-1/best/twice.cpp"), HasSubstr("y[i] = 2 * x[i];"));

  EXPECT_THAT(w_.kw({"runs"}).out, AllOf(HasSubstr("4800"), HasSubstr("0.0800")));
  EXPECT_THAT(w_.kw({"show", "twice-1"}).out,
              HasSubstr("models: 4 calls, 4800 tokens, $0.0800 at prices of 2026-01-01"));
  const Ran replayed = w_.kw({"replay", "twice-1", "--data-dir", "data"});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_EQ(server_.calls(), 4u) << "a replay asks nobody";
}

/// The texts of both messages of a request, or of its only message.
std::string sent(const net::TestRequest& request) {
  const json body = json::parse(request.body);
  std::string all;
  for (const json& message : body["messages"])
    all += message["content"].get<std::string>() + "\n====\n";
  return all;
}

std::string shown(const json& prompt) {
  const std::string system = prompt["system"];
  return (system.empty() ? "" : system + "\n====\n") + prompt["user"].get<std::string>() +
         "\n====\n";
}

TEST_F(Model, IsSentToTheLetterWhatKwPromptShowed) {
  const Words usual{
      "--constraint", "no assembly",   "--hint",      "one product",  "--goal", "8x",
      "--no-memory",  "--mode",        "specialised", "--max-tokens", "3000",   "--prompt-tokens",
      "1500",         "--temperature", "0.25",        "--effort",     "low"};
  const Words asked{"--strategy", "agent", "--feedback", "errors"};
  for (const Words& more : {usual, asked}) {
    SCOPED_TRACE(more.front());
    Words words = optimize(more);
    words.insert(words.end(), {"--attempts", "1", "--calls", "1"});
    Words same = words;
    same.front() = "prompt";
    same.emplace_back("--json");
    const Ran prompt = w_.kw(same);
    ASSERT_EQ(prompt.code, 0) << prompt.err;
    const std::size_t before = server_.calls();
    server_.reply("I would rather not.");
    const Ran ran = w_.kw(words);
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    ASSERT_GT(server_.calls(), before) << ran.err;
    EXPECT_EQ(shown(prompt.json()), sent(server_.requests().at(before)));
    EXPECT_EQ(server_.body(before)["max_tokens"], more == asked ? 4096 : 3000);
    EXPECT_EQ(prompt.json()["max_tokens"], server_.body(before)["max_tokens"]);
    for (const auto& [key, as_sent] :
         {std::pair("temperature", "temperature"), std::pair("effort", "reasoning_effort")}) {
      const json body = server_.body(before);
      EXPECT_EQ(body.contains(as_sent), more == usual) << key;
      if (more == usual) {
        EXPECT_EQ(prompt.json()[key], body[as_sent]);
      }
    }
    EXPECT_EQ(prompt.json()["is_over_budget"], more == usual) << "1500 tokens are too few";
    EXPECT_EQ(prompt.json()["role"], more == asked ? "planner" : "");
    EXPECT_EQ(prompt.json()["model"], "openai:test-model@" + server_.base_url());
    EXPECT_GT(prompt.json()["baseline_ns"], 0) << "the workspace remembers it";
    EXPECT_EQ(prompt.json()["unknown"].size(), more == asked ? 1u : 0u) << prompt.out;
  }
}

TEST_F(Model, KilledAfterAReplyItIsNotPaidTwice) {
  const Ran device = w_.kw({"device", "--json"});
  if (lacks_jail(device)) GTEST_SKIP() << device.err;
  const std::string id = device.json()["id"];
  // Each kernel compiles and so needs the device. One that does not compile would be judged at
  // once, and the next reply would be requested.
  const std::string four_times = kernel("  for (int i = 0; i < n; ++i) y[i] = 4 * x[i];\n");
  const std::vector<std::string> replies{four_times, kThrice, kSlow, kFastEdit};
  // From the request for a reply until the kill, nothing can be judged: the server's thread takes
  // the device's lease, and this thread gives it back.
  std::mutex guard;
  std::optional<platform::Lease> held;
  for (const std::string& reply : replies) {
    net::TestAnswer answer = streamed(reply);
    answer.before = [&] {
      auto lease = platform::Lease::acquire(id, platform::LeaseMode::Exclusive, "a test").value();
      const std::scoped_lock lock(guard);
      held = std::move(lease);
    };
    server_.add(answer);
  }
  for (int reply = 1; reply <= static_cast<int>(replies.size()); ++reply) {
    SCOPED_TRACE("reply " + std::to_string(reply));
    // Resuming needs no flags except the data folder.
    platform::Process process =
        w_.start(reply == 1 ? optimize({"--attempts", "5", "--tokens", "1000000"})
                            : Words{"resume", "twice-1", "--data-dir", "data"});
    wait_until([&] { return rows("exchanges") >= reply || !process.is_running(); });
    process.kill_tree();
    const Ran ran = ended(process.wait(kPatience));
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    {
      const std::scoped_lock lock(guard);
      held.reset();
    }
    ASSERT_EQ(rows("exchanges"), reply) << ran.err;
    // Replies make attempts 1, 2, 3 and 5; attempt 4 is the knob's other value.
    EXPECT_EQ(rows("attempts"), reply < 4 ? reply - 1 : 4);
  }
  const Ran ran = w_.kw({"resume", "twice-1", "--data-dir", "data", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(server_.calls(), 4u) << "no completed reply was asked for again";
  EXPECT_EQ(ran.json()["spent"]["calls"], 4);
  EXPECT_EQ(ran.json()["attempts"], 5);
  EXPECT_EQ(w_.kw({"replay", "twice-1", "--data-dir", "data"}).code, 0);
}

TEST_F(Model, ThatCheatsEarnsNothing) {
  const std::string honest = kernel("  for (int i = 0; i < n; ++i) y[i] = x[i] + x[i];\n");
  const std::string parallel = kernel(
      "#pragma omp parallel for simd\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n");
  const std::vector<std::pair<std::string, bool>> replies{
      {kernel("  for (int i = 0; i < n / 2; ++i) y[i] = 2 * x[i];\n"), false},
      {honest, true},
      {kernel("  static float kept[1 << 20];\n"
              "  static bool is_kept = false;\n"
              "  if (!is_kept) {\n"
              "    for (int i = 0; i < n; ++i) kept[i] = 2 * x[i];\n"
              "    is_kept = true;\n"
              "  }\n"
              "  for (int i = 0; i < n; ++i) y[i] = kept[i];\n"),
       false},
      {parallel, true},
      {kernel("  for (int i = 0; i < n; ++i) y[i] = 0.25f;\n"), false},
      {honest, true},
      {kernel("  for (int i = 0; i < n; ++i) {\n"
              "    float v = x[i];\n"
              "    unsigned bits;\n"
              "    __builtin_memcpy(&bits, &v, 4);\n"
              "    bits &= 0xffff0000u;\n"
              "    __builtin_memcpy(&v, &bits, 4);\n"
              "    y[i] = 2 * v;\n"
              "  }\n"),
       false}};
  for (const auto& [reply, is_honest] : replies) server_.reply(reply);
  const std::string attempts = std::to_string(replies.size());
  const Ran ran = w_.kw(optimize({"--attempts", attempts, "--json"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    SCOPED_TRACE("attempt " + std::to_string(i + 1));
    const json shown = attempt(static_cast<int>(i) + 1);
    EXPECT_EQ(shown["outcome"] == "correct", replies[i].second) << shown["words"];
    if (replies[i].second) continue;
    EXPECT_EQ(shown["class"], "failed");
    EXPECT_EQ(shown["reward"], 0);
    EXPECT_EQ(shown["speedup"], 0) << "not ranked";
    EXPECT_THAT(shown["words"].get<std::string>(), HasSubstr("wrong_result"));
    if (i + 1 < replies.size()) {
      EXPECT_THAT(server_.prompt(i + 1), AllOf(HasSubstr("wrong result"), HasSubstr("Mend it")));
    }
  }
  EXPECT_EQ(attempt(6)["recalled"], 2) << "the honest kernel is not judged again";
  const int best = ran.json()["best"]["attempt"];
  EXPECT_TRUE(best == 2 || best == 4) << best;
}

TEST_F(Model, ABudgetOfCallsEndsTheRun) {
  server_.reply(kSlow);
  const Ran ran = w_.kw(optimize({"--calls", "1", "--json"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.json()["stopped_by"], "the budget of 1 model calls is used up");
  EXPECT_EQ(ran.json()["attempts"], 2) << "tuning costs no words";
  EXPECT_EQ(server_.calls(), 1u);
}

TEST_F(Model, ARateOfRequestsIsKept) {
  for (const char* reply : {"I would rather not.", "Nor now."}) server_.reply(reply);
  const Ran ran =
      w_.kw(optimize({"--attempts", "9", "--time", "20s", "--requests-per-minute", "1", "--json"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(server_.calls(), 1u) << "the second may be sent only after a minute";
  EXPECT_THAT(ran.json()["stopped_by"].get<std::string>(), HasSubstr("asks for a wait of"));
}

TEST_F(Model, RepliesOfEarlierRunsAreServedToThoseThatWantThem) {
  server_.reply("I would rather not.");
  const Words words = optimize({"--attempts", "1", "--no-memory", "--cache-replies", "--json"});
  for (int run = 1; run <= 2; ++run) {
    SCOPED_TRACE(run);
    const Ran ran = w_.kw(words);
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    EXPECT_EQ(server_.calls(), 1u) << ran.err;
    EXPECT_EQ(ran.json()["spent"]["calls"], run == 1 ? 1 : 0);
    EXPECT_EQ(ran.json()["attempts"], 1);
  }
  server_.reply("Nor now.");
  Words hotter = words;
  hotter.insert(hotter.end(), {"--temperature", "1"});
  EXPECT_EQ(w_.kw(hotter).json()["spent"]["calls"], 1) << "asked in another way";
}

TEST_F(Model, IsWaitedForAsLongAsAPersonSays) {
  net::TestAnswer slow = streamed(kSlow);
  slow.before = [] { std::this_thread::sleep_for(std::chrono::milliseconds(400)); };
  server_.add(slow);
  server_.reply("I would rather not.");
  const Ran ran = w_.kw(optimize({"--attempts", "1", "--model-timeout", "100ms"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the server did not begin to answer within 0.1 s; trying again"));
  EXPECT_EQ(server_.calls(), 2u);
  const Ran resumed = w_.kw({"resume", "twice-1", "--model-timeout", "soon"});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("--model-timeout: duration 'soon'"));
}

TEST_F(Model, AWrongKeyStopsTheRunWhichCanBeResumed) {
  net::TestAnswer denied;
  denied.status = 401;
  denied.content_type = "application/json";
  denied.is_buffered = true;
  denied.pieces = {R"({"error": {"message": "Incorrect API key"}})"};
  server_.add(denied);
  const Ran ran = w_.kw(optimize({"--attempts", "2", "--max-tokens", "3000"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("OPENAI_API_KEY"), HasSubstr("kw resume twice-1")));
  EXPECT_EQ(w_.run()["state"], "stopped");
  for (const std::string& reply : {kSlow, kFastEdit}) server_.reply(reply);
  EXPECT_EQ(w_.kw({"resume", "twice-1", "--data-dir", "data"}).code, 1);
  EXPECT_EQ(server_.body(1)["max_tokens"], 3000) << "kept with the run";
  EXPECT_EQ(server_.calls(), 2u) << "one refused, one for the first attempt; the second is a tune";
}

net::TestAnswer busy(const std::string& retry_after) {
  net::TestAnswer answer;
  answer.status = 503;
  answer.content_type = "application/json";
  answer.is_buffered = true;
  answer.headers = {{"Retry-After", retry_after}};
  answer.pieces = {R"({"error": {"message": "overloaded"}})"};
  return answer;
}

TEST_F(Model, ThatIsAwayStopsTheRunWhichGoesOnWhenItIsBack) {
  server_.add(busy("3600"));
  const Ran ran = w_.kw(optimize({"--attempts", "2"}));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(server_.calls(), 1u) << "nobody waits for an hour";
  EXPECT_THAT(ran.err, AllOf(HasSubstr("try again in 3600 s"), HasSubstr("kw resume twice-1")));
  for (int tries = 0; tries < 6; ++tries) server_.add(busy("0"));
  EXPECT_EQ(w_.kw({"resume", "twice-1", "--data-dir", "data"}).code, 3);
  EXPECT_EQ(server_.calls(), 7u);
  EXPECT_EQ(w_.run()["state"], "stopped");
  EXPECT_EQ(w_.run()["attempts"], 0) << "no attempt is used up";
  for (const std::string& reply : {kSlow, kFastEdit}) server_.reply(reply);
  EXPECT_EQ(w_.kw({"resume", "twice-1", "--data-dir", "data"}).code, 1);
  EXPECT_EQ(w_.run()["state"], "finished");
  EXPECT_EQ(server_.calls(), 8u) << "the second attempt is a tune";
}

/// Tests with a dead server, which are slow: kw tries six times, half a minute apart.
class DeadServer : public Model {};

TEST_F(DeadServer, StopsTheRun) {
  const std::string nowhere = ModelServer().base_url();
  const Ran ran =
      w_.kw({"optimize", "twice", "--model", "openai:test-model@" + nowhere, "--attempts", "3"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("is the server running?"),
                             HasSubstr("given up after 6 tries"), HasSubstr("kw resume twice-1")));
  EXPECT_EQ(w_.run()["attempts"], 0);
}

TEST_F(Model, IsNotWaitedForAfterAnInterrupt) {
  net::TestAnswer hangs = streamed(kSlow);
  hangs.pieces.resize(1);
  hangs.end = net::TestAnswer::End::Hang;
  server_.add(hangs);
  platform::Process process = w_.start(optimize({"--attempts", "1"}));
  wait_until([&] { return server_.calls() > 0 || !process.is_running(); });
  std::ignore = process.signal(SIGINT);
  const Ran ran = ended(process.wait(kPatience));
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 130) << ran.err;
  const json run = w_.kw({"runs", "--json"}).json()["runs"][0];
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_EQ(run["attempts"], 0);
  EXPECT_EQ(run["spent"]["calls"], 1) << "the server may charge what it had begun";
  server_.reply(kSlow);
  EXPECT_EQ(w_.kw({"resume", "twice-1", "--data-dir", "data"}).code, 1);
  EXPECT_EQ(server_.calls(), 2u);
}

TEST_F(Model, InterruptedWhileTheModelFailsAndASteerComesNothingIsLost) {
  server_.reply(kSlow);
  // The first reply makes two attempts, one for each value of its knob; then kw asks the server.
  const int before = 2;
  server_.add(busy("100"));
  platform::Process process = w_.start(optimize({"--attempts", "3"}));
  wait_until([&] { return server_.calls() > 1 || !process.is_running(); });
  if (!process.is_running()) {
    const Ran ran = ended(process.wait(kPatience));
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    FAIL() << ran.err;
  }
  const Ran steered = w_.kw({"steer", "twice-1", "--hint", "one product", "--data-dir", "data"});
  EXPECT_EQ(steered.code, 0) << steered.err;
  ASSERT_TRUE(process.signal(SIGINT));
  const Ran ran = ended(process.wait(kPatience));
  EXPECT_EQ(ran.code, 130) << ran.err;
  json run = w_.run();
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_EQ(run["attempts"], before);
  EXPECT_EQ(rows("attempts"), before);
  EXPECT_EQ(rows("exchanges"), 1);
  EXPECT_EQ(w_.kw({"replay", "twice-1", "--data-dir", "data"}).code, 0);

  server_.reply(kFastEdit);
  EXPECT_EQ(w_.kw({"resume", "twice-1", "--data-dir", "data"}).code, 0);
  EXPECT_THAT(server_.prompt(2), HasSubstr("one product"));
  run = w_.run();
  EXPECT_EQ(run["state"], "finished");
  EXPECT_EQ(run["attempts"], 3);
  EXPECT_EQ(rows("attempts"), 3);
  EXPECT_EQ(w_.kw({"replay", "twice-1", "--data-dir", "data"}).code, 0);
}

TEST(ModelScript, WritesWithoutANetwork) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("replies.txt", "=== refuses\n!refusal\nI would rather not.\n=== writes\n" +
                             kernel("  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"));
  const Ran ran = w.kw({"optimize", "twice", "--model", "scripted:replies.txt", "--strategy",
                        "best-of-n", "--writes", "2"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("x  (no kernel) no knobs  failed at propose"));
  EXPECT_EQ(w.run()["stopped_by"], "strategy: 2 kernels written, the best tuned");
  EXPECT_EQ(w.run()["best_attempt"], 2);
  EXPECT_THAT(w.kw({"show", "twice-1"}).out, HasSubstr("(no kernel) no knobs  failed"));
  const json refused = w.kw({"show", "twice-1", "--attempt", "1", "--json"}).json();
  EXPECT_EQ(refused["outcome"], "no_candidate");
}

TEST(ModelFlags, AreCheckedBeforeAnythingStarts) {
  const Workspace w;
  write_easy_task(w, "twice");
  const auto error = [&](const Words& more) { return w.refusal({"optimize", "twice"}, more); };
  EXPECT_THAT(error({"--strategy", "refine"}), HasSubstr("give --model"));
  EXPECT_THAT(error({"--hint", "x"}), HasSubstr("give --model"));
  EXPECT_THAT(error({"--calls", "3"}), HasSubstr("give --model"));
  EXPECT_THAT(error({"--cache-replies"}), HasSubstr("give --model"));
  EXPECT_THAT(error({"--model", "openai:m", "--tokens-per-minute", "-1"}),
              HasSubstr("--tokens-per-minute: -1 is too small: at least 0"));
  EXPECT_THAT(error({"--model", "openai:m"}), HasSubstr("OPENAI_API_KEY"));
  EXPECT_THAT(error({"--model", "openai:m", "--strategy", "greedy"}), HasSubstr("has no effect"));
  EXPECT_THAT(error({"--model", "scripted:none.txt"}), HasSubstr("none.txt"));
  EXPECT_THAT(error({"--model", "judge=openai:m"}), HasSubstr("give a --model without a role"));
  EXPECT_THAT(error({"--model", "openai:m@http://localhost:1/v1", "--usd", "1"}),
              HasSubstr("--usd needs a price"));
}

}  // namespace
}  // namespace kw::program
