// Tests of records as landscapes: which points exist, how asks are answered, and that every
// strategy runs.
// SPDX-License-Identifier: Apache-2.0
#include "search/recorded.h"

#include <gmock/gmock.h>

#include <deque>

namespace kw::search {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::SizeIs;

const RewardPolicy& policy(std::string_view name = "speedup") { return **find_reward_policy(name); }

RecordedStep step(int attempt, int parent, Role role, std::string source, double speedup) {
  RecordedStep s;
  s.attempt = attempt;
  s.parent = parent;
  s.role = role;
  s.source = std::move(source);
  s.name = "kernel " + s.source;
  s.tell.stage = Stage::Compile;
  s.tell.outcome = Outcome::CompileFailed;
  if (speedup <= 0) return s;
  s.tell.stage = Stage::Measure;
  s.tell.outcome = Outcome::Correct;
  s.tell.speedup = {speedup, speedup, speedup, 0.995, "baseline", 0.002, speedup > 1};
  s.tell.time_ns = 1e6 / speedup;
  s.tell.roofline_fraction = 0.1 * speedup;
  return s;
}

RecordedStep given(int attempt, int place, std::string source, KnobPoint knobs, double speedup) {
  RecordedStep s = step(attempt, 0, Role::Idea, std::move(source), speedup);
  s.place = place;
  s.knobs = std::move(knobs);
  return s;
}

RecordedStep tuned(int attempt, int parent, std::string source, KnobPoint knobs, double speedup,
                   double fidelity = 1) {
  RecordedStep s = step(attempt, parent, Role::Tune, std::move(source), speedup);
  s.knobs = std::move(knobs);
  s.fidelity = fidelity;
  return s;
}

/// The steps of a run: two given kernels, one of them tuned, then four written ones, of which one
/// breaks and is repaired and one is a gain.
std::vector<RecordedStep> some_steps() {
  std::vector<RecordedStep> steps{
      given(1, 1, "tiled", {{"B", 32}, {"S", 1}}, 1.2),
      given(2, 0, "plain", {}, 0.5),
      tuned(3, 1, "tiled", {{"B", 64}, {"S", 1}}, 1.5, 0.3),
      tuned(4, 1, "tiled", {{"B", 64}, {"S", 1}}, 1.4),
      tuned(5, 1, "tiled", {{"B", 16}, {"S", 2}}, 0),
      step(6, 0, Role::Write, "broken", 0),
      step(7, 6, Role::Write, "mended", 1.1),
      step(8, 7, Role::Write, "vectors", 2),
      step(9, 7, Role::Write, "", 0),
  };
  steps[7].techniques = {"vectorization"};
  steps[8].tell.outcome = Outcome::NoCandidate;
  steps[8].tell.stage = Stage::Propose;
  return steps;
}

TEST(RecordedLandscape, HoldsWhatWasEvaluatedAndNothingElse) {
  const RecordedLandscape record(some_steps());
  std::vector<std::string> names;
  for (const Idea& idea : record.ideas()) names.push_back(idea.name);
  EXPECT_THAT(names, ElementsAre("kernel plain", "kernel tiled", "kernel broken", "kernel mended",
                                 "kernel vectors"))
      << "given ones in the order of their list";
  const KnobSpace& space = record.ideas()[1].space;
  EXPECT_THAT(space.valid_points(100), SizeIs(3));
  EXPECT_EQ(space.first(), (KnobPoint{{"B", 32}, {"S", 1}})) << "where the run began";
  EXPECT_EQ(record.truth(1, {{"B", 64}, {"S", 1}}).speedup, 1.4) << "as measured in full";
  EXPECT_EQ(record.measure(1, {{"B", 64}, {"S", 1}}, 0.2, 0).speedup, 1.5);
  EXPECT_EQ(record.truth(1, {{"B", 16}, {"S", 2}}).outcome, Outcome::CompileFailed);
  EXPECT_EQ(record.truth(1, {{"B", 32}, {"S", 2}}).outcome, Outcome::NoCandidate) << "never seen";
  EXPECT_EQ(record.truth(9, {}).outcome, Outcome::NoCandidate);
  EXPECT_EQ(record.best(), 2);
  ASSERT_THAT(record.cards(), SizeIs(1));
  EXPECT_FALSE(record.cards()[0].resource.empty()) << "a technique that we have a card of";
  EXPECT_FALSE(RecordedLandscape::is_searchable({step(1, 0, Role::Write, "broken", 0)}));
}

/// A strategy that makes a given list of asks and keeps what it is told.
class Scripted final : public Strategy {
 public:
  explicit Scripted(std::deque<Ask> asks) : asks_(std::move(asks)) {}
  std::optional<Ask> ask() override {
    if (finished()) return std::nullopt;
    Ask next = std::move(asks_.front());
    asks_.pop_front();
    next.id = ++asked_;
    return next;
  }
  void tell(const Tell& tell) override { tells.push_back(tell); }
  bool finished() const override { return asks_.empty(); }
  std::string describe() const override { return {}; }

  std::vector<Tell> tells;

 private:
  std::deque<Ask> asks_;
  int asked_ = 0;
};

Ask write(Errand errand, int parent = 0, std::string technique = {}) {
  Ask ask;
  ask.idea = kUnwritten;
  ask.role = Role::Write;
  ask.errand = errand;
  ask.parent = parent;
  ask.manner.technique = std::move(technique);
  return ask;
}

TEST(RecordedPlay, AReplyFromTheSameParentComesFirstThenOneToALikeRequest) {
  const RecordedLandscape record(
      {step(1, 0, Role::Write, "broken", 0), step(2, 1, Role::Write, "mended", 1.1),
       step(3, 2, Role::Write, "vectors", 2), step(4, 3, Role::Write, "slower", 0.9)});
  Scripted asks({write(Errand::Write), write(Errand::Repair, 1), write(Errand::Improve, 2),
                 write(Errand::Improve, 2), write(Errand::Improve, 2), write(Errand::Write)});
  const RecordedPlay played = play(asks, record, {10, 1}, policy("regrapht"));
  using enum Recorded;
  EXPECT_THAT(played.answers, ElementsAre(Same, Same, Same, Alike, None, None))
      << "each reply is given once";
  EXPECT_EQ(asks.tells[2].written->name, "kernel vectors");
  EXPECT_EQ(asks.tells[2].outcome_class, OutcomeClass::NewBest);
  EXPECT_EQ(asks.tells[2].reward, 2);
  EXPECT_EQ(asks.tells[3].written->name, "kernel slower") << "a reply to an improvement elsewhere";
  EXPECT_NEAR(asks.tells[3].reward, -0.1, 1e-12) << "by the play's policy";
  EXPECT_EQ(asks.tells[4].stage, Stage::Propose);
  EXPECT_EQ(asks.tells[4].outcome, Outcome::NoCandidate);
  EXPECT_EQ(asks.tells[4].idea, kUnwritten);
  EXPECT_EQ(asks.tells[4].reward, -1) << "what nobody knows is a failure";
  EXPECT_EQ(played.play.best, 2);
}

TEST(RecordedPlay, ATechniqueThatIsNamedMustBeShown) {
  const RecordedLandscape record(some_steps());
  Scripted asks({write(Errand::Write), write(Errand::Improve, 1, "cache_blocking"),
                 write(Errand::Improve, 1, "vectorization")});
  const RecordedPlay played = play(asks, record, {10, 1}, policy());
  EXPECT_EQ(played.answers[1], Recorded::None);
  EXPECT_NE(played.answers[2], Recorded::None);
  EXPECT_EQ(asks.tells[2].written->name, "kernel vectors");
}

TEST(RecordedPlay, APointThatWasNotEvaluatedIsNotKnown) {
  const RecordedLandscape record(some_steps());
  Ask ask;
  ask.idea = 1;
  ask.role = Role::Tune;
  ask.knobs = {{"B", 64}, {"S", 1}};
  Ask elsewhere = ask;
  elsewhere.knobs = {{"B", 64}, {"S", 2}};
  Scripted asks({ask, elsewhere});
  EXPECT_THAT(play(asks, record, {10, 1}, policy()).answers,
              ElementsAre(Recorded::Same, Recorded::None));
}

TEST(RecordedPlay, EveryStrategySearchesARecordAndRepeatsItself) {
  const RecordedLandscape record(some_steps());
  for (const StrategyInfo& info : strategies())
    for (const std::string preset : {"sketch", "paper"}) {
      if (!info.has_presets && preset == "paper") continue;
      SCOPED_TRACE(std::string(info.name) + " " + preset);
      const auto search = [&] {
        StrategyOptions options;
        options.preset = info.has_presets ? preset : "";
        options.techniques = record.cards();
        options.writes = options.rounds = 30;
        const auto strategy =
            info.make(info.is_writing ? std::vector<Idea>() : record.ideas(), options);
        return play(*strategy, record, {30, 1}, policy());
      };
      const RecordedPlay played = search();
      EXPECT_THAT(played.answers, SizeIs(played.play.asks.size()));
      EXPECT_THAT(played.play.asks, SizeIs(Gt(2u)));
      EXPECT_LE(played.play.best, record.best());
      EXPECT_EQ(search().play.best_after, played.play.best_after);
      if (!info.is_writing) {
        EXPECT_THAT(played.answers, Each(Recorded::Same)) << "only recorded points exist";
        EXPECT_EQ(played.play.best, 2);
      }
    }
}

}  // namespace
}  // namespace kw::search
