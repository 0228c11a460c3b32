// A strategy in a world, under the conditions of a cell.
// SPDX-License-Identifier: Apache-2.0
#include "cli/suite_worlds.h"

#include <charconv>

#include "cli/suite_plan.h"
#include "search/strategy.h"

namespace kw::cli {
namespace {

/// Equal seeds in several worlds are to be several samples.
std::uint64_t lots_of(const report::SuiteCell& cell, const search::TechniqueWorld& world) {
  return Seed::from_number(cell.seed).child(world.options().seed).low;
}

std::unique_ptr<search::Strategy> strategy_of(const report::SuiteCell& cell,
                                              const search::TechniqueWorld& world,
                                              std::size_t evaluations) {
  const search::StrategyInfo& info = **search::find_strategy(cell.method.strategy);
  search::StrategyOptions options = search::options_in(world, lots_of(cell, world));
  options.preset = cell.method.preset;
  // All of the budget is for what its name says; a chain has its published depth.
  if (info.name != "staged") options.rounds = static_cast<int>(evaluations);
  options.writes = static_cast<int>(evaluations);
  options.tuning_points = evaluations;
  if (cell.method.knowledge == "off") {
    options.graph = nullptr;
    options.freezes_graph = true;
  }
  return info.make(info.is_writing ? std::vector<search::Idea>() : world.ideas(), options);
}

}  // namespace

const search::TechniqueWorld& Worlds::at(const std::string& task) {
  const std::lock_guard guard(mutex_);
  auto& world = worlds_[task];
  if (world == nullptr) {
    search::WorldOptions options;
    const std::string_view seed =
        std::string_view(task).substr(std::string_view(kWorldPrefix).size());
    std::from_chars(seed.data(), seed.data() + seed.size(), options.seed);
    world = std::make_unique<search::TechniqueWorld>(options);
  }
  return *world;
}

void search_world(const task::SuiteSpec& spec, Worlds& worlds, report::SuiteCell& cell) {
  const search::TechniqueWorld& world = worlds.at(cell.task);
  const auto evaluations = static_cast<std::size_t>(spec.budget.evaluations);
  const auto strategy = strategy_of(cell, world, evaluations);
  const auto feedback = enum_from<FeedbackLevel>(cell.method.feedback);
  const search::Play played = play(*strategy, world, {evaluations, 1}, lots_of(cell, world),
                                   feedback.value_or(FeedbackLevel::Profile));
  cell.optimum = world.best_speedup();
  cell.speedup = played.best;
  cell.is_win = played.best > 1;
  for (const search::PlayedAsk& p : played.asks)
    cell.tries.push_back({p.ask.role == search::Role::Write, p.tell.stage, p.tell.outcome,
                          p.tell.is_correct() ? p.tell.speedup.value : 0});
}

}  // namespace kw::cli
