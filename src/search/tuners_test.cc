// Tests of the tuners that plan point by point: what they find, what they never ask for, how they
// end.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <set>

#include "search/gaussian_process.h"
#include "search/terrain_for_test.h"

namespace kw::search {
namespace {

const std::vector<std::string> kPlanners{"random", "bayesian", "evolutionary"};

std::unique_ptr<Strategy> make(std::string_view name, const TuningJob& job, std::size_t most = 60) {
  StrategyOptions options;
  options.seed = job.seed;
  options.tuning_points = most;
  return (*find_tuner(name))->make(job, options);
}

Tell answer(const Ask& ask, double speedup) {
  Tell tell;
  tell.ask = ask.id;
  tell.outcome = speedup > 0 ? Outcome::Correct : Outcome::Crashed;
  tell.speedup.value = tell.merit = speedup;
  return tell;
}

// Drives a tuner, one ask and one tell at a time, and checks that every ask is valid and new.
std::vector<Ask> drive(Strategy& tuner, const TuningJob& job,
                       const std::function<double(const KnobPoint&)>& speedup,
                       std::size_t most = 200) {
  std::vector<Ask> asks;
  std::set<KnobPoint> seen{job.start};
  while (asks.size() < most) {
    auto ask = tuner.ask();
    if (!ask) break;
    EXPECT_TRUE(job.space->is_valid(ask->knobs)) << to_text(ask->knobs);
    EXPECT_TRUE(seen.insert(ask->knobs).second) << "again " << to_text(ask->knobs);
    EXPECT_EQ(ask->role, Role::Tune);
    tuner.tell(answer(*ask, speedup(ask->knobs)));
    asks.push_back(std::move(*ask));
  }
  return asks;
}

TuningJob job_at_first(const KnobSpace& space) {
  return {0, 0, &space, space.first(), 1, Seed::from_number(7)};
}

KnobSpace two_sizes() {
  return KnobSpace({{"A", {4, 1, 2, 8, 16, 32}}, {"B", {4, 1, 2, 8, 16, 32}}},
                   [](const KnobPoint& p) { return p.at("A") * p.at("B") <= 256; });
}

double hill(const KnobPoint& p) {
  const double a = std::log2(static_cast<double>(p.at("A"))) - 4;
  const double b = std::log2(static_cast<double>(p.at("B"))) - 1;
  return std::exp(-0.1 * (a * a + b * b));
}

TEST(Tuners, FindTheTopOfAHill) {
  const KnobSpace space = two_sizes();
  for (const std::string& name : kPlanners) {
    const TuningJob job = job_at_first(space);
    const auto asks = drive(*make(name, job), job, hill);
    const bool has_found =
        std::any_of(asks.begin(), asks.end(), [](const Ask& a) { return hill(a.knobs) == 1; });
    EXPECT_TRUE(has_found) << name << " in " << asks.size();
  }
}

TEST(Tuners, BayesianIsThereInFewAsksOnSeparableKnobs) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Terrain terrain = make_terrain("separable", Seed::from_number(seed));
    const auto tuner = make("bayesian", job_on(terrain, Seed::from_number(seed)));
    TunerRunOptions options;
    options.most = 45;
    options.stops_when_reached = true;
    const TunerRun run = run_tuner(*tuner, terrain, options);
    ASSERT_TRUE(run.reached) << "seed " << seed;
    most = std::max(most, *run.reached);
  }
  std::cout << "  of 7,776 points at most " << most << " asked\n";
}

TEST(Tuners, EndAtOnceWhereNothingIsLeft) {
  const KnobSpace one;
  const KnobSpace never({{"A", {1, 2, 3}}}, [](const KnobPoint&) { return false; });
  const KnobSpace only_first({{"A", {1, 2, 3}}}, [](const KnobPoint& p) { return p.at("A") == 1; });
  for (const KnobSpace* space : {&one, &never, &only_first})
    for (const TunerInfo& info : tuners()) {
      if (info.name == "halving_climb" || info.name == "halving" || info.name == "climb") continue;
      const auto tuner = make(info.name, job_at_first(*space));
      EXPECT_EQ(tuner->ask(), std::nullopt) << info.name;
      EXPECT_TRUE(tuner->finished()) << info.name;
    }
}

TEST(Tuners, SurviveASpaceWhereEverythingFails) {
  const KnobSpace space = two_sizes();
  for (const std::string& name : kPlanners) {
    TuningJob job = job_at_first(space);
    job.start_merit = 0;
    const auto tuner = make(name, job);
    const auto asks = drive(*tuner, job, [](const KnobPoint&) { return 0.0; });
    EXPECT_TRUE(tuner->finished()) << name;
    EXPECT_GE(asks.size(), 5U) << name;
  }
}

TEST(Tuners, EndWhereAllPointsTie) {
  const KnobSpace space = two_sizes();
  for (const std::string& name : kPlanners) {
    const TuningJob job = job_at_first(space);
    const auto tuner = make(name, job, 1000);
    const auto asks = drive(*tuner, job, [](const KnobPoint&) { return 1.0; });
    EXPECT_TRUE(tuner->finished()) << name;
    EXPECT_LT(asks.size(), 36U) << name;
  }
}

TEST(Tuners, ClimbTheRewardWhateverTheSpeedup) {
  const KnobSpace space = two_sizes();
  for (const std::string name : {"bayesian", "evolutionary", "halving_climb"}) {
    TuningJob job = job_at_first(space);
    job.start_merit = hill(job.start);
    const auto tuner = make(name, job);
    bool has_found = false;
    for (int i = 0; i < 60; ++i) {
      const auto ask = tuner->ask();
      if (!ask) break;
      Tell tell = answer(*ask, hill(ask->knobs));
      tell.speedup.value = 1 / tell.merit;
      has_found = has_found || tell.merit == 1;
      tuner->tell(tell);
    }
    EXPECT_TRUE(has_found) << name;
  }
}

// Half of the space fails: a model that took failures for slow points, or ignored them, would keep
// asking there.
TEST(Tuners, BayesianLearnsWhatFails) {
  const KnobSpace space({{"A", {0, 1, 2, 3, 4, 5, 6, 7}}, {"B", {0, 1, 2, 3, 4, 5, 6, 7}}});
  const TuningJob job = job_at_first(space);
  const auto tuner = make("bayesian", job, 30);
  const auto works = [](const KnobPoint& p) { return p.at("A") <= 3; };
  // The speed of working points increases towards the failing half.
  const auto asks = drive(*tuner, job, [&](const KnobPoint& p) {
    return works(p) ? std::exp(0.2 * static_cast<double>(p.at("A")) +
                               0.05 * static_cast<double>(p.at("B")))
                    : 0;
  });
  const auto failed =
      std::count_if(asks.begin(), asks.end(), [&](const Ask& a) { return !works(a.knobs); });
  std::cout << "  " << failed << " of " << asks.size() << " asked failed\n";
  EXPECT_LE(failed, static_cast<std::ptrdiff_t>(asks.size() / 2));
  EXPECT_TRUE(std::any_of(asks.begin(), asks.end(),
                          [](const Ask& a) { return a.knobs == KnobPoint{{"A", 3}, {"B", 7}}; }));
}

TEST(Tuners, LookAtAVastSpaceLazily) {
  const Terrain terrain = make_terrain("vast", Seed::from_number(1));
  ASSERT_EQ(terrain.space.size(), 1'000'000'000U);
  for (const std::string& name : kPlanners) {
    const TuningJob job = job_on(terrain, Seed::from_number(3));
    const auto tuner = make(name, job, 15);
    EXPECT_EQ(
        drive(*tuner, job, [&](const KnobPoint& p) { return terrain.truth(p).speedup; }).size(),
        15U)
        << name;
  }
}

TEST(Tuners, RepeatThemselvesWhateverIsOutstanding) {
  const Terrain terrain = make_terrain("cliff", Seed::from_number(2));
  for (const std::string& name : kPlanners) {
    const TuningJob job = job_on(terrain, Seed::from_number(5));
    for (const std::size_t outstanding : {1U, 3U}) {
      std::vector<std::string> transcripts;
      for (int replay = 0; replay < 2; ++replay) {
        const auto tuner = make(name, job, 25);
        std::vector<Ask> waiting;
        std::string transcript;
        std::set<KnobPoint> seen;
        while (true) {
          while (waiting.size() < outstanding) {
            auto ask = tuner->ask();
            if (!ask) break;
            EXPECT_TRUE(seen.insert(ask->knobs).second) << name;
            transcript += encode_ask(*ask) + "\n";
            waiting.push_back(std::move(*ask));
          }
          if (waiting.empty()) break;
          tuner->tell(answer(waiting.front(), terrain.truth(waiting.front().knobs).speedup));
          waiting.erase(waiting.begin());
        }
        EXPECT_TRUE(tuner->finished()) << name;
        transcripts.push_back(std::move(transcript));
      }
      EXPECT_EQ(transcripts[0], transcripts[1]) << name;
    }
  }
}

TEST(GaussianProcess, FollowsItsDataAndIsUnsureFarFromThem) {
  const KnobSpace space({{"A", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}});
  const KnobGrid grid(space);
  GaussianProcess process(grid, 1e-3);
  process.fit({{0}, {1}, {2}, {3}, {4}}, {0.0, 0.1, 0.2, 0.3, 0.4}, 20);
  const std::vector<Places> asked{{2}, {10}};
  const auto seen = process.predict(asked);
  EXPECT_NEAR(seen[0].mean, 0.2, 0.03);
  EXPECT_LT(seen[0].deviation, 0.5 * seen[1].deviation);
}

/// A process that was fitted to some of the data and gets the rest one by one.
class GrowingProcess : public testing::Test {
 protected:
  GrowingProcess() {
    Rng rng(Seed::from_number(11));
    for (std::uint16_t a = 0; a < 6; ++a)
      for (std::uint16_t b = 0; b < 6; ++b) {
        if (rng.uniform() < 0.5) continue;
        points_.push_back({a, b});
        values_.push_back(0.1 * a - 0.05 * b * b + 0.01 * rng.normal());
      }
    const std::vector<Places> some(points_.begin(), points_.begin() + 8);
    const std::vector<double> of_some(values_.begin(), values_.begin() + 8);
    grown_.fit(some, of_some, 12);
  }
  static void expect_equal(const Prediction& a, const Prediction& b) {
    EXPECT_NEAR(a.mean, b.mean, 1e-9);
    EXPECT_NEAR(a.deviation, b.deviation, 1e-9);
  }

  const KnobSpace space_{{{"A", {0, 1, 2, 3, 4, 5}}, {"B", {0, 1, 2, 3, 4, 5}}}};
  const KnobGrid grid_{space_};
  const std::vector<Places> asked_{{0, 0}, {3, 3}, {5, 1}, {2, 4}};
  std::vector<Places> points_;
  std::vector<double> values_;
  GaussianProcess grown_{grid_, 1e-3};
};

TEST_F(GrowingProcess, WhatIsAddedMovesWhatIsFollowedAsASolveWould) {
  const auto before = grown_.predict(asked_);
  grown_.follow(asked_);
  for (std::size_t i = 8; i < points_.size(); ++i) grown_.add(points_[i], values_[i]);
  const auto after = grown_.predict(asked_);
  bool has_changed = false;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    expect_equal(grown_.followed(i), after[i]);
    has_changed = has_changed || std::abs(after[i].mean - before[i].mean) > 1e-3;
    EXPECT_LT(after[i].deviation, 1.2 * before[i].deviation);
  }
  EXPECT_TRUE(has_changed) << "later data move the predictions";
  const std::vector<double> at_data = grown_.at_data();
  const auto predicted = grown_.predict(points_);
  ASSERT_EQ(at_data.size(), points_.size());
  for (std::size_t i = 0; i < at_data.size(); ++i) EXPECT_NEAR(at_data[i], predicted[i].mean, 1e-9);
}

TEST_F(GrowingProcess, ThoseThatAreFollowedLaterKnowAllOfIt) {
  grown_.follow(std::span(asked_).first(2));
  grown_.add(points_[8], values_[8]);
  grown_.follow(std::span(asked_).subspan(2));
  grown_.add(points_[9], values_[9]);
  const auto all = grown_.predict(asked_);
  for (std::size_t i = 0; i < asked_.size(); ++i) expect_equal(grown_.followed(i), all[i]);
  grown_.leave(0);
  expect_equal(grown_.followed(0), all[3]);
  expect_equal(grown_.followed(1), all[1]);
  grown_.add(points_[10], values_[10]);
  expect_equal(grown_.followed(0), grown_.predict(std::span(asked_).last(1))[0]);
}

TEST_F(GrowingProcess, WhatIsSupposedMakesItSurerAndIsForgotten) {
  grown_.follow(asked_);
  const auto before = grown_.predict(asked_);
  grown_.suppose(asked_[1]);
  EXPECT_NEAR(grown_.followed(1).mean, before[1].mean, 1e-9) << "it came out as expected";
  EXPECT_LT(grown_.followed(1).deviation, 0.8 * before[1].deviation);
  expect_equal(grown_.followed(1), grown_.predict(asked_)[1]);
  grown_.forget_supposed();
  for (std::size_t i = 0; i < asked_.size(); ++i) expect_equal(grown_.followed(i), before[i]);
}

TEST(KnobGrid, NumbersArePlacesInTheOrderOfTheSpace) {
  const KnobSpace space({{"SIZE", {64, 16, 256}}, {"FLAG", {1, 0}}, {"STEP", {2, 4, 3}}});
  const KnobGrid grid(space);
  for (std::uint64_t number = 0; number < space.size(); ++number) {
    const Places places = grid.places_of(number);
    EXPECT_EQ(places, grid.places_of(space.at(number)));
    EXPECT_EQ(grid.number_of(places), number);
  }
}

TEST(KnobGrid, SortsValuesAndSpreadsSizesByTheirLog) {
  const KnobSpace space({{"SIZE", {64, 16, 256}}, {"FLAG", {1, 0}}, {"STEP", {2, 4, 3}}});
  const KnobGrid grid(space);
  EXPECT_EQ(grid.places_of({{"SIZE", 64}, {"FLAG", 1}, {"STEP", 4}}), (Places{1, 1, 2}));
  EXPECT_EQ(grid.point_at({0, 0, 0}), (KnobPoint{{"SIZE", 16}, {"FLAG", 0}, {"STEP", 2}}));
  EXPECT_NEAR(grid.position(0, 1), 0.5, 0.02);
  EXPECT_EQ(grid.position(2, 1), 0.5);
}

TEST(Terrains, AreReadFromRecords) {
  const auto terrain = parse_terrain(
      R"({"format": 1, "name": "t", "machine": "m", "date": "d", "how": "h",
          "knobs": [{"name": "A", "values": [1, 2]}, {"name": "B", "values": [1, 2]}],
          "points": [20, null, "compile_failed", 10]})");
  ASSERT_TRUE(terrain.has_value());
  EXPECT_EQ(terrain->best, 2);
  EXPECT_FALSE(terrain->space.is_valid({{"A", 1}, {"B", 2}}));
  EXPECT_EQ(terrain->truth({{"A", 2}, {"B", 1}}).outcome, Outcome::CompileFailed);
  for (const char* bad : {"", "{}", R"({"format": 1, "knobs": []})",
                          R"({"format": 1, "name": "t", "machine": "m", "date": "d", "how": "h",
          "knobs": [{"name": "A", "values": [1, 2]}], "points": [1]})"})
    EXPECT_FALSE(parse_terrain(bad).has_value()) << bad;
}

}  // namespace
}  // namespace kw::search
