// Finds the best run of a task for each target.
// SPDX-License-Identifier: Apache-2.0
#include "session/compare_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/run.h"
#include "record/target.h"
#include "report/plot.h"
#include "session/judging/local_judge.h"
#include "session/searching/run_workbench.h"
#include "session/stored_run.h"
#include "session/tasks.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::session {
namespace {

/// The share of the roofline to reach where the task sets no goal.
constexpr double kNearRoof = 0.8;

double mean_items(const Evaluation& e) {
  double log_sum = 0;
  const auto workloads = timed_workloads(e);
  for (const WorkloadResult* w : workloads) {
    if (w->items_per_s <= 0) return 0;
    log_sum += std::log(w->items_per_s);
  }
  return workloads.empty() ? 0 : std::exp(log_sum / static_cast<double>(workloads.size()));
}

/// The best run of a target: confirmed runs before unconfirmed ones, then the highest throughput.
Result<std::optional<BestOfTarget>> best_run(const store::RunStore& store, const Task& task,
                                             Target target) {
  std::optional<BestOfTarget> best;
  for (const RunSummary& run : KW_TRY(store.list())) {
    const RunConfig& config = run.config;
    if (config.task != task.name || config.target != target || config.carrier == "synthetic" ||
        config.task_sha256 != task.sha256 || run.best_attempt == 0)
      continue;
    BestOfTarget candidate{target, KW_TRY(load_run(store, run.name)), {}, 0};
    candidate.evaluation = candidate.data.confirmation ? *candidate.data.confirmation
                                                       : candidate.data.best->evaluation;
    candidate.items_per_s = mean_items(candidate.evaluation);
    const auto rank = [](const BestOfTarget& b) {
      return std::pair(b.is_confirmed(), b.items_per_s);
    };
    if (!best || rank(*best) < rank(candidate)) best = std::move(candidate);
  }
  return best;
}

Result<SequentialReference> sequential_reference(const Options& options,
                                                 const store::RunStore& store,
                                                 const task::Definition& definition,
                                                 const BestOfTarget& own) {
  SequentialReference reference{own.target, task::reference_candidate(definition).name, {}, 0};
  const auto facts = KW_TRY(remembered_device(store, own.target));
  const auto bench = LocalJudge::open_compilers(options, {own.target, ""});
  if (!facts || !bench) return reference;
  const auto workbench = KW_TRY(workbench_of(options, own.data.run));
  for (engine::BaselineStanding& standing : KW_TRY(
           engine::recall_baselines(*workbench, store, judge_id_of(*facts, (*bench)->compiler()))))
    if (standing.candidate.name == reference.name) {
      reference.items_per_s = mean_items(standing.evaluation);
      reference.evaluation = std::move(standing.evaluation);
    }
  return reference;
}

double bytes_of(const task::Definition& definition, const std::string& workload) {
  for (const task::WorkloadSpec& spec : definition.workloads)
    if (spec.name == workload)
      if (const auto resolved = task::resolve(definition, spec))
        return static_cast<double>(resolved->bytes());
  return 0;
}

/// A plot of throughput over size, with each target's roofline and the goals.
std::string plot(const task::Definition& definition, const std::vector<BestOfTarget>& bests) {
  std::vector<report::Series> series;
  std::vector<double> sizes;
  for (const BestOfTarget& best : bests) {
    const std::string name(name_of(best.target));
    report::Series reached{name + ": " + best.data.best->candidate.name, {}, {}};
    report::Series roof{name + " roofline", {}, {}};
    for (const WorkloadResult* w : timed_workloads(best.evaluation)) {
      const double bytes = bytes_of(definition, w->name);
      sizes.push_back(bytes);
      reached.x.push_back(bytes);
      reached.y.push_back(w->items_per_s);
      if (w->roofline.fraction <= 0) continue;
      roof.x.push_back(bytes);
      roof.y.push_back(w->items_per_s / w->roofline.fraction);
    }
    series.push_back(std::move(reached));
    series.push_back(std::move(roof));
  }
  const auto [least, most] = std::ranges::minmax_element(sizes);
  if (bests.size() > 1 && least != sizes.end())
    for (const double gain : {kLeastGain, kFullGain}) {
      const double wanted = gain * bests.front().items_per_s;
      series.push_back({fmt::format("{:g}x {}", gain, name_of(bests.front().target)),
                        {*least, *most},
                        {wanted, wanted}});
    }
  return report::line_svg({definition.task.name, "bytes of all tensors", "items/s", true, true},
                          series);
}

}  // namespace

std::vector<const WorkloadResult*> timed_workloads(const Evaluation& evaluation) {
  std::vector<const WorkloadResult*> found;
  for (const WorkloadResult& w : evaluation.workloads)
    if (w.group == Group::Time && w.median_ns > 0) found.push_back(&w);
  return found;
}

Result<TargetComparison> compare_targets(const Options& options, const std::string& task,
                                         const std::vector<Target>& targets) {
  const auto data = KW_TRY(open_data(options));
  const task::Definition definition = KW_TRY(open_task(options, data, task));
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  TargetComparison result;
  result.task = definition.task.name;
  for (const Target target : targets) {
    if (auto best = KW_TRY(best_run(store, definition.task, target)))
      result.bests.push_back(std::move(*best));
    else
      result.missing.push_back(target);
  }
  const auto& bests = result.bests;
  if (bests.empty())
    return fail_input(ErrorCode::NotFound,
                      "no run of this task found a correct kernel; kw optimize " + task, task);
  const auto own = std::ranges::find_if(
      bests, [](const BestOfTarget& best) { return row_of(best.target).runs_references; });
  if (own != bests.end())
    result.reference = KW_TRY(sequential_reference(options, store, definition, *own));
  if (bests.size() > 1 && bests.front().items_per_s > 0)
    result.gain = bests.back().items_per_s / bests.front().items_per_s;
  result.roof = bests.back().evaluation.roofline_fraction;
  result.wanted_roof = definition.task.goals.roof.value_or(kNearRoof);
  result.svg = plot(definition, bests);
  return result;
}

}  // namespace kw::session
