// The learned judge: what it makes of recorded steps, and how it compares with rules on runs that
// it has not seen.
// SPDX-License-Identifier: Apache-2.0
#include "engine/gain_model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error_for_test.h"
#include "base/rng.h"
#include "engine/recorded_steps_for_test.h"
#include "record/codec_impl.h"
#include "search/types.h"
#include "store/store_for_test.h"

namespace kw::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// True gains in a world where tiling helps memory-bound kernels, unrolling helps compute-bound
/// ones, and padding never helps, although its card says that it relieves memory.
double truth(Bound bound, const std::string& technique) {
  if (technique == "tiling") return bound == Bound::Memory ? 0.6 : 0.0;
  if (technique == "unrolling") return bound == Bound::Compute ? 0.4 : -0.1;
  return -0.3;
}

std::vector<GainSample> world(int runs) {
  std::vector<GainSample> samples;
  Rng rng(Seed::from_number(5));
  for (int run = 0; run < runs; ++run)
    for (const Bound bound : {Bound::Memory, Bound::Compute})
      for (const search::TechniqueCard& card : kStepCards) {
        samples.push_back(step_of("run-" + std::to_string(run), kernel_bound_by(bound), card.name,
                                  truth(bound, card.name) + 0.1 * rng.normal()));
      }
  return samples;
}

TEST(GainModel, LearnsWhatHelpsWhichBottleneckAndSaysIt) {
  const GainModel model = GainModel::fit(world(10));
  EXPECT_NEAR(model.predict(kernel_bound_by(Bound::Memory), "tiling"), 0.6, 0.1);
  EXPECT_NEAR(model.predict(kernel_bound_by(Bound::Compute), "padding"), -0.3, 0.1);
  EXPECT_EQ(model.best(kernel_bound_by(Bound::Compute)), "unrolling");
  const KernelState tiled = kernel_bound_by(Bound::Memory, {"tiling"});
  EXPECT_EQ(model.best(tiled), std::nullopt) << "nothing else promises anything";
  EXPECT_EQ(instruction_of(model, tiled, kStepCards), "");
  EXPECT_THAT(instruction_of(model, kernel_bound_by(Bound::Memory), kStepCards),
              AllOf(HasSubstr("memory-bound"), HasSubstr("Apply `tiling`: cut the loops"),
                    HasSubstr("60 recorded steps")));
  const auto again = decode<GainModel>(encode(model));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->predict(kernel_bound_by(Bound::Memory), "tiling"),
            model.predict(kernel_bound_by(Bound::Memory), "tiling"));
}

TEST(GainModel, ReadsCountersWhereThereWereAny) {
  std::vector<GainSample> samples;
  for (int i = 0; i < 60; ++i) {
    const char* resource =
        search::kResources[static_cast<std::size_t>(i) % search::kResources.size()];
    KernelState state = kernel_bound_by(Bound::Latency);
    state.used[resource] = i / 5 % 2 == 0 ? 0.9 : 0.1;
    const double gain = std::string(resource) == "occupancy" ? 0.8 * state.used[resource] : 0;
    samples.push_back(step_of("run", state, "tiling", gain));
  }
  const GainModel model = GainModel::fit(samples);
  const auto expected = [&](const char* resource, double share) {
    KernelState state = kernel_bound_by(Bound::Latency);
    state.used[resource] = share;
    return model.predict(state, "tiling");
  };
  EXPECT_GT(expected("occupancy", 0.9), expected("occupancy", 0.1) + 0.3);
  EXPECT_NEAR(expected("registers", 0.9), expected("registers", 0.1), 0.1);
}

TEST(GainModel, BeatsRulesOnRunsItHasNotSeenAndItsExpectationsAreSeen) {
  const auto samples = world(10);
  const JudgeComparison c = compare_judges(samples, kStepCards);
  EXPECT_EQ(c.samples, 60U);
  EXPECT_EQ(c.runs, 10U);
  EXPECT_GT(c.learned.pairs, 0.85);
  EXPECT_GT(c.learned.pairs, c.rules.pairs + 0.1) << "rules believe in padding";
  EXPECT_GT(c.rules.pairs, 0.5);
  EXPECT_GT(c.learned.top_gain, c.rules.top_gain);
  EXPECT_LT(c.error, 0.5 * c.plain_error);
  ASSERT_THAT(c.calibration, SizeIs(4));
  for (const auto& bin : c.calibration) EXPECT_NEAR(bin.expected, bin.seen, 0.12);
}

TEST(GainModel, WithoutASecondRunNothingIsCompared) {
  const JudgeComparison c = compare_judges(world(1), kStepCards);
  EXPECT_EQ(c.compared, 0U);
  EXPECT_THAT(c.calibration, IsEmpty());
  EXPECT_EQ(compare_judges({}, kStepCards).samples, 0U);
}

class GainSamplesTest : public store::OpenStore {
 protected:
  RunSummary begin() {
    RunConfig config;
    config.task = "twice";
    return store_.create(config, "then").value();
  }
};

TEST_F(GainSamplesTest, StepsOfRunsBecomeSamplesWithTheKernelBeforeThem) {
  const RunSummary run = begin();
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(1, 0, 2, {"tiling"})));
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(2, 1, 0, {"tiling", "fusion"})));
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(3, 2, 3, {"tiling", "fusion", "padding"})));
  const auto samples = gain_samples(store_, Target::Cpu).value();
  ASSERT_THAT(samples, SizeIs(4));
  EXPECT_TRUE(samples[0].state.is_first);
  EXPECT_NEAR(samples[0].gain, std::log(2.0), 1e-9);
  EXPECT_EQ(samples[1].technique, "fusion");
  EXPECT_EQ(samples[1].gain, 0) << "a failure gained nothing";
  EXPECT_EQ(samples[1].state.bound, Bound::Memory);
  EXPECT_NEAR(samples[1].state.used.at("memory"), 0.4, 1e-9);
  EXPECT_NEAR(samples[3].gain, std::log(1.5) / 2, 1e-9) << "two came together, from the first";
  EXPECT_THAT(gain_samples(store_, Target::Cuda).value(), IsEmpty());
}

TEST_F(GainSamplesTest, EachNewTechniqueOfAChainIsASample) {
  const RunSummary run = begin();
  std::vector<std::string> shown;
  for (int i = 1; i <= 6; ++i) {
    shown.push_back("t" + std::to_string(i));
    ASSERT_TRUE(store_.append(run, memory_bound_attempt(i, i - 1, 1 + i, shown)));
  }
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(7, 6, 8, shown)));
  EXPECT_THAT(gain_samples(store_, Target::Cpu).value(), SizeIs(6)) << "the last shows nothing new";
}

TEST_F(GainSamplesTest, StepsBeginAtWhatWasGivenAndAtWhatWasRecalled) {
  const RunSummary run = begin();
  Attempt given = memory_bound_attempt(1, 0, 4, {"tiling"});
  given.candidate.origin = Origin::Playbook;
  Attempt again = memory_bound_attempt(2, 0, 4, {"tiling"});
  again.recalled = 1;
  ASSERT_TRUE(store_.append(run, given));
  ASSERT_TRUE(store_.append(run, again));
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(3, 1, 6, {"tiling", "fusion"})));
  ASSERT_TRUE(store_.append(run, memory_bound_attempt(4, 2, 8, {"tiling", "padding"})));
  const auto samples = gain_samples(store_, Target::Cpu).value();
  ASSERT_THAT(samples, SizeIs(2));
  EXPECT_EQ(samples[0].technique, "fusion");
  EXPECT_NEAR(samples[0].gain, std::log(1.5), 1e-9);
  EXPECT_EQ(samples[1].technique, "padding");
  EXPECT_NEAR(samples[1].gain, std::log(2.0), 1e-9);
  EXPECT_FALSE(samples[1].state.is_first);
}

TEST_F(GainSamplesTest, ARunKeepsTheModelThatItBeganWith) {
  const RunSummary early = begin();
  const auto none = model_of_run(store_, early);
  EXPECT_THAT(none, IsErrorAbout(ErrorCode::Missing, "recorded steps"));
  const RunSummary teacher = begin();
  for (int i = 1; i <= 12; ++i)
    ASSERT_TRUE(store_.append(teacher, memory_bound_attempt(i, 0, 2, {"tiling"})));
  const auto model = model_of_run(store_, early);
  ASSERT_TRUE(model) << describe(model.error());
  ASSERT_TRUE(store_.append(teacher, memory_bound_attempt(13, 0, 1, {"fusion"})));
  EXPECT_EQ(model_of_run(store_, early)->samples(), 12U);
  EXPECT_EQ(model_of_run(store_, begin())->samples(), 13U);
}

}  // namespace
}  // namespace kw::engine
