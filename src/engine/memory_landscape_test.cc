// What memory does for searches on tasks of one family, in technique worlds that are siblings:
// better first attempts, wrong memories outweighed, and equal runs while it is frozen.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <utility>

#include "engine/lessons.h"
#include "memory/advice.h"
#include "memory/learner.h"
#include "platform/memory_disk_for_test.h"
#include "search/make_for_test.h"
#include "search/technique_world.h"

namespace kw::engine {
namespace {

using search::TechniqueWorld;

constexpr std::size_t kFirst = 6;  // number of first attempts
constexpr std::size_t kAll = 60;
constexpr int kFamilies = 24;  // number of worlds
constexpr std::uint64_t kTeachers = 4, kPupil = 9;
constexpr const char* kToday = "2026-01-01T00:00:00Z";

/// One run of a strategy that gets advice from memory, and what the run teaches.
class Life {
 public:
  Life(std::uint64_t family, std::uint64_t sibling, std::vector<Experience> known,
       std::uint64_t run = 0)
      : world_({.seed = family, .sibling = sibling}),
        seed_(1000 * run + 100 * family + sibling),
        known_(std::move(known)),
        learner_({&task_, Target::Cpu, "box", "run"}, {}) {
    task_.task.name = "task " + std::to_string(sibling);
    task_.task.family = "family " + std::to_string(family);
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  search::Play play(bool is_told, std::size_t evaluations = kAll) {
    search::PlayOptions options;
    options.evaluations = evaluations;
    options.on_tell = [this](const search::PlayedAsk& played) { observe(played); };
    if (is_told)
      options.told = [this](const std::string& technique, Bound at) {
        return factor(technique, at);
      };
    const auto strategy =
        search::make_strategy("refine", {}, search::options_in(world_, seed_)).value();
    return search::play(*strategy, world_, options, seed_);
  }
  const std::vector<Experience>& taught() const { return taught_; }
  const task::Definition& task() const { return task_; }
  /// Called with every attempt, to keep what is learnt.
  std::function<void(const Attempt&)> on_attempt = [](const Attempt&) {};

 private:
  /// Builds the attempt that the engine would have stored.
  void observe(const search::PlayedAsk& played) {
    const auto& [ask, tell] = played;
    Attempt attempt;
    attempt.number = ask.id;
    attempt.parent = ask.parent;
    attempt.candidate.sha256 = "source " + std::to_string(tell.idea);
    if (tell.written) attempt.candidate.techniques = tell.written->techniques;
    attempt.evaluation.verdict = {tell.stage, tell.outcome, "as the world has it"};
    attempt.against_baseline = tell.speedup;
    WorkloadResult workload;
    workload.group = Group::Time;
    workload.roofline.bound = tell.traits.bound;
    attempt.evaluation.workloads = {workload};
    on_attempt(attempt);
    learner_.observe(attempt, true, kToday);
    for (const Experience& one : learner_.take_experience()) {
      taught_.push_back(one);
      known_.push_back(one);
    }
  }

  /// How much more readily a writer uses a technique because the prompt recommends it: up to five
  /// times.
  double factor(const std::string& technique, Bound at) const {
    const memory::AdviceScope scope{task_.task.name, task_.task.family, Target::Cpu, "box", at,
                                    kToday};
    for (const memory::TechniqueAdvice& advice : memory::advise(known_, scope))
      if (advice.technique == technique) return std::clamp(std::exp(8 * advice.promise), 0.2, 5.0);
    return 1;
  }

  const TechniqueWorld world_;
  const std::uint64_t seed_;
  task::Definition task_;
  std::vector<Experience> known_;
  memory::Learner learner_;
  std::vector<Experience> taught_;
};

/// Experience from runs on other tasks of the family.
std::vector<Experience> taught_by_others(std::uint64_t family) {
  static std::map<std::uint64_t, std::vector<Experience>> known;
  std::vector<Experience>& all = known[family];
  if (!all.empty()) return all;
  for (std::uint64_t sibling = 1; sibling <= kTeachers; ++sibling) {
    Life teacher(family, sibling, {});
    teacher.play(false);
    all.insert(all.end(), teacher.taught().begin(), teacher.taught().end());
  }
  return all;
}

/// Experience in which harmful techniques seem to help, and helpful ones to harm.
std::vector<Experience> reversed(std::vector<Experience> all) {
  for (Experience& one : all) {
    one.count.gain = one.count.worked > 0 ? -one.count.gain : one.count.tried;
    one.count.worked = one.count.tried;
  }
  return all;
}

/// Geometric means, over the families, of the best speedup after the first attempts and after all
/// attempts.
struct Means {
  double first = 0;
  double last = 0;
};

template <class Known>
Means means_of(Known known, bool is_told, std::uint64_t run = 0) {
  Means sums;
  for (std::uint64_t family = 1; family <= kFamilies; ++family) {
    const auto played = Life(family, kPupil, known(family), run).play(is_told);
    sums.first += std::log(std::max(0.1, played.best_after.at(kFirst - 1)));
    sums.last += std::log(std::max(0.1, played.best_after.back()));
  }
  return {std::exp(sums.first / kFamilies), std::exp(sums.last / kFamilies)};
}

std::vector<Experience> nothing(std::uint64_t) { return {}; }

TEST(MemoryLandscapeTest, WhatOtherTasksTaughtImprovesFirstAttempts) {
  const Means without = means_of(nothing, false);
  const Means with = means_of(taught_by_others, true);
  std::printf("without: %.3f after %zu attempts, %.3f after %zu; with: %.3f, %.3f\n", without.first,
              kFirst, without.last, kAll, with.first, with.last);
  EXPECT_GT(with.first, 1.1 * without.first);
  EXPECT_GE(with.last, 0.98 * without.last);
}

TEST(MemoryLandscapeTest, WrongMemoriesAreOutweighedByWhatRunsOnTheTaskSee) {
  const auto wrong = [](std::uint64_t family) { return reversed(taught_by_others(family)); };
  // The wrong experience, plus what two misled runs on the task itself have added.
  const auto corrected = [&](std::uint64_t family) {
    std::vector<Experience> known = wrong(family);
    for (const std::uint64_t run : {1, 2}) {
      Life misled(family, kPupil, known, run);
      misled.play(true);
      known.insert(known.end(), misled.taught().begin(), misled.taught().end());
    }
    return known;
  };
  constexpr std::uint64_t kThird = 3;
  const Means without = means_of(nothing, false, kThird);
  const Means misled = means_of(wrong, true, kThird);
  const Means third = means_of(corrected, true, kThird);
  for (const auto& [name, means] :
       {std::pair("without", without), {"misled", misled}, {"third", third}})
    std::printf("%s: %.3f after %zu attempts, %.3f after %zu\n", name, means.first, kFirst,
                means.last, kAll);
  EXPECT_GT(misled.last, 0.9 * without.last) << "they cost little even at once";
  EXPECT_GT(third.first, 1.05 * misled.first);
  EXPECT_GT(third.first, 0.95 * without.first) << "as if it had never been misled";
}

/// A workspace that a run has taught about a family, and short runs on one more task of the family.
class Workspace {
 public:
  static constexpr std::size_t kFew = 20;  // number of attempts, few because each is stored

  explicit Workspace(std::uint64_t family) : family_(family) { run(kPupil - 1, false); }

  /// What a run on the task kPupil asks for, and the outcome of each ask.
  std::vector<std::string> asks(bool is_frozen) {
    std::vector<std::string> asks;
    for (const search::PlayedAsk& played : run(kPupil, is_frozen).asks)
      asks.push_back(search::encode_ask(played.ask) + std::string(name_of(played.tell.outcome)));
    return asks;
  }

 private:
  search::Play run(std::uint64_t sibling, bool is_frozen) {
    Life life(family_, sibling, store_.lessons().experience().value());
    const Learning learning{&life.task(), Target::Cpu, "box"};
    RunConfig config;
    config.task = life.task().task.name;
    config.strategy = "refine";
    config.uses_memory = true;
    config.freezes_memory = is_frozen;
    const RunSummary run = store_.create(config, "then").value();
    auto lessons = Lessons::open(&learning, store_, clock_, run).value();
    life.on_attempt = [&](const Attempt& attempt) {
      const auto learnt = lessons->observe(attempt, true);
      EXPECT_TRUE(store_.append(run, attempt, learnt, lessons->take_experience()));
    };
    return life.play(true, kFew);
  }

  const std::uint64_t family_;
  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-frozen").value());
  platform::MemoryDisk disk_;
  store::RunStore store_ = store::RunStore::open(dir_.path(), disk_).value();
  platform::FakeClock clock_{0, 1'767'225'600};  // kToday in seconds since 1970
};

TEST(MemoryLandscapeTest, RunsAreEqualWhereMemoryIsFrozen) {
  int differ = 0;
  for (std::uint64_t family = 1; family <= 4; ++family) {
    Workspace workspace(family);
    const auto first = workspace.asks(true);
    EXPECT_EQ(workspace.asks(true), first) << "family " << family;
    const auto teaching = workspace.asks(false);
    EXPECT_EQ(teaching, first) << "it began with the same";
    differ += workspace.asks(false) != first;
  }
  EXPECT_GE(differ, 1) << "what the run before has taught is told";
}

}  // namespace
}  // namespace kw::engine
