// Runs whose models fail as real ones do, after all retries: what stops, what goes on, what is
// told.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "engine/scripted_stack_for_test.h"
#include "engine/writing_run_for_test.h"
#include "propose/counsel.h"
#include "propose/model_proposer.h"

namespace kw::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class UnreachableRun : public WritingRun {
 protected:
  struct Cast {
    std::vector<std::string> writers;          ///< One script for each model that writes.
    std::map<std::string, std::string> roles;  ///< By role: its script.
  };
  Surroundings with_models(const Cast& cast) {
    Surroundings s = surroundings();
    writing_.open = [this, cast](const RunSummary& run) -> Result<Desk> {
      Desk desk;
      desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
      std::vector<llm::ChatModel*> writers;
      for (const std::string& script : cast.writers)
        writers.push_back(&stack_.model("scripted:" + std::to_string(writers.size()), script));
      propose::ModelProposerOptions options;
      options.on_prompt = [this](const propose::Prompt& prompt) {
        prompts_.push_back(prompt.messages().back().text);
      };
      for (const auto& [role, script] : cast.roles)
        options.roles[role] = &stack_.model("scripted:" + role, script);
      desk.counsel = std::make_unique<propose::ModelCounsel>(
          propose::shipped_prompts(), options.roles, writers, propose::ModelCounselOptions{});
      desk.proposer = std::make_unique<propose::ModelProposer>(propose::shipped_prompts(), writers,
                                                               std::move(options));
      return desk;
    };
    return s;
  }
  RunConfig by(const std::string& strategy, int attempts) const {
    RunConfig c = config(attempts);
    c.strategy = strategy;
    c.most_tuning_points = 1;
    c.freezes_graph = true;
    return c;
  }
  /// A script that answers every call with this entry.
  static std::string always(const std::string& entry) {
    return "===\n!repeat forever\n" + entry + "\n";
  }
  std::string kernel(int idea) const {
    return "```cpp\n" + workbench_.candidate(idea, {}).value().source + "void twice() {}\n```\n";
  }
  RunSummary latest() const { return store_.list().value().back(); }

  ScriptedStack stack_{clock_};
  std::vector<std::string> prompts_;
};

TEST_F(UnreachableRun, EveryMethodStopsAndGoesOnWhenTheModelIsBack) {
  int runs = 0;
  for (const search::StrategyInfo& info : search::strategies()) {
    if (!info.is_writing) continue;
    SCOPED_TRACE(info.name);
    const auto broken = run(with_models({{always("!500\nno")}, {}}), by(std::string(info.name), 3));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().advice, Advice::Stop);
    const RunSummary stopped = latest();
    EXPECT_EQ(stopped.state, RunState::Stopped);
    EXPECT_EQ(stopped.attempts, 0) << "nothing is spent on a server that is not there";
    EXPECT_THAT(stopped.stopped_by, HasSubstr("given up after 6 tries"));
    const auto resumed = resume(with_models({{always(kernel(1))}, {}}), stopped);
    ASSERT_TRUE(resumed) << describe(resumed.error());
    EXPECT_EQ(resumed->run.state, RunState::Finished);
    EXPECT_EQ(resumed->run.attempts, 3);
    ++runs;
  }
  EXPECT_GT(runs, 8);
}

TEST_F(UnreachableRun, AWaitThatIsTooLongStopsAtOnce) {
  ASSERT_FALSE(run(with_models({{always("!429 retry-after=3600\nlater")}, {}}), by("refine", 30)));
  EXPECT_EQ(latest().attempts, 0);
  EXPECT_THAT(latest().stopped_by, HasSubstr("try again in 3600 s"));
}

TEST_F(UnreachableRun, AModelThatRefusesEverythingStopsTheRun) {
  ASSERT_FALSE(run(with_models({{always("!400\nunknown field")}, {}}), by("refine", 30)));
  EXPECT_EQ(latest().attempts, 1);
  EXPECT_THAT(latest().stopped_by, HasSubstr("refused twice in a row"));
  for (int again = 0; again < 2; ++again) {
    ASSERT_FALSE(resume(with_models({{always("!400\nunknown field")}, {}}), latest()));
    EXPECT_EQ(latest().attempts, 1) << "a server that refuses still costs no attempt";
    EXPECT_THAT(latest().stopped_by, HasSubstr("refused twice in a row"));
  }
  ASSERT_FALSE(resume(with_models({{always("!400\nno such model")}, {}}), latest()));
  EXPECT_EQ(latest().attempts, 2) << "other words may be about one request";
  ASSERT_TRUE(resume(with_models({{always(kernel(1))}, {}}), latest()));
  EXPECT_EQ(latest().attempts, 30);
}

TEST_F(UnreachableRun, ARefusalIsNoFailureOfTheModels) {
  const std::string script = "===\nno code\n===\n!400\nbad request\n" + always(kernel(1));
  for (const char* strategy : {"refine", "evolve", "agent"}) {
    SCOPED_TRACE(strategy);
    prompts_.clear();
    const auto report = run(with_models({{script}, {}}), by(strategy, 4));
    ASSERT_TRUE(report) << describe(report.error());
    ASSERT_TRUE(store_.update(report->run));
    const auto all = attempts(report->run.name);
    std::size_t unanswered = 0;
    for (const Attempt& a : all) {
      if (!a.evaluation.verdict.is_unanswered()) continue;
      ++unanswered;
      EXPECT_THAT(a.words, HasSubstr("no usable answer: "));
      EXPECT_EQ(a.candidate.origin, Origin::Model);
      for (const Attempt& other : all) EXPECT_NE(other.parent, a.number);
    }
    EXPECT_LE(unanswered, 1U);
    for (const std::string& prompt : prompts_) EXPECT_THAT(prompt, Not(HasSubstr("bad request")));
    const auto decisions = replay(workbench_, store_, store_.find(report->run.name).value());
    ASSERT_TRUE(decisions) << describe(decisions.error());
    EXPECT_EQ(join(*decisions, "\n") + "\n", log_of(report->run));
  }
  const auto refined = attempts(store_.list().value().front().name);
  EXPECT_TRUE(refined[1].evaluation.verdict.is_unanswered());
  EXPECT_EQ(refined[2].parent, 1) << "the same is asked for once more";
}

TEST_F(UnreachableRun, ARoleThatIsOutOfReachStopsTheRun) {
  const Cast cast{{always(kernel(1))}, {{"planner", always("!500\nno")}}};
  ASSERT_FALSE(run(with_models(cast), by("agent", 3)));
  EXPECT_THAT(latest().stopped_by, HasSubstr("scripted:planner"));
  EXPECT_EQ(latest().attempts, 0);
  ASSERT_TRUE(resume(with_models({{always(kernel(1))}, {}}), latest()));
}

TEST_F(UnreachableRun, OfSeveralWritersTheNextWrites) {
  const Cast cast{{always("!500\nno"), always(kernel(1))}, {}};
  for (const char* ensemble : {kBanditEnsemble, kTurnEnsemble}) {
    RunConfig c = by("refine", 4);
    c.models = {"scripted:0", "scripted:1"};
    c.ensemble = ensemble;
    const auto report = run(with_models(cast), c);
    ASSERT_TRUE(report) << describe(report.error());
    for (const Attempt& a : attempts(report->run.name)) EXPECT_THAT(a.writer, Not("scripted:0"));
  }
}

}  // namespace
}  // namespace kw::engine
