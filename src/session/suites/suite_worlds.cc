// Searches a technique world or a recorded run with a strategy, under the settings of one search of
// a suite.
// SPDX-License-Identifier: Apache-2.0
#include "session/suites/suite_worlds.h"

#include <algorithm>
#include <charconv>

#include "search/reward.h"
#include "search/strategy.h"
#include "session/searching/recorded_landscape.h"
#include "session/suites/suite_cells.h"

namespace kw::session {
namespace {

/// The random seed of a search. It also depends on the world, so that the same seed in several
/// worlds gives independent samples.
std::uint64_t lots_of(const report::SuiteCell& cell, const search::TechniqueWorld& world) {
  return Seed::from_number(cell.seed).child(world.options().seed).low;
}

std::size_t evaluations_of(const task::SuiteSpec& spec) {
  return static_cast<std::size_t>(spec.budget.evaluations);
}

std::unique_ptr<search::Strategy> strategy_of(const task::SuiteSpec& spec,
                                              const report::SuiteCell& cell,
                                              search::StrategyOptions options,
                                              const std::vector<search::Idea>& ideas) {
  const search::StrategyInfo& info = **search::find_strategy(cell.method.strategy);
  const std::size_t evaluations = evaluations_of(spec);
  options.preset = cell.method.preset;
  options.repairs = spec.repairs.value_or(options.repairs);
  // The whole budget is spent on the strategy's main step, except that staged keeps its published
  // number of rounds.
  if (info.name != "staged") options.rounds = static_cast<int>(evaluations);
  options.writes = static_cast<int>(evaluations);
  options.tuning_points = evaluations;
  if (cell.method.knowledge == "off") {
    options.graph = nullptr;
    options.freezes_graph = true;
  }
  return info.make(info.is_writing ? std::vector<search::Idea>() : ideas, options);
}

void tell_cell(const search::Play& played, double optimum, report::SuiteCell& cell) {
  cell.optimum = optimum;
  cell.speedup = played.best;
  cell.is_win = played.best > 1;
  for (const search::PlayedAsk& p : played.asks)
    cell.tries.push_back({p.ask.role == search::Role::Write, p.tell.stage, p.tell.outcome,
                          p.tell.is_correct() ? p.tell.speedup.value : 0});
}

void search_world(const task::SuiteSpec& spec, const search::TechniqueWorld& world,
                  report::SuiteCell& cell) {
  const std::uint64_t lots = lots_of(cell, world);
  const auto strategy = strategy_of(spec, cell, search::options_in(world, lots), world.ideas());
  const auto feedback = enum_from<FeedbackLevel>(cell.method.feedback);
  tell_cell(play(*strategy, world, {evaluations_of(spec), 1}, lots,
                 feedback.value_or(FeedbackLevel::Profile)),
            world.best_speedup(), cell);
}

void search_record(const task::SuiteSpec& spec, const search::RecordedLandscape& record,
                   report::SuiteCell& cell) {
  search::StrategyOptions options;
  options.seed = Seed::from_number(cell.seed).child("strategy");
  options.techniques = record.cards();
  const auto strategy = strategy_of(spec, cell, std::move(options), record.ideas());
  const auto played = play(*strategy, record, {evaluations_of(spec), 1},
                           **search::find_reward_policy(cell.method.reward), cell.seed);
  tell_cell(played.play, record.best(), cell);
  const auto count = [&](search::Recorded how) {
    return static_cast<std::size_t>(std::ranges::count(played.answers, how));
  };
  using search::Recorded;
  cell.record = {count(Recorded::Same), count(Recorded::Alike), count(Recorded::None)};
}

}  // namespace

Result<> Worlds::open(const Options& options, const std::string& task) {
  if (task.starts_with(kRecordPrefix)) {
    if (auto& record = records_[task]; record == nullptr)
      record = KW_TRY(open_record(options, task)).landscape;
    return {};
  }
  auto& world = worlds_[task];
  if (world != nullptr) return {};
  search::WorldOptions size;
  const std::string_view seed =
      std::string_view(task).substr(std::string_view(kWorldPrefix).size());
  std::from_chars(seed.data(), seed.data() + seed.size(), size.seed);
  world = std::make_unique<search::TechniqueWorld>(size);
  return {};
}

void search_inside(const task::SuiteSpec& spec, const Worlds& worlds, report::SuiteCell& cell) {
  if (cell.task.starts_with(kRecordPrefix))
    search_record(spec, worlds.record(cell.task), cell);
  else
    search_world(spec, worlds.world(cell.task), cell);
}

}  // namespace kw::session
