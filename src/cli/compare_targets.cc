// Shows the best kernel for each target side by side.
// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "platform/files.h"
#include "record/codec.h"
#include "record/target.h"
#include "report/workload_table.h"
#include "session/compare_targets.h"

namespace kw::cli {
namespace {

Result<std::vector<Target>> parse_targets(const std::string& text) {
  std::vector<Target> targets;
  for (const std::string_view name : split(text, ',')) {
    const auto target = enum_from<Target>(trim(name));
    if (!target)
      return fail_input(
          ErrorCode::BadInput, About{std::string(name)},
          "--targets lists " + target_names(" and ") + ", not '" + std::string(name) + "'");
    if (std::ranges::find(targets, *target) != targets.end())
      return fail_input(ErrorCode::Contradiction, About{std::string(name)},
                        "--targets names " + std::string(name) + " twice");
    targets.push_back(*target);
  }
  return targets;
}

Json workloads_json(const Evaluation& e) {
  Json workloads = Json::array();
  for (const WorkloadResult* w : session::timed_workloads(e))
    workloads.push_back(report::workload_json(report::WorkloadJson::Targets, *w));
  return workloads;
}

Json best_json(const session::BestOfTarget& best) {
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

Json reference_json(const session::SequentialReference& reference) {
  if (reference.items_per_s <= 0) return {};
  return {{"target", name_of(reference.target)},
          {"kernel", reference.name},
          {"device", reference.evaluation.machine},
          {"items_per_s", reference.items_per_s},
          {"workloads", workloads_json(reference.evaluation)}};
}

void print_workloads(const Evaluation& e) {
  for (const WorkloadResult* w : session::timed_workloads(e))
    fmt::print("{}\n", report::workload_line(report::WorkloadTable::Targets, *w));
}

void print_best(const session::BestOfTarget& best) {
  const Speedup& speedup = best.evaluation.speedup;
  fmt::print("{:<5} {} of {} on {}: {:.3f}x {}{}\n", name_of(best.target),
             best.data.best->candidate.name, best.data.run.name, best.evaluation.machine,
             speedup.value, best.evaluation.opponent_words(),
             best.is_confirmed() ? "" : ", not confirmed");
  print_workloads(best.evaluation);
}

void print_reference(const session::SequentialReference& reference, const std::string& task) {
  if (reference.items_per_s <= 0)
    return fmt::print(
        "{:<5} the sequential reference was not timed: kw optimize {} --baseline {}\n",
        name_of(reference.target), task, reference.name);
  fmt::print(
      "{:<5} {}, the task's sequential code, on {}: not timed in pairs with the other kernels\n",
      name_of(reference.target), reference.name, reference.evaluation.machine);
  print_workloads(reference.evaluation);
}

/// The gain in relation to the project's goal, in words.
std::string beside_goal(double gain) {
  if (gain < session::kLeastGain)
    return fmt::format("below the goal of {:g}x", session::kLeastGain);
  return gain < session::kFullGain ? fmt::format("above the goal of {:g}x", session::kLeastGain)
                                   : fmt::format("above {:g}x", session::kFullGain);
}

void print_criteria(const session::TargetComparison& c) {
  if (c.gain > 0)
    fmt::print("{} over {}: {:.3g}x in items a second, {}\n", name_of(c.bests.back().target),
               name_of(c.bests.front().target), c.gain, beside_goal(c.gain));
  fmt::print("{}: {:.2f} of the roofline as mean of the timed workloads, {} the goal of {:.2g}\n",
             name_of(c.bests.back().target), c.roof,
             c.roof >= c.wanted_roof ? "at or above" : "below", c.wanted_roof);
}

Json comparison_json(const session::TargetComparison& c, const std::string& svg) {
  Json object{{"task", c.task},
              {"targets", Json::array()},
              {"missing", Json::array()},
              {"gain", c.gain > 0 ? Json(c.gain) : Json()},
              {"roofline_fraction", c.roof},
              {"wanted_roofline_fraction", c.wanted_roof}};
  for (const Target target : c.missing) object["missing"].push_back(name_of(target));
  for (const session::BestOfTarget& best : c.bests) object["targets"].push_back(best_json(best));
  object["reference"] = c.reference ? reference_json(*c.reference) : Json();
  if (!svg.empty()) object["svg"] = svg;
  return object;
}

}  // namespace

Result<int> compare_targets(const Global& global, const std::string& targets,
                            const std::string& task, const std::string& svg) {
  const auto compared =
      KW_TRY(session::compare_targets(global, task, KW_TRY(parse_targets(targets))));
  if (!svg.empty()) KW_TRY(platform::write_user_file(svg, compared.svg));
  if (global.json) {
    std::printf("%s\n", dump_json(comparison_json(compared, svg)).c_str());
    return kDone;
  }
  for (const session::BestOfTarget& best : compared.bests) print_best(best);
  if (compared.reference) print_reference(*compared.reference, task);
  for (const Target target : compared.missing)
    fmt::print("{:<5} no run with a correct kernel: kw optimize {} --target {}\n", name_of(target),
               task, name_of(target));
  print_criteria(compared);
  fmt::print("note: times of different targets come from separate runs, not from paired calls\n");
  if (!svg.empty()) fmt::print("plot: {}\n", svg);
  return kDone;
}

}  // namespace kw::cli
