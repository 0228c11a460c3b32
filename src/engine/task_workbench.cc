// From a task's definition to evaluation requests.
// SPDX-License-Identifier: Apache-2.0
#include "engine/task_workbench.h"

#include <algorithm>

#include "base/text.h"
#include "engine/written.h"
#include "propose/generic.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::engine {
namespace {

search::Idea search_idea(const propose::Idea& idea) {
  const Origin origin = idea.candidate.origin;
  return {idea.candidate.name, space_of(idea.header), idea.candidate.techniques,
          origin == Origin::Task || origin == Origin::Playbook};
}

}  // namespace

Result<TaskWorkbench> TaskWorkbench::create(task::Definition definition,
                                            const std::map<std::string, std::string>& playbook,
                                            const TaskWorkbenchOptions& options) {
  TaskWorkbench bench;
  bench.options_ = options;
  auto resolved = KW_TRY(task::resolve(definition, options.target, options.max_bytes));
  bench.workloads_ = std::move(resolved.workloads);
  bench.skipped_ = std::move(resolved.skipped);
  bench.ideas_ = KW_TRY(propose::gather_ideas(definition, playbook, options.target));
  for (const propose::Idea& idea : bench.ideas_) bench.search_ideas_.push_back(search_idea(idea));
  bench.definition_ = std::move(definition);
  KW_TRY(bench.gather_baselines(options.has_openblas));
  bench.references_ = task::reference_units(bench.definition_);
  const bool is_timed = std::any_of(bench.workloads_.begin(), bench.workloads_.end(),
                                    [](const Workload& w) { return w.group == Group::Time; });
  if (!is_timed)
    return fail("no timed workload of this task fits this machine's " +
                    std::string(name_of(options.target)) + " target",
                bench.definition_.folder);
  return bench;
}

Result<> TaskWorkbench::gather_cpu_baselines() {
  baselines_.push_back(task::reference_candidate(definition_));
  const auto is_named = [&](const char* name) {
    return std::any_of(definition_.baselines.begin(), definition_.baselines.end(),
                       [&](const Candidate& c) { return c.name == name; });
  };
  if (!is_named("omp")) {
    const std::string source = propose::parallel_form(definition_.task, definition_.reference);
    if (!source.empty()) {
      auto parallel = task::make_candidate("omp", source, Origin::Baseline, {});
      if (!parallel) return fail(task::to_text(parallel.error()), definition_.folder);
      baselines_.push_back(std::move(*parallel));
    }
  }
  return {};
}

Result<> TaskWorkbench::gather_baselines(bool has_openblas) {
  if (options_.target == Target::Cpu) KW_TRY(gather_cpu_baselines());
  for (const Candidate& c : definition_.baselines) {
    if (c.target != options_.target) continue;
    if (!c.libraries.empty() && !has_openblas) {
      notices_.push_back("baseline " + c.name + " is left out: " + join(c.libraries, ", ") +
                         " is not installed");
      continue;
    }
    baselines_.push_back(c);
  }
  return {};
}

Result<Candidate> TaskWorkbench::candidate(int idea, const KnobPoint& knobs) const {
  KW_ASSERT(idea >= 0 && static_cast<std::size_t>(idea) < ideas_.size());
  const propose::Idea& source = ideas_[static_cast<std::size_t>(idea)];
  if (!source.header.is_valid(knobs))
    return fail("knobs " + search::to_text(knobs) + " do not exist", source.candidate.name);
  Candidate c = source.candidate;
  c.knobs = knobs;
  return c;
}

Result<BuildUnit> TaskWorkbench::unit_of(const Candidate& candidate, const char* role) const {
  auto unit = task::candidate_unit(definition_.task, candidate, role);
  if (!unit) return fail(task::to_text(unit.error()), candidate.name);
  return std::move(*unit);
}

EvaluationRequest TaskWorkbench::references() const {
  EvaluationRequest request;
  request.task = definition_.task;
  request.workloads = workloads_;
  request.skipped = skipped_;
  request.jail = options_.jail;
  request.units = references_;
  return request;
}

Result<EvaluationRequest> TaskWorkbench::request(const Candidate& candidate,
                                                 const Candidate* opponent) const {
  EvaluationRequest request = references();
  request.candidate = candidate;
  request.units.push_back(KW_TRY(unit_of(candidate, "candidate")));
  if (opponent != nullptr) {
    request.opponent = *opponent;
    request.units.push_back(KW_TRY(unit_of(*opponent, "opponent")));
  }
  return request;
}

}  // namespace kw::engine
