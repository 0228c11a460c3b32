// Turns a task's definition into evaluation requests.
// SPDX-License-Identifier: Apache-2.0
#include "engine/task_workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/contains.h"
#include "base/text.h"
#include "engine/run.h"
#include "engine/written.h"
#include "propose/generic.h"
#include "record/target.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"
#include "task/units.h"

namespace kw::engine {
namespace {

search::Idea search_idea(const propose::SourceIdea& idea, search::Validity fits) {
  const Origin origin = idea.candidate.origin;
  return {idea.candidate.name, space_of(idea.header, std::move(fits)), idea.candidate.techniques,
          origin == Origin::Task || origin == Origin::Playbook,
          task::dialect_of(idea.header).begins_chains};
}

/// Says why an idea has no point on this device: the demands on the device that are not met, or
/// that its knobs and the device's limits exclude each other.
std::string why_left_out(const propose::SourceIdea& idea, const std::string& arch) {
  std::vector<std::string> missed;
  for (const Expr& condition : idea.header.requirements) {
    const bool is_of_device = std::ranges::all_of(condition.names(), [&](const std::string& name) {
      return idea.header.limits.contains(name);
    });
    if (is_of_device && condition.evaluate(idea.header.limits).value_or(0) == 0)
      missed.push_back(condition.text());
  }
  const std::string why = missed.empty() ? "no combination of its knobs satisfies its requirements"
                                         : "it requires " + join(missed, " and ");
  return fmt::format("{} is left out: {}; this device is {}", idea.candidate.name, why, arch);
}

}  // namespace

Result<TaskWorkbench> TaskWorkbench::create(task::Definition definition,
                                            const std::map<std::string, std::string>& playbook,
                                            const TaskWorkbenchOptions& options) {
  const auto& archs = definition.task.restrictions.archs;
  if (row_of(options.target).needs_arch && !archs.empty() && !options.gpu.empty() &&
      !contains(archs, options.gpu.front().arch))
    return fail_input(
        ErrorCode::Unsupported, About{options.gpu.front().arch},
        fmt::format("this task is for {}, but code would be compiled for {}: give --arch {}",
                    join(archs, ", "), options.gpu.front().arch, join(archs, " or --arch ")),
        definition.folder);
  TaskWorkbench bench;
  bench.options_ = options;
  bench.notices_ = options.notices;
  auto resolved = KW_TRY(task::resolve(definition, options.target, options.max_bytes));
  bench.workloads_ = std::move(resolved.workloads);
  bench.skipped_ = std::move(resolved.skipped);
  bench.ideas_ = KW_TRY(propose::gather_ideas(definition, playbook, options.target));
  bench.definition_ = std::move(definition);
  bench.gather_search_ideas();
  KW_TRY(bench.gather_baselines());
  bench.references_ = task::reference_units(bench.definition_);
  const bool is_timed = std::any_of(bench.workloads_.begin(), bench.workloads_.end(),
                                    [](const Workload& w) { return w.group == Group::Time; });
  if (!is_timed)
    return fail_input(ErrorCode::NoMemory, About{"timed workloads"},
                      "no timed workload of this task fits this machine's " +
                          std::string(name_of(options.target)) + " target",
                      bench.definition_.folder);
  return bench;
}

/// What decides whether a knob point fits. Shared with the spaces that ask for it, because they may
/// outlive the workbench.
struct TaskWorkbench::Site {
  task::Definition definition;
  std::vector<Workload> timed;
  GpuFacts gpu;
};

void TaskWorkbench::gather_search_ideas() {
  if (row_of(options_.target).launches_by_plan) {
    auto site = std::make_shared<Site>(Site{definition_, {}, options_.gpu.front()});
    for (const Workload& w : workloads_)
      if (w.group == Group::Time) site->timed.push_back(w);
    site_ = std::move(site);
    std::erase_if(ideas_, [&](propose::SourceIdea& idea) {
      const DialectRow& dialect = task::dialect_of(idea.header);
      if (!dialect.headers.empty() && !options_.has_dialect_headers) {
        notices_.push_back(fmt::format("{} is left out: it needs {}, which are not found; {}",
                                       idea.candidate.name, dialect.headers,
                                       dialect.headers_advice));
        return true;
      }
      idea.header.limits = task::device_limits(options_.gpu.front());
      if (idea.header.points(1).empty()) {
        notices_.push_back(why_left_out(idea, arch()));
        return true;
      }
      idea.candidate.knobs = idea.header.default_point();
      return false;
    });
  }
  for (const propose::SourceIdea& idea : ideas_)
    search_ideas_.push_back(search_idea(idea, fits(idea.candidate)));
}

// A tuner takes a point as invalid if its plan does not fit the device or a timed workload.
search::Validity TaskWorkbench::fits(const Candidate& candidate) const {
  if (!site_) return {};
  return [site = site_, candidate](const KnobPoint& point) {
    Candidate variant = candidate;
    variant.knobs = point;
    return task::candidate_plans(site->definition, variant, "candidate", site->timed, site->gpu)
        .has_value();
  };
}

namespace {

/// The baselines that a task has for a target: where references run also its reference and, if it
/// names no parallel form, the one made from the reference.
Result<std::vector<Candidate>> baselines_of(const task::Definition& definition, Target target) {
  std::vector<Candidate> baselines;
  if (row_of(target).runs_references) {
    baselines.push_back(task::reference_candidate(definition));
    const bool has_omp = std::ranges::any_of(definition.baselines,
                                             [](const Candidate& c) { return c.name == "omp"; });
    if (const std::string source =
            has_omp ? "" : propose::parallel_form(definition.task, definition.reference);
        !source.empty()) {
      auto parallel = task::make_candidate("omp", source, Origin::Baseline, {});
      if (!parallel)
        return fail_input(ErrorCode::TaskAtFault, About{"omp"}, task::to_text(parallel.error()),
                          definition.folder);
      baselines.push_back(std::move(*parallel));
    }
  }
  std::ranges::copy_if(definition.baselines, std::back_inserter(baselines),
                       [&](const Candidate& c) { return c.target == target; });
  return baselines;
}

}  // namespace

Result<> TaskWorkbench::check_baseline(const task::Definition& definition, Target target,
                                       const std::string& name) {
  return find_baseline(KW_TRY(baselines_of(definition, target)), name);
}

Result<> TaskWorkbench::check_baseline(const std::string& name) const {
  if (const auto left_out = left_out_.find(name); left_out != left_out_.end())
    return fail_input(ErrorCode::Unsupported, About{name}, left_out->second, "--baseline");
  return find_baseline(baselines_, name);
}

void TaskWorkbench::leave_out(const std::string& baseline, const std::string& why) {
  notices_.push_back("baseline " + baseline + " is left out: " + why);
  left_out_.emplace(baseline, notices_.back());
}

Result<> TaskWorkbench::gather_baselines() {
  for (Candidate& c : KW_TRY(baselines_of(definition_, options_.target))) {
    // The reference and its parallel form can be built everywhere.
    if (const std::string why = options_.why_not_built ? options_.why_not_built(c) : "";
        !why.empty()) {
      leave_out(c.name, why);
      continue;
    }
    baselines_.push_back(std::move(c));
  }
  return {};
}

Result<Candidate> TaskWorkbench::candidate(int idea, const KnobPoint& knobs) const {
  KW_ASSERT(idea >= 0 && static_cast<std::size_t>(idea) < ideas_.size());
  const propose::SourceIdea& source = ideas_[static_cast<std::size_t>(idea)];
  if (!source.header.is_valid(knobs))
    return fail(ErrorCode::OutOfRange, About{search::to_text(knobs)},
                "the kernel allows no setting of its knobs '" + search::to_text(knobs) + "'",
                source.candidate.name);
  Candidate c = source.candidate;
  c.knobs = knobs;
  return c;
}

std::string TaskWorkbench::arch() const {
  return options_.gpu.empty() ? std::string() : options_.gpu.front().arch;
}

Result<> TaskWorkbench::add(EvaluationRequest& request, const Candidate& candidate,
                            const char* role) const {
  auto unit = task::candidate_unit(definition_.task, candidate, role, arch());
  if (!unit)
    return fail_input(ErrorCode::BadInput, About{"unit"}, task::to_text(unit.error()),
                      candidate.name);
  request.units.push_back(std::move(*unit));
  if (!row_of(candidate.target).launches_by_plan) return {};
  auto plans =
      task::candidate_plans(definition_, candidate, role, request.workloads, options_.gpu.front());
  if (!plans)
    return fail_input(ErrorCode::BadInput, About{"plan"}, task::to_text({plans.error().finding}),
                      candidate.name);
  std::ranges::move(*plans, std::back_inserter(request.plans));
  return {};
}

std::vector<PlanFault> TaskWorkbench::faults_of(const Candidate& candidate) const {
  std::vector<PlanFault> faults;
  const auto unit = task::candidate_unit(definition_.task, candidate, "candidate", arch());
  if (!unit) {
    for (const Finding& finding : unit.error())
      faults.push_back({make_verdict(Stage::Screen, Outcome::Rejected,
                                     {.kind = EvidenceKind::DirectiveRefused,
                                      .place = finding.place,
                                      .detail = finding.text}),
                        finding});
    return faults;
  }
  auto plans =
      task::candidate_plans(definition_, candidate, "candidate", workloads_, options_.gpu.front());
  if (!plans) faults.push_back(std::move(plans.error()));
  return faults;
}

Result<EvaluationRequest> TaskWorkbench::references() const {
  EvaluationRequest request;
  request.task = definition_.task;
  request.workloads = workloads_;
  request.skipped = skipped_;
  request.jail = options_.jail;
  request.units = references_;
  request.gpu = options_.gpu;
  for (const auto& [fast, role] : {std::pair(&definition_.reference_fast, "reference_fast"),
                                   std::pair(&definition_.magnitude_fast, "magnitude_fast")})
    if (*fast && (*fast)->target == options_.target) KW_TRY(add(request, **fast, role));
  return request;
}

Result<EvaluationRequest> TaskWorkbench::request(const Candidate& candidate,
                                                 const Candidate* opponent) const {
  EvaluationRequest request = KW_TRY(references());
  request.candidate = candidate;
  if (row_of(options_.target).launches_by_plan) request.plan_faults = faults_of(candidate);
  if (!request.plan_faults.empty()) return request;
  KW_TRY(add(request, candidate, "candidate"));
  if (opponent != nullptr) {
    request.opponent = *opponent;
    KW_TRY(add(request, *opponent, "opponent"));
  }
  return request;
}

}  // namespace kw::engine
