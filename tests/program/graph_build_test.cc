// Tests of kw graph build: from runs, from the playbook on this machine, with names from a model;
// and a graph that one model taught helps another model.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// The edge between two techniques as `kw graph --json` shows it; null if there is none.
json edge_of(const Workspace& w, const std::string& from, const std::string& to) {
  const json graph = w.kw({"graph", "--json"}).json();
  for (const json& edge : graph["edges"])
    if (edge["from"] == from && edge["to"] == to) return edge;
  return nullptr;
}

/// The JSON output of kw graph build.
json built(const Workspace& w, const Words& more = {}) {
  Words words{"graph", "build", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Ran ran = w.kw(words);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return ran.json();
}

/// A model's reply that names the steps of a run, with one item for each step.
std::string names(const Words& methods) {
  json items = json::array();
  for (const std::string& method : methods)
    items.push_back({{"method", method}, {"existed", "no"}});
  return "===\n" + items.dump() + "\n";
}

/// The text with the task's name "twice" replaced by "other".
std::string renamed(std::string text) {
  for (std::size_t at = 0; (at = text.find("twice")) != std::string::npos;)
    text.replace(at, 5, "other");
  return text;
}

class GraphBuild : public testing::Test {
 protected:
  /// A task with the same work under another name. The same task could not be used, since prompts
  /// show no examples from it.
  void write_other_task() const {
    for (const char* file : {"task.yaml", "shapes.yaml", "spec.md", "reference.cpp"})
      w_.write(std::string("other/") + file, renamed(w_.read(std::string("twice/") + file)));
  }
  /// Makes a run of two kernels, the second made from the first.
  void SetUp() override {
    write_known_task(w_);
    w_.write("first.txt", "===\n" + reply_of(slow_twice(80, "tiling")) + "===\n" +
                              reply_of(slow_twice(48, "tiling, unrolling")));
    const Ran ran = w_.kw({"optimize", "twice", "--strategy", "coder-judge", "--preset", "paper",
                           "--judge", "rules", "--model", "scripted:first.txt", "--attempts", "2",
                           "--no-memory", "--json"});
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    ASSERT_LT(ran.code, 2) << ran.err;
  }

  Workspace w_{Whose::Suite};
};

TEST_F(GraphBuild, OneModelsRunsAndThePlaybookServeAnother) {
  EXPECT_EQ(built(w_)["verified"], 2);
  const json step = edge_of(w_, "tiling", "unrolling");
  ASSERT_FALSE(step.is_null());
  EXPECT_EQ(step["count"]["worked"], 1);
  EXPECT_THAT(step["examples"][0]["before"].get<std::string>(), HasSubstr("k < 80"));
  EXPECT_THAT(step["examples"][0]["after"].get<std::string>(), HasSubstr("k < 48"));
  EXPECT_THAT(edge_of(w_, "start", "tiling")["examples"][0]["before"].get<std::string>(),
              HasSubstr("void reference("));

  // A model names the steps of the run. A reply that does not fit leaves the run out, and --keep
  // adds to the existing graph.
  w_.write("names.txt", names({"cutting", "rolling out"}));
  EXPECT_EQ(built(w_, {"--model", "scripted:names.txt"})["verified"], 2);
  EXPECT_FALSE(edge_of(w_, "cutting", "rolling out").is_null());
  EXPECT_TRUE(edge_of(w_, "tiling", "unrolling").is_null()) << "made anew";
  w_.write("short.txt", names({"cutting"}));
  const Ran unread = w_.kw({"graph", "build", "--model", "scripted:short.txt"});
  EXPECT_THAT(unread.err, HasSubstr("the steps of a run are left out"));
  EXPECT_TRUE(edge_of(w_, "start", "cutting").is_null());
  w_.write("one.json",
           R"({"format": 1, "nodes": ["start"], "edges": [{"from": "start", "to": "magic"}]})");
  ASSERT_EQ(w_.kw({"graph", "import", "one.json"}).code, 0);
  built(w_, {"--keep"});
  EXPECT_FALSE(edge_of(w_, "start", "magic").is_null());
  EXPECT_EQ(edge_of(w_, "tiling", "unrolling")["count"]["tried"], 1);

  // On another task, another model's prompt shows the step with its figures and the code that was
  // written.
  write_other_task();
  w_.write("second.txt", "===\n{\"technique\": \"tiling\", \"reason\": \"it worked\"}\n===\n" +
                             renamed(reply_of(slow_twice(64, "tiling"))));
  const Ran ran = w_.kw({"optimize", "other", "--strategy", "graph-walk", "--guide", "llm",
                         "--model", "scripted:second.txt", "--attempts", "1", "--json"});
  ASSERT_LT(ran.code, 2) << ran.err;
  EXPECT_THAT(w_.kw({"prompt", "other-1", "--attempt", "1"}).out,
              AllOf(HasSubstr("tried 1 times, worked 1"), HasSubstr("k < 80")));
  EXPECT_EQ(edge_of(w_, "start", "tiling")["count"]["tried"], 2);
}

TEST_F(GraphBuild, WhatTheGraphHasCountedIsAddedOnce) {
  built(w_);
  EXPECT_EQ(edge_of(w_, "tiling", "unrolling")["count"]["tried"], 1);
  EXPECT_EQ(edge_of(w_, "start", "tiling")["value"]["visits"], 2);
  EXPECT_EQ(built(w_, {"--keep"})["verified"], 0) << "the run is in it";
  EXPECT_EQ(edge_of(w_, "tiling", "unrolling")["count"]["tried"], 1);
  EXPECT_EQ(edge_of(w_, "start", "tiling")["value"]["visits"], 2);
  // The graph also shows steps that a run taught while it searched.
  w_.write("walks.txt", "===\n{\"technique\": \"tiling\", \"reason\": \"it worked\"}\n===\n" +
                            reply_of(slow_twice(72, "tiling")));
  const Ran ran = w_.kw({"optimize", "twice", "--strategy", "graph-walk", "--guide", "llm",
                         "--model", "scripted:walks.txt", "--attempts", "1", "--json"});
  ASSERT_LT(ran.code, 2) << ran.err;
  const json taught = edge_of(w_, "start", "tiling");
  EXPECT_EQ(taught["count"]["tried"], 2);
  built(w_, {"--keep"});
  EXPECT_EQ(edge_of(w_, "start", "tiling")["count"], taught["count"]);
  EXPECT_EQ(edge_of(w_, "start", "tiling")["value"], taught["value"]);
  EXPECT_EQ(built(w_)["verified"], 3) << "made anew of both";
  EXPECT_EQ(edge_of(w_, "start", "tiling")["count"]["tried"], 2);
  EXPECT_EQ(edge_of(w_, "start", "tiling")["value"]["visits"], 3);
}

TEST_F(GraphBuild, ABudgetEndsTheAskingAndWhatWasNamedIsKept) {
  w_.write("again.txt", "===\n" + reply_of(slow_twice(72, "fusing")) + "===\n" +
                            reply_of(slow_twice(40, "fusing, skewing")));
  const Ran second =
      w_.kw({"optimize", "twice", "--strategy", "coder-judge", "--preset", "paper", "--judge",
             "rules", "--model", "scripted:again.txt", "--attempts", "2", "--no-memory", "--json"});
  ASSERT_LT(second.code, 2) << second.err;
  w_.write("names.txt", names({"cutting", "rolling out"}) + names({"melting", "slanting"}));
  const json all = built(w_, {"--model", "scripted:names.txt", "--calls", "2"});
  EXPECT_EQ(all["verified"], 4);
  EXPECT_EQ(all["ended_by"], "") << "as many as are wanted";
  EXPECT_EQ(all["unnamed"], 0);
  EXPECT_EQ(all["spent"]["calls"], 2);

  const Ran bounded =
      w_.kw({"graph", "build", "--json", "--model", "scripted:names.txt", "--calls", "1"});
  EXPECT_EQ(bounded.code, 0) << bounded.err;
  const json some = bounded.json();
  EXPECT_EQ(some["verified"], 2);
  EXPECT_EQ(some["unnamed"], 2);
  EXPECT_EQ(some["ended_by"], "the budget of 1 model calls is used up");
  EXPECT_THAT(bounded.err, HasSubstr("asked any more: the budget of 1 model calls is used up; "
                                     "steps that it has named are kept, 2 steps are left out"));
  EXPECT_FALSE(edge_of(w_, "cutting", "rolling out").is_null());
  EXPECT_TRUE(edge_of(w_, "melting", "slanting").is_null());
  w_.write("rest.txt", names({"melting", "slanting"}));
  EXPECT_EQ(built(w_, {"--keep", "--model", "scripted:rest.txt"})["verified"], 2) << "the others";
  EXPECT_FALSE(edge_of(w_, "cutting", "rolling out").is_null());
  EXPECT_FALSE(edge_of(w_, "melting", "slanting").is_null());

  const Ran none = w_.kw({"graph", "build", "--model", "scripted:names.txt", "--tokens", "10"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.err,
              AllOf(HasSubstr("10 tokens has 10 left"), HasSubstr("4 steps are left out")));
  EXPECT_EQ(w_.kw({"graph", "build", "--calls", "1"}).code, 2) << "bounds nobody";
  const Ran unpriced =
      w_.kw({"graph", "build", "--model", "openai:x@http://localhost:9/v1", "--usd", "1"});
  EXPECT_EQ(unpriced.code, 2);
  EXPECT_THAT(unpriced.err, HasSubstr("--usd needs a price"));
}

TEST_F(GraphBuild, ThePlaybooksKernelsAreMeasuredOnceAgainstThoseBeforeThem) {
  w_.write("data/playbook/twice/10_plain.cpp", slow_twice(64, "plain"));
  w_.write("data/playbook/twice/20_short.cpp", slow_twice(32, "plain, fewer_steps"));
  const Words data{"--data-dir", "data"};
  const auto told = built(w_, {"--data-dir", "data", "--playbook", "--task", "twice"});
  EXPECT_EQ(told["measured"], 2);
  const json step = edge_of(w_, "plain", "fewer_steps");
  ASSERT_FALSE(step.is_null());
  EXPECT_EQ(step["count"]["worked"], 1);
  EXPECT_GT(step["count"]["gain"].get<double>(), 0.2) << "half the steps";
  EXPECT_THAT(step["examples"][0]["after"].get<std::string>(), HasSubstr("k < 32"));
  EXPECT_EQ(built(w_, data)["measured"], 2) << "known from then on";
  built(w_, {"--data-dir", "data", "--keep"});
  EXPECT_EQ(edge_of(w_, "plain", "fewer_steps")["count"]["tried"], 1) << "counted once";
  EXPECT_EQ(built(w_)["measured"], 0) << "the shipped playbook was not asked for";
}

}  // namespace
}  // namespace kw::program
