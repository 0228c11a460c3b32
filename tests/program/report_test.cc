// Tests of a run's output for people and other programs: the page, the trace, the comparison; and
// of what kw shows about models before it sends a request.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Makes a run on a synthetic landscape, which needs no device and no compiler.
void search(const Workspace& w, const std::string& attempts) {
  const Ran ran = w.kw({"optimize", "synthetic:7", "--attempts", attempts, "--json"});
  ASSERT_LE(ran.code, 1) << ran.err;
}

TEST(Report, IsOneFileBesideTheRun) {
  const Workspace w;
  search(w, "8");
  const json made = w.kw({"report", "synthetic-1", "--json"}).json();
  EXPECT_EQ(made["attempts"], 8);
  EXPECT_EQ(made["listed"], 8);
  const std::string html = w.read("runs/synthetic-1/report.html");
  EXPECT_EQ(made["bytes"], html.size());
  EXPECT_THAT(html, AllOf(testing::StartsWith("<!doctype html>"), HasSubstr("default-src 'none'"),
                          HasSubstr("synthetic-1"),
                          HasSubstr("The source of baseline is not shown beside it: the baseline "
                                    "of a landscape is no code.")));
  EXPECT_EQ(w.kw({"report", "synthetic-1", "--out", "page.html"}).out, "page.html\n");
  EXPECT_EQ(w.read("page.html"), html) << "the same run, the same page";
  EXPECT_EQ(w.kw({"report", "synthetic-2"}).code, 2);
}

TEST(Trace, HasALaneForModelsCompilerAndDevice) {
  const Workspace w;
  search(w, "3");
  const json trace = w.kw({"export", "synthetic-1", "--format", "chrome"}).json();
  std::vector<std::string> lanes;
  for (const json& event : trace["traceEvents"])
    if (event["name"] == "thread_name") lanes.push_back(event["args"]["name"]);
  EXPECT_THAT(lanes, testing::ElementsAre("attempts", "models", "compiler", "device"));
}

TEST(Compare, SetsRunsSideBySide) {
  const Workspace w;
  search(w, "5");
  search(w, "9");
  const json compared =
      w.kw({"compare", "synthetic-1", "synthetic-2", "--svg", "c.svg", "--json"}).json();
  ASSERT_EQ(compared["runs"].size(), 2u);
  EXPECT_TRUE(compared["runs"][0]["against_first"].is_null());
  const json& against = compared["runs"][1]["against_first"];
  ASSERT_TRUE(against.is_object()) << compared.dump();
  EXPECT_LE(against["speedup"]["low"], against["speedup"]["value"]);
  EXPECT_LE(against["speedup"]["value"], against["speedup"]["high"]);
  EXPECT_THAT(w.read("c.svg"), HasSubstr("<svg "));
  EXPECT_THAT(w.kw({"compare", "synthetic-1", "synthetic-2"}).out,
              HasSubstr("synthetic-2 against synthetic-1: "));
}

TEST(Compare, ARunWithoutACorrectKernelHasNoSpeedup) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("wrong.txt", "===\n" + kThrice);
  const Ran ran = w.kw({"optimize", "twice", "--model", "scripted:wrong.txt", "--from-scratch",
                        "--attempts", "1", "--no-memory"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  search(w, "5");
  const std::string table = w.kw({"compare", "twice-1", "synthetic-1"}).out;
  EXPECT_THAT(table, testing::ContainsRegex("twice-1 .* –  +–  not confirmed"));
  EXPECT_EQ(table.find("0.000x"), std::string::npos) << table;
}

const Words kKey{"OPENAI_API_KEY=sk-secret-of-the-test"};

TEST(Models, TellsWhichKeysArePresentAndNeverTheirValues) {
  const Workspace w;
  const Ran without = w.kw({"models", "--json"});
  ASSERT_EQ(without.code, 0) << without.err;
  const json shown = without.json();
  EXPECT_EQ(shown["keys"].size(), 2u);
  for (const json& key : shown["keys"]) EXPECT_EQ(key["is_present"], false) << key;
  EXPECT_GT(shown["prices"].size(), 0u);
  const Ran with = w.kw({"models", "--model", "openai:gpt-4.1", "--json"}, kKey);
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_THAT(with.out + with.err + w.kw({"models"}, kKey).out, Not(HasSubstr("sk-secret")));
  const json model = with.json()["models"][0];
  EXPECT_EQ(model["is_ready"], true);
  EXPECT_TRUE(model["price"].is_object());
  const json missing = w.kw({"models", "--model", "openai:gpt-4.1", "--json"}).json()["models"][0];
  EXPECT_EQ(missing["is_ready"], false);
  EXPECT_THAT(missing["trouble"].get<std::string>(), HasSubstr("OPENAI_API_KEY"));
}

TEST(Estimate, SaysWhatARunMayCostBeforeItStarts) {
  const Workspace w;
  const auto estimate = [&](const std::string& attempts) {
    const Ran ran = w.kw({"estimate", "saxpy", "--model", "openai:gpt-4.1", "--model",
                          "openai:local@http://localhost:1/v1", "--attempts", attempts, "--json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.json();
  };
  const json ten = estimate("10"), twenty = estimate("20");
  // The prompt may have 24,000 tokens of 3.5 bytes; in the worst case a token has 2 bytes, which
  // gives 42,000 tokens.
  EXPECT_EQ(ten["total"]["worst"]["prompt_tokens"], 10 * 42000) << "one of the two writes";
  EXPECT_EQ(ten["total"]["worst"]["completion_tokens"], 10 * 16384);
  EXPECT_TRUE(ten["total"]["worst_usd"].is_null()) << "one of the prices is unknown";
  const json agent = w.kw({"estimate", "saxpy", "--model", "manual:a", "--model",
                           "planner=manual:b", "--strategy", "agent", "--attempts", "10", "--json"})
                         .json();
  EXPECT_EQ(agent["models"][0]["calls"], 20) << "it writes, and plays the critic";
  EXPECT_EQ(agent["models"][1]["calls"], 10);
  EXPECT_GT(agent["total"]["worst"]["prompt_tokens"], 10 * (1 + 2 + 2) * 42000);
  EXPECT_EQ(w.kw({"estimate", "saxpy", "--model", "manual:a", "--model", "critic=manual:b"}).code,
            2);
  ASSERT_EQ(ten["models"].size(), 2u);
  const double likely = ten["models"][0]["likely_usd"], worst = ten["models"][0]["worst_usd"];
  EXPECT_GT(likely, 0);
  EXPECT_GT(worst, likely);
  EXPECT_GT(twenty["models"][0]["likely_usd"], likely);
  EXPECT_TRUE(ten["models"][1]["likely_usd"].is_null()) << "no price, no dollars";
  EXPECT_GT(ten["prompt_bytes"], 1000);
  EXPECT_EQ(w.kw({"estimate", "saxpi", "--model", "openai:gpt-4.1"}).code, 2);
}

}  // namespace
}  // namespace kw::program
