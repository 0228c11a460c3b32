// Tests that trajectories and traces are written correctly, and that trajectories can be read back.
// SPDX-License-Identifier: Apache-2.0
#include "report/export.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/error_for_test.h"
#include "base/text.h"
#include "record/codec.h"
#include "report/run_for_test.h"

namespace kw::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Trajectories, KnowOnlyWhatHadBeenTold) {
  RunData data = run_data();
  data.run.config.outstanding = 2;
  Trajectories trajectories(data);
  std::string text;
  for (const Attempt& a : attempts()) text += trajectories.line(a);
  const auto lines = split_lines(text);
  ASSERT_EQ(lines.size(), 4u);
  std::vector<int> told;
  std::vector<int> best;
  for (const std::string_view line : lines) {
    const json step = json::parse(line);
    told.push_back(step["state"]["told"]);
    best.push_back(step["state"]["best_attempt"]);
  }
  EXPECT_THAT(told, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(best, ElementsAre(0, 0, 0, 2));
  const json second = json::parse(lines[1]);
  EXPECT_EQ(second["action"]["source"], "// source\n");
  EXPECT_EQ(second["action"]["ask"]["id"], 1);
  EXPECT_EQ(second["outcome_class"], "new_best");
  EXPECT_EQ(second["verdict"]["outcome"], "correct");
}

TEST(Trajectories, SayWhoWroteAndWhatItCost) {
  RunData data = run_data();
  data.run.spent = {0.5, 4800, 4, 1};
  Attempt a = attempts().front();
  const json nobody = json::parse(Trajectories(data).line(a))["action"];
  EXPECT_EQ(nobody["writer"], json());
  EXPECT_EQ(nobody["calls"], 0);
  EXPECT_EQ(nobody["cost_usd"], 0.0);
  a.writer = "openai:m";
  a.plan = "Tile the rows.";
  a.exchanges = {"key of the plan", "key of the code"};
  a.usage = {1200, 600, 0, 300, false};
  a.cost_usd = 0.0125;
  json action = json::parse(Trajectories(data).line(a))["action"];
  const std::vector<std::string> authorship{"writer", "plan", "calls", "usage", "cost_usd"};
  for (const auto& [key, value] : nobody.items())
    if (!contains(authorship, key)) action.erase(key);
  EXPECT_EQ(action.dump(), R"({"calls":2,"cost_usd":0.0125,"plan":"Tile the rows.","usage":{)"
                           R"("cache_write_tokens":0,"cached_tokens":600,"completion_tokens":300,)"
                           R"("is_estimated":false,"prompt_tokens":1200},"writer":"openai:m"})");
  data.run.spent = {0, 4800, 4, 4};
  a.cost_usd = 0;
  EXPECT_EQ(json::parse(Trajectories(data).line(a))["action"]["cost_usd"], json())
      << "no price is known";
}

TEST(Trajectories, LeaveOutWhatNobodyAnswered) {
  const RunData data = run_data();
  Attempt a = attempts().front();
  a.evaluation.verdict = {Stage::Propose, Outcome::NoCandidate, "400", Reason::NoAnswer};
  EXPECT_EQ(Trajectories(data).line(a), "");
}

TEST(Trajectories, AreReadBackAsFarAsTheyGo) {
  const RunData data = run_data();
  Trajectories trajectories(data);
  for (Attempt a : attempts()) {
    a.parent = a.number - 1;
    a.chosen = "tiling";
    a.writer = a.number == 1 ? "" : "openai:m";
    a.plan = "Tile the rows.";
    a.usage.prompt_tokens = 1200;
    a.cost_usd = 0.5;
    a.evaluation.roofline_fraction = 0.3;
    a.evaluation.object_sha256 = "abc";
    const auto back = read_trajectory(trajectories.line(a), "x.jsonl:1");
    ASSERT_TRUE(back) << describe(back.error());
    EXPECT_EQ(encode(back->candidate), encode(a.candidate));
    a.evaluation.stage_ns.clear();
    EXPECT_EQ(encode(back->evaluation), encode(a.evaluation));
    EXPECT_EQ(encode(line_of(*back)), encode(line_of(a)));
    EXPECT_EQ(back->ask, a.ask);
    EXPECT_EQ(back->chosen, "tiling");
    EXPECT_EQ(back->writer, a.writer);
    EXPECT_EQ(back->usage, a.usage);
    EXPECT_EQ(back->cost_usd, 0.5);
  }
}

TEST(Trajectories, WhatIsNoneIsAnErrorAtItsPlace) {
  const RunData data = run_data();
  json step = json::parse(Trajectories(data).line(attempts().front()));
  const auto complaint = [](const std::string& text) { return read_trajectory(text, "x.jsonl:3"); };
  for (const char* text : {"", "nonsense"}) {
    EXPECT_THAT(complaint(text), IsErrorAbout(ErrorCode::Malformed, "")) << text;
    EXPECT_THAT(complaint(text), IsErrorAt(StartsWith("x.jsonl:3"))) << text;
  }
  for (const char* text : {"[1]", "{}", "{\"action\":1}"}) {
    EXPECT_THAT(complaint(text), IsErrorAbout(ErrorCode::Malformed, "action")) << text;
    EXPECT_THAT(complaint(text), IsErrorAt("x.jsonl:3")) << text;
  }
  step["reward"] = "much";
  EXPECT_THAT(complaint(step.dump()), IsError(ErrorCode::Malformed));
  EXPECT_THAT(complaint(step.dump()), IsErrorAt(HasSubstr("reward")));
  step = json::parse(Trajectories(data).line(attempts().front()));
  step["verdict"] = 3;
  EXPECT_THAT(complaint(step.dump()), IsErrorAt(HasSubstr("verdict")));
  step.erase("measured");
  EXPECT_THAT(complaint(step.dump()), IsErrorAbout(ErrorCode::Malformed, "measured"));
}

TEST(ChromeTrace, SlicesFollowOneAnotherWithStagesInside) {
  RunData data = run_data();
  Evaluation confirmation = *data.confirmation;
  confirmation.id = "saxpy-1-confirm-4";
  ChromeTrace chrome;
  std::string text = chrome.begin(data);
  for (const Attempt& a : attempts()) text += chrome.attempt(a);
  text += chrome.event({1, "note", 4500, "{}"});
  text += chrome.event({2, "confirm", 6000, encode(confirmation)});
  const json trace = json::parse(text + chrome.end());
  std::vector<std::string> names;
  std::vector<double> starts;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    names.push_back(event["name"]);
    starts.push_back(event["ts"]);
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
  ASSERT_GE(names.size(), 8u);
  EXPECT_EQ(names[0], "1 tiled");
  EXPECT_DOUBLE_EQ(starts[0], 0.4) << "ended at 1 us and took 0.6";
  EXPECT_THAT((std::vector<std::string>{names[1], names[2], names[3]}),
              ElementsAre("compile", "check", "measure"));
  EXPECT_DOUBLE_EQ(starts[3], 0.7);
  EXPECT_THAT(names, testing::Contains("saxpy-1-confirm-4"));
}

TEST(ChromeTrace, ModelsCompilerAndDeviceHaveLanesOfTheirOwn) {
  Attempt written = tiled_attempt(1, OutcomeClass::NewBest, 2);
  written.evaluation.stage_ns["propose"] = 400;
  written.usage.completion_tokens = 77;
  ChromeTrace chrome;
  const json trace = json::parse(chrome.begin(run_data()) + chrome.attempt(written) + chrome.end());
  std::map<int, std::string> lanes;
  std::map<std::string, std::string> lane_of;
  for (const json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
    if (event["ph"] == "X") lane_of[event["name"]] = lanes.at(event["tid"]);
    if (event["name"] == "propose") {
      EXPECT_EQ(event["args"]["completion_tokens"], 77);
    }
  }
  EXPECT_EQ(lane_of, (std::map<std::string, std::string>{{"1 tiled", "attempts"},
                                                         {"propose", "models"},
                                                         {"compile", "compiler"},
                                                         {"check", "device"},
                                                         {"measure", "device"}}));
}

TEST(ChromeTrace, ARecalledVerdictTookNoTime) {
  Attempt recalled = tiled_attempt(2, OutcomeClass::NoGain, 2);
  recalled.recalled = 1;
  recalled.evaluation.stage_ns["propose"] = 400;
  EXPECT_EQ(spent_ns(recalled), (std::map<std::string, double>{{"propose", 400}}));
  ChromeTrace chrome;
  const std::string head = chrome.begin(run_data());
  EXPECT_THAT(head + chrome.attempt(recalled), Not(HasSubstr("\"measure\"")));
}

}  // namespace
}  // namespace kw::report
