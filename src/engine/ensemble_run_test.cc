// Runs for which two models write, only one of which is worth its cost: who is asked, and that this
// is recorded.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "engine/loop.h"
#include "engine/writing_run_for_test.h"

namespace kw::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kGood = "scripted:good";
constexpr const char* kBad = "scripted:bad";

class EnsembleRun : public WritingRun {
 protected:
  /// The good model writes another right kernel each time, the bad one a wrong kernel for half of
  /// the tokens. While the good one is unavailable, the bad one is asked instead.
  class TwoModels final : public propose::Proposer {
   public:
    explicit TwoModels(const EnsembleRun& test) : test_(test) {}
    Result<Proposal> propose(const propose::Situation& s) override {
      const bool is_good = s.writer == 1 && s.number > test_.out_until_;
      Proposal p = is_good ? test_.writes(3, "// kernel " + std::to_string(s.number))
                           : test_.writes(1, "// WRONG " + std::to_string(s.number));
      p.usage = {is_good ? 1000 : 500, 0, 0, 0, false};
      p.writer = is_good ? kGood : kBad;
      return p;
    }

   private:
    const EnsembleRun& test_;
  };

  RunConfig of_two(int attempts) const {
    RunConfig c = config(attempts);
    c.models = {kGood, kBad};
    c.ensemble = kBanditEnsemble;
    c.strategy = "best-of-n";
    c.writes = attempts;
    return c;
  }
  Surroundings two_models(std::function<bool()> is_interrupted = {}) {
    Surroundings s = surroundings(std::move(is_interrupted));
    writing_.open = [this](const RunSummary& run) -> Result<Desk> {
      Desk desk;
      desk.ledger = std::make_unique<llm::Ledger>(run.config.limits, run.spent);
      desk.proposer = std::make_unique<TwoModels>(*this);
      return desk;
    };
    return s;
  }
  RunReport finished_by_two(const RunConfig& c) {
    auto report = run(two_models(), c);
    EXPECT_TRUE(report) << describe(report.error());
    EXPECT_TRUE(store_.update(report->run));
    return *report;
  }
  /// The attempts of this run that a model wrote.
  std::vector<Attempt> written(const std::string& name) const {
    std::vector<Attempt> all = attempts(name);
    std::erase_if(all, [](const Attempt& a) { return a.writer.empty(); });
    return all;
  }
  static std::size_t by(const std::vector<Attempt>& all, const std::string& writer) {
    return static_cast<std::size_t>(std::ranges::count(all, writer, &Attempt::writer));
  }

  int out_until_ = 0;
};

TEST_F(EnsembleRun, TheModelThatIsWorthItWritesAndEachAskSaysWhy) {
  const RunReport report = finished_by_two(of_two(24));
  const auto all = written(report.run.name);
  ASSERT_GT(all.size(), 10U);
  EXPECT_GT(by(all, kGood), 2 * by(all, kBad)) << "twice the tokens, and right";
  for (const Attempt& a : all) EXPECT_THAT(a.why, HasSubstr("; by " + a.writer + " ("));
  EXPECT_THAT(all.front().why, HasSubstr("scripted:bad: not tried yet"));
  EXPECT_THAT(all.back().why, HasSubstr("tokens each, index "));
}

TEST_F(EnsembleRun, AskedInTurnTheyShare) {
  RunConfig c = of_two(16);
  c.ensemble = kTurnEnsemble;
  const auto all = written(finished_by_two(c).run.name);
  for (const Attempt& a : all) EXPECT_THAT(a.why, Not(HasSubstr("; by ")));
  EXPECT_EQ(by(all, kGood), 0U) << "no writer is named, so that the proposer takes its turns";
}

TEST_F(EnsembleRun, ReplayAndResumeChooseTheSame) {
  const RunReport whole = finished_by_two(of_two(12));
  const std::string log = log_of(whole.run);
  EXPECT_THAT(log, HasSubstr("by scripted:good"));
  const auto replayed = replay(workbench_, store_, store_.find(whole.run.name).value());
  ASSERT_TRUE(replayed) << describe(replayed.error());
  EXPECT_EQ(join(*replayed, "\n") + "\n", log);
  const std::string name = "synthetic-2";
  const auto first = run(two_models([&] {
                           const auto run = store_.find(name);
                           return run && run->attempts >= 5;
                         }),
                         of_two(12));
  ASSERT_TRUE(first) << describe(first.error());
  ASSERT_TRUE(store_.update(first->run));
  const auto second = resume(two_models(), store_.find(name).value());
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_EQ(log_of(second->run), log);
}

TEST_F(EnsembleRun, OneThatCouldNotBeAskedIsLeftForAWhile) {
  out_until_ = 6;
  const auto all = written(finished_by_two(of_two(24)).run.name);
  ASSERT_GT(all.size(), 8U);
  EXPECT_EQ(all[0].writer, kBad);
  EXPECT_THAT(all[0].why, HasSubstr("; by scripted:good ("));
  EXPECT_THAT(all[1].why, HasSubstr("scripted:good: not tried yet, rests: it could not be asked"));
  EXPECT_EQ(all.back().writer, kGood);
}

TEST_F(EnsembleRun, DollarsCountWhereEveryPriceIsKnown) {
  RunConfig c = of_two(6);
  c.models = {"openai:good", "openai:bad"};
  Price price;
  price.provider = "openai";
  price.prompt_usd = 1;
  for (const char* model : {"good", "bad"}) {
    price.model = model;
    c.prices.push_back(price);
  }
  EXPECT_THAT(written(finished_by_two(c).run.name).back().why, HasSubstr(" for $0 each"));
  c.prices.pop_back();
  EXPECT_THAT(written(finished_by_two(c).run.name).back().why, HasSubstr("tokens each"));
}

}  // namespace
}  // namespace kw::engine
