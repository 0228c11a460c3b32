// Shows the best kernel for each target side by side.
// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/stored_run.h"
#include "engine/run.h"
#include "record/codec.h"
#include "report/plot.h"
#include "report/workload_table.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::cli {
namespace {

/// This project's aim for a GPU kernel: 5 to 10 times the throughput of the CPU kernel.
constexpr double kLeastGain = 5;
constexpr double kFullGain = 10;
/// The share of the roofline to reach where the task sets no goal.
constexpr double kNearRoof = 0.8;

/// The best run of one target.
struct Best {
  Target target = Target::Cpu;
  report::RunData data;
  Evaluation evaluation;   ///< The evaluation of the confirmation, or else of the search.
  double items_per_s = 0;  ///< Throughput: geometric mean over the timed workloads.

  bool is_confirmed() const { return data.confirmation.has_value(); }
};

std::vector<const WorkloadResult*> timed(const Evaluation& e) {
  std::vector<const WorkloadResult*> found;
  for (const WorkloadResult& w : e.workloads)
    if (w.group == Group::Time && w.median_ns > 0) found.push_back(&w);
  return found;
}

double mean_items(const Evaluation& e) {
  double log_sum = 0;
  const auto workloads = timed(e);
  for (const WorkloadResult* w : workloads) {
    if (w->items_per_s <= 0) return 0;
    log_sum += std::log(w->items_per_s);
  }
  return workloads.empty() ? 0 : std::exp(log_sum / static_cast<double>(workloads.size()));
}

/// The best run of a target: confirmed runs before unconfirmed ones, then the highest throughput.
Result<std::optional<Best>> best_run(const store::RunStore& store, const Task& task,
                                     Target target) {
  std::optional<Best> best;
  for (const RunSummary& run : KW_TRY(store.list())) {
    const RunConfig& config = run.config;
    if (config.task != task.name || config.target != target || config.carrier == "synthetic" ||
        config.task_sha256 != task.sha256 || run.best_attempt == 0)
      continue;
    Best candidate{target, KW_TRY(load_run(store, run.name)), {}, 0};
    candidate.evaluation = candidate.data.confirmation ? *candidate.data.confirmation
                                                       : candidate.data.best->evaluation;
    candidate.items_per_s = mean_items(candidate.evaluation);
    const auto rank = [](const Best& b) { return std::pair(b.is_confirmed(), b.items_per_s); };
    if (!best || rank(*best) < rank(candidate)) best = std::move(candidate);
  }
  return best;
}

Result<std::vector<Target>> parse_targets(const std::string& text) {
  std::vector<Target> targets;
  for (const std::string_view name : split(text, ',')) {
    const auto target = enum_from<Target>(trim(name));
    if (!target) return fail_input("--targets lists cpu and cuda, not '" + std::string(name) + "'");
    if (std::ranges::find(targets, *target) != targets.end())
      return fail_input("--targets names " + std::string(name) + " twice");
    targets.push_back(*target);
  }
  return targets;
}

/// The task's sequential code on the CPU, as the best run for the CPU measured it. The reference
/// was timed alone and at the CPU's sizes, so it is shown beside the kernels but no ratio uses it.
struct Reference {
  std::string name;
  Evaluation evaluation;
  double items_per_s = 0;  ///< 0: the reference was not timed.
};

Result<Reference> sequential_reference(const Global& global, const store::RunStore& store,
                                       const task::Definition& definition, const Best& cpu) {
  Reference reference{task::reference_candidate(definition).name, {}, 0};
  const auto facts = KW_TRY(session::remembered_device(store, Target::Cpu));
  const auto bench = session::LocalJudge::open_compilers(global, {Target::Cpu, ""});
  if (!facts || !bench) return reference;
  const auto workbench = KW_TRY(workbench_of(global, cpu.data.run));
  for (engine::BaselineStanding& standing : KW_TRY(engine::recall_baselines(
           *workbench, store, session::judge_id_of(*facts, (*bench)->compiler()))))
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
std::string plot(const task::Definition& definition, const std::vector<Best>& bests) {
  std::vector<report::Series> series;
  std::vector<double> sizes;
  for (const Best& best : bests) {
    const std::string name(name_of(best.target));
    report::Series reached{name + ": " + best.data.best->candidate.name, {}, {}};
    report::Series roof{name + " roofline", {}, {}};
    for (const WorkloadResult* w : timed(best.evaluation)) {
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

Json workloads_json(const Evaluation& e) {
  Json workloads = Json::array();
  for (const WorkloadResult* w : timed(e))
    workloads.push_back(report::workload_json(report::WorkloadJson::Targets, *w));
  return workloads;
}

Json best_json(const Best& best) {
  Json object{
      {"target", name_of(best.target)},
      {"run", best.data.run.name},
      {"kernel", best.data.best->candidate.name},
      {"device", best.evaluation.machine},
      {"baseline", best.evaluation.speedup.baseline},
      {"baseline_trust_class",
       best.evaluation.opponent_class ? Json(name_of(*best.evaluation.opponent_class)) : Json()},
      {"speedup", best.evaluation.speedup.value},
      {"is_confirmed", best.is_confirmed()},
      {"items_per_s", best.items_per_s},
      {"roofline_fraction", best.evaluation.roofline_fraction},
      {"workloads", workloads_json(best.evaluation)}};
  return object;
}

Json reference_json(const Reference& reference) {
  if (reference.items_per_s <= 0) return {};
  return {{"target", name_of(Target::Cpu)},
          {"kernel", reference.name},
          {"device", reference.evaluation.machine},
          {"items_per_s", reference.items_per_s},
          {"workloads", workloads_json(reference.evaluation)}};
}

void print_workloads(const Evaluation& e) {
  for (const WorkloadResult* w : timed(e))
    fmt::print("{}\n", report::workload_line(report::WorkloadTable::Targets, *w));
}

void print_best(const Best& best) {
  const Speedup& speedup = best.evaluation.speedup;
  fmt::print("{:<5} {} of {} on {}: {:.3f}x {}{}\n", name_of(best.target),
             best.data.best->candidate.name, best.data.run.name, best.evaluation.machine,
             speedup.value, best.evaluation.opponent_words(),
             best.is_confirmed() ? "" : ", not confirmed");
  print_workloads(best.evaluation);
}

void print_reference(const Reference& reference, const std::string& task) {
  if (reference.items_per_s <= 0)
    return fmt::print(
        "cpu   the sequential reference was not timed: kw optimize {} --baseline {}\n", task,
        reference.name);
  fmt::print(
      "cpu   {}, the task's sequential code, on {}: not timed in pairs with the other kernels\n",
      reference.name, reference.evaluation.machine);
  print_workloads(reference.evaluation);
}

struct Criteria {
  /// Throughput of the last target divided by that of the first; 0: one of the targets has no run.
  double gain = 0;
  double roof = 0;  ///< The last target's share of its roofline.
  double wanted_roof = 0;
};

/// The gain in relation to the project's goal, in words.
std::string beside_goal(double gain) {
  if (gain < kLeastGain) return fmt::format("below the goal of {:g}x", kLeastGain);
  return gain < kFullGain ? fmt::format("above the goal of {:g}x", kLeastGain)
                          : fmt::format("above {:g}x", kFullGain);
}

void print_criteria(const Criteria& c, const std::vector<Best>& bests) {
  if (c.gain > 0)
    fmt::print("{} over {}: {:.3g}x in items a second, {}\n", name_of(bests.back().target),
               name_of(bests.front().target), c.gain, beside_goal(c.gain));
  fmt::print("{}: {:.2f} of the roofline as mean of the timed workloads, {} the goal of {:.2g}\n",
             name_of(bests.back().target), c.roof,
             c.roof >= c.wanted_roof ? "at or above" : "below", c.wanted_roof);
}

}  // namespace

Result<int> compare_targets(const Global& global, const std::string& targets,
                            const std::string& task, const std::string& svg) {
  const auto wanted = KW_TRY(parse_targets(targets));
  const auto data = KW_TRY(session::open_data(global));
  const task::Definition definition = KW_TRY(session::open_task(global, data, task));
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  std::vector<Best> bests;
  std::vector<std::string> missing;
  for (const Target target : wanted) {
    if (auto best = KW_TRY(best_run(store, definition.task, target)))
      bests.push_back(std::move(*best));
    else
      missing.emplace_back(name_of(target));
  }
  if (bests.empty())
    return fail_input(ErrorCode::NotFound,
                      "no run of this task found a correct kernel; kw optimize " + task, task);
  const auto cpu = std::ranges::find(bests, Target::Cpu, &Best::target);
  std::optional<Reference> reference;
  if (cpu != bests.end()) reference = KW_TRY(sequential_reference(global, store, definition, *cpu));
  Criteria criteria;
  if (bests.size() > 1 && bests.front().items_per_s > 0)
    criteria.gain = bests.back().items_per_s / bests.front().items_per_s;
  criteria.roof = bests.back().evaluation.roofline_fraction;
  criteria.wanted_roof = definition.task.goals.roof.value_or(kNearRoof);
  if (!svg.empty()) KW_TRY(platform::write_user_file(svg, plot(definition, bests)));
  if (global.json) {
    Json object{{"task", definition.task.name},
                {"targets", Json::array()},
                {"missing", missing},
                {"gain", criteria.gain > 0 ? Json(criteria.gain) : Json()},
                {"roofline_fraction", criteria.roof},
                {"wanted_roofline_fraction", criteria.wanted_roof}};
    for (const Best& best : bests) object["targets"].push_back(best_json(best));
    object["reference"] = reference ? reference_json(*reference) : Json();
    if (!svg.empty()) object["svg"] = svg;
    std::printf("%s\n", dump_json(object).c_str());
    return kDone;
  }
  for (const Best& best : bests) print_best(best);
  if (reference) print_reference(*reference, task);
  for (const std::string& target : missing)
    fmt::print("{:<5} no run with a correct kernel: kw optimize {} --target {}\n", target, task,
               target);
  print_criteria(criteria, bests);
  fmt::print("note: times of different targets come from separate runs, not from paired calls\n");
  if (!svg.empty()) fmt::print("plot: {}\n", svg);
  return kDone;
}

}  // namespace kw::cli
