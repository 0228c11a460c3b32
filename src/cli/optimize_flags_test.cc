// Tests of the run configuration that the flags of kw optimize give, with default values.
// SPDX-License-Identifier: Apache-2.0
#include "cli/optimize_flags.h"
#include "session/model_access.h"
#include "session/optimize.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::cli {
namespace {

OptimizeFlags flags_of(const char* strategy, const char* target) {
  OptimizeFlags flags;
  flags.task = "saxpy";
  flags.strategy = strategy;
  flags.target.target = target;
  flags.writing.models.models = {"scripted:none"};
  return flags;
}

bool profiles(const OptimizeFlags& flags) {
  const auto config = config_of(flags);
  EXPECT_TRUE(config) << describe(config.error());
  return config && config->profiles;
}

TEST(OptimizeFlags, MethodsLedByTheProfileHaveItMadeUnlessToldOtherwise) {
  for (const char* strategy : {"coder-judge", "staged", "bandit"}) {
    EXPECT_TRUE(profiles(flags_of(strategy, "cuda"))) << strategy;
    EXPECT_FALSE(profiles(flags_of(strategy, "cpu"))) << strategy;
  }
  EXPECT_FALSE(profiles(flags_of("evolve", "cuda")));
  OptimizeFlags flags = flags_of("coder-judge", "cuda");
  flags.feedback = "findings";
  EXPECT_FALSE(profiles(flags)) << "nobody would be told of it";
  flags.feedback.clear();
  flags.no_profile = true;
  EXPECT_FALSE(profiles(flags));
  flags.profile = true;
  EXPECT_THAT(config_of(flags),
              IsErrorAbout(ErrorCode::Contradiction, "--profile with --no-profile"));
  flags = flags_of("evolve", "cuda");
  flags.profile = true;
  EXPECT_TRUE(profiles(flags));
}

TEST(OptimizeFlags, LengthsOfReplyAndPromptAreKeptWithTheRun) {
  OptimizeFlags flags = flags_of("refine", "cpu");
  EXPECT_EQ(config_of(flags)->reply.max_tokens, 16'384);
  EXPECT_EQ(config_of(flags)->prompt_tokens, 24'000);
  flags.writing.length = {4000, 9000};
  EXPECT_EQ(config_of(flags)->reply.max_tokens, 4000);
  EXPECT_EQ(config_of(flags)->prompt_tokens, 9000);
  flags.strategy = "greedy";
  flags.writing.models.models.clear();
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Missing, "--model for lengths"));
}

TEST(OptimizeFlags, HowModelsAreAskedIsKeptWithTheRun) {
  OptimizeFlags flags = flags_of("refine", "cpu");
  EXPECT_EQ(config_of(flags)->reply.temperature, std::nullopt);
  EXPECT_EQ(config_of(flags)->reply.effort, "");
  EXPECT_EQ(config_of(flags)->model_timeout_ns, 0);
  flags.writing.asking = {"0", "high", "20m"};
  const auto config = config_of(flags);
  ASSERT_TRUE(config) << describe(config.error());
  EXPECT_EQ(config->reply.temperature, 0.0) << "not the server's default";
  EXPECT_EQ(config->reply.effort, "high");
  EXPECT_EQ(config->model_timeout_ns, 1'200'000'000'000);
  const auto refused = [&](const AskingFlags& asking) {
    flags.writing.asking = asking;
    return config_of(flags);
  };
  for (const char* temperature : {"-0.1", "2.1", "nan", "warm", "0.5x"})
    EXPECT_THAT(refused({.temperature = temperature}),
                IsErrorAbout(ErrorCode::OutOfRange, "--temperature"));
  EXPECT_THAT(refused({.effort = "hihg"}),
              IsErrorAbout(ErrorCode::BadInput, "--effort hihg -> high"));
  EXPECT_THAT(refused({.timeout = "20"}), IsErrorAbout(ErrorCode::BadInput, "--model-timeout 20"));
  flags.strategy = "greedy";
  flags.writing.models.models.clear();
  EXPECT_THAT(refused({.temperature = "1"}),
              IsErrorAbout(ErrorCode::Missing, "--model for asking"));
}

TEST(AskingFlags, ASlowServerGetsMoreTimeForTheWholeToo) {
  using std::chrono::minutes;
  EXPECT_EQ(session::timeouts_of(0).first_byte, minutes(5));
  const auto slow = session::timeouts_of(1'200'000'000'000);
  EXPECT_EQ(slow.first_byte, minutes(20));
  EXPECT_EQ(slow.idle, minutes(20));
  EXPECT_EQ(slow.total, minutes(120));
  const auto quick = session::timeouts_of(1);
  EXPECT_EQ(quick.first_byte, std::chrono::milliseconds(1));
  EXPECT_EQ(quick.total, minutes(30)) << "long replies of a server that is not silent";
}

TEST(OptimizeFlags, HowOftenWhatFailsIsMendedIsKeptWithTheRun) {
  for (const char* strategy : {"refine", "agent"}) {
    OptimizeFlags flags = flags_of(strategy, "cpu");
    EXPECT_EQ(config_of(flags)->repairs, 3);
    for (const int repairs : {0, 7}) {
      flags.method.value("--repairs").number = repairs;
      EXPECT_EQ(config_of(flags)->repairs, repairs);
    }
  }
  OptimizeFlags flags = flags_of("evolve", "cpu");
  flags.method.value("--repairs").number = 2;
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--repairs"));
}

TEST(OptimizeFlags, NearNamesAreSuggested) {
  OptimizeFlags flags = flags_of("refine", "cpu");
  flags.writing.models.models.emplace_back("jugde=scripted:none");
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "jugde -> judge"));
  flags.writing.models.models.back() = "judge=scripted:none";
  EXPECT_TRUE(config_of(flags));
  flags.writing.ensemble = "bandti";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::BadInput, "--ensemble bandti -> bandit"));
  flags = flags_of("refine", "cpu");
  flags.tuner = "bayes";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::NotFound, "bayes -> bayesian"));
}

/// The flags of a run without a model.
OptimizeFlags alone(const char* task, const char* strategy = "greedy") {
  OptimizeFlags flags = flags_of(strategy, "cpu");
  flags.task = task;
  flags.writing.models.models.clear();
  return flags;
}

TEST(OptimizeFlags, WhatCouldDoNothingIsRefused) {
  OptimizeFlags flags = flags_of("refine", "cpu");
  flags.writing.writes = 4;
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--writes"));
  flags.strategy = "best-of-n";
  EXPECT_EQ(config_of(flags)->writes, 4);
  flags = flags_of("refine", "cpu");
  flags.writing.ensemble = "turn";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Missing, "second --model"));
  flags.writing.models.models.emplace_back("scripted:other");
  EXPECT_EQ(config_of(flags)->ensemble, "turn");
  flags = flags_of("refine", "cpu");
  flags.method.value("--judge").text = "rules";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--judge"));
  flags.strategy = "coder-judge";
  EXPECT_TRUE(config_of(flags)->judges_by_rules);
  flags.writing.models.models.emplace_back("judge=scripted:other");
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--judge and --model"));
  flags = flags_of("graph-walk", "cpu");
  flags.writing.models.models.emplace_back("guide=scripted:other");
  flags.method.value("--guide").text = "weights";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--guide and --model"));
  flags.method.value("--guide").text = "llm";
  EXPECT_TRUE(config_of(flags));
  flags = flags_of("refine", "cpu");
  flags.results = "news";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--results"));
  flags = alone("saxpy");
  flags.embedder = "openai:e";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Missing, "--model for --embed"));
  flags = alone("saxpy", "random");
  flags.tuner = "climb";
  EXPECT_THAT(config_of(flags), IsErrorAbout(ErrorCode::Contradiction, "--tuner"));
}

TEST(OptimizeFlags, LandscapesRefuseWhatTheyLack) {
  const auto refused = [](void (*with)(OptimizeFlags&)) {
    OptimizeFlags flags = alone("synthetic:3");
    EXPECT_TRUE(config_of(flags));
    with(flags);
    return config_of(flags);
  };
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.writing.shortlist = 3; }),
              IsErrorAbout(ErrorCode::Unsupported, "--shortlist on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.method.value("--judge").text = "learned"; }),
              IsErrorAbout(ErrorCode::Unsupported, "--judge on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.method.value("--guide").text = "weights"; }),
              IsErrorAbout(ErrorCode::Unsupported, "--guide on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.strategy = "evolve"; }),
              IsErrorAbout(ErrorCode::Unsupported, "evolve on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.writing.models.models = {"scripted:none"}; }),
              IsErrorAbout(ErrorCode::Unsupported, "--model on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.target.target = "cuda"; }),
              IsErrorAbout(ErrorCode::Unsupported, "--target cuda on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.target.arch = "sm_90a"; }),
              IsErrorAbout(ErrorCode::Unsupported, "--arch on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.carrier = session::kBundle; }),
              IsErrorAbout(ErrorCode::Unsupported, "--carrier bundle on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.embedder = "openai:e"; }),
              IsErrorAbout(ErrorCode::Unsupported, "--embed on a landscape"));
  EXPECT_THAT(refused(+[](OptimizeFlags& f) { f.goals = {"0.9roof"}; }),
              IsErrorAbout(ErrorCode::Unsupported, "--goal on a landscape"));
  EXPECT_THAT(config_of(alone("techniques:3")), IsErrorAbout(ErrorCode::Unsupported, "worlds"));
}

}  // namespace
}  // namespace kw::cli
