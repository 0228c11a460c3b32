// Tests of a synthetic run and of every command that shows a finished run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Words synthetic(int attempts, const Words& more = {}) {
  Words words{"optimize", "synthetic:7", "--attempts", std::to_string(attempts)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Runs : public testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = w_.kw(synthetic(30, {"--json", "--save-attempts", "kept"}));
    ASSERT_EQ(ran.code, 0) << ran.err;
    optimized_ = ran.json();
  }
  Workspace w_;
  json optimized_;
};

TEST_F(Runs, OptimizeAnswersAndLeavesAFolder) {
  EXPECT_EQ(optimized_["run"], "synthetic-1");
  EXPECT_EQ(optimized_["attempts"], 30);
  EXPECT_EQ(optimized_["best"]["confirmed"], true);
  EXPECT_GT(optimized_["best"]["speedup"]["low"], 1.0);
  for (const char* file :
       {"best/synthetic.cpp", "progress.svg", "roofline.svg", "results.csv", "decisions.log"})
    EXPECT_NE(w_.read(std::string("runs/synthetic-1/") + file), "") << file;
  EXPECT_EQ(w_.read("runs/synthetic-1/best/certificate.json"), "") << "a landscape proves nothing";
  const auto kept = platform::list_dir(w_.path() / "kept");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 30u);
  EXPECT_THAT(kept->front(), StartsWith("001_idea-"));
}

TEST_F(Runs, AreListedAndShown) {
  const Ran table = w_.kw({"runs"});
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out,
              AllOf(HasSubstr("synthetic-1"), HasSubstr("finished"), HasSubstr("confirmed")));
  const json run = w_.kw({"runs", "--json"}).json()["runs"][0];
  EXPECT_EQ(run["name"], "synthetic-1");
  EXPECT_EQ(run["attempts"], 30);

  const json shown = w_.kw({"show", "synthetic-1", "--json"}).json();
  ASSERT_EQ(shown["attempts"].size(), 30u);
  EXPECT_EQ(shown["attempts"][0]["number"], 1);
  EXPECT_EQ(shown["confirmation"]["speedup"], optimized_["best"]["speedup"]);
  EXPECT_THAT(w_.kw({"show", "synthetic-1"}).out, HasSubstr("CONFIRMED attempt"));
}

TEST_F(Runs, AnAttemptIsShownWhole) {
  const Ran text = w_.kw({"show", "synthetic-1", "--attempt", "3"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(StartsWith("attempt 3 of synthetic-1"), HasSubstr("why: "),
                              HasSubstr("// synthetic idea")));
  const json attempt = w_.kw({"show", "synthetic-1", "--attempt", "3", "--json"}).json();
  EXPECT_EQ(attempt["number"], 3);
  EXPECT_TRUE(attempt["evaluation"]["verdict"].is_object());
  const Ran beyond = w_.kw({"show", "synthetic-1", "--attempt", "31"});
  EXPECT_EQ(beyond.code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("this run has no attempt 31; it has 30"));
}

TEST_F(Runs, ExportsHaveTheirForms) {
  const std::string lines = w_.kw({"export", "synthetic-1"}).out;
  const auto each = split_lines(lines);
  ASSERT_EQ(each.size(), 30u);
  for (const std::string_view line : each) {
    const json step = json::parse(line);
    for (const char* key : {"state", "action", "outcome_class", "reward", "verdict"})
      EXPECT_TRUE(step.contains(key)) << key;
    EXPECT_LT(step["state"]["told"], step["attempt"]);
  }
  EXPECT_EQ(w_.kw({"export", "synthetic-1", "--format", "csv"}).out,
            w_.read("runs/synthetic-1/results.csv"));
  const json trace = w_.kw({"export", "synthetic-1", "--format", "chrome"}).json();
  double end = 0;
  int attempts = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "attempt") continue;
    ++attempts;
    EXPECT_GE(event["ts"], end - 1e-6);
    end = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_GE(attempts, 31);  // the confirmation counts as an attempt
  const json written = w_.kw({"export", "synthetic-1", "--json"}).json();
  EXPECT_EQ(w_.read("runs/synthetic-1/export.jsonl"), lines);
  EXPECT_EQ(written["bytes"], lines.size());
}

TEST_F(Runs, RewardsAreComputedAgainByAnyPolicy) {
  const auto rewards = [&](const Words& more) {
    Words words{"export", "synthetic-1"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<double> all;
    const std::string text = w_.kw(words).out;
    for (const std::string_view line : split_lines(text))
      all.push_back(json::parse(line)["reward"]);
    return all;
  };
  const auto stored = rewards({});
  ASSERT_EQ(stored.size(), 30u);
  EXPECT_EQ(rewards({"--reward", "speedup"}), stored) << "the run's own policy";
  const auto kevin = rewards({"--reward", "kevin"});
  for (std::size_t i = 0; i < stored.size(); ++i)
    EXPECT_DOUBLE_EQ(kevin[i], stored[i] > 0 ? stored[i] + 0.3 : 0);
  EXPECT_EQ(w_.kw({"export", "synthetic-1", "--reward", "spedup"}).code, 2);
  EXPECT_EQ(w_.kw({"export", "synthetic-1", "--format", "csv", "--reward", "kevin"}).code, 2);
}

TEST_F(Runs, ReplayIsByteIdenticalAndNoticesADifference) {
  const Ran same = w_.kw({"replay", "synthetic-1", "--json"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.json()["is_identical"], true);
  std::string log = w_.read("runs/synthetic-1/decisions.log");
  log[log.find("reward ") + 7] = '9';
  w_.write("runs/synthetic-1/decisions.log", log);
  const Ran other = w_.kw({"replay", "synthetic-1", "--json"});
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.json()["first_difference"]["line"], 3);
}

TEST_F(Runs, AreCompared) {
  ASSERT_NE(w_.kw(synthetic(30, {"--strategy", "random"})).code, 2);
  const Ran ran = w_.kw({"compare", "synthetic-1", "synthetic-2", "--svg", "both.svg", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json both = ran.json();
  ASSERT_EQ(both["runs"].size(), 2u);
  EXPECT_EQ(both["runs"][1]["strategy"], "random");
  EXPECT_EQ(both["runs"][0]["best_so_far"].size(), 30u);
  EXPECT_TRUE(both["caveats"].empty());
  EXPECT_THAT(w_.read("both.svg"), AllOf(StartsWith("<svg"), HasSubstr("synthetic-2")));
  EXPECT_THAT(w_.kw({"compare", "synthetic-1", "synthetic-2"}).out, HasSubstr("random"));
}

TEST_F(Runs, TheSameSeedDecidesTheSame) {
  w_.kw(synthetic(30));
  EXPECT_EQ(w_.read("runs/synthetic-2/decisions.log"), w_.read("runs/synthetic-1/decisions.log"));
  w_.kw(synthetic(30, {"--outstanding", "3"}));
  EXPECT_EQ(w_.kw({"replay", "synthetic-3"}).code, 0);
}

TEST_F(Runs, AFinishedRunIsNotResumed) {
  const Ran ran = w_.kw({"resume", "synthetic-1"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("this run is finished"));
}

TEST(Sharing, TwoRunsInOneWorkspaceAtOnce) {
  const Workspace w;
  std::vector<platform::Process> both;
  for (int i = 0; i < 2; ++i) both.push_back(w.start(synthetic(60, {"--json"})));
  Words names;
  for (platform::Process& process : both) {
    const Ran ran = ended(process.wait(kPatience));
    EXPECT_EQ(ran.code, 0) << ran.err;
    names.push_back(ran.json()["run"]);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (Words{"synthetic-1", "synthetic-2"}));
  EXPECT_EQ(w.read("runs/synthetic-1/decisions.log"), w.read("runs/synthetic-2/decisions.log"));
}

}  // namespace
}  // namespace kw::program
