// Judges one kernel at each size of a sweep.
// SPDX-License-Identifier: Apache-2.0
#include "session/sweep.h"

#include <fmt/format.h>

#include "base/rng.h"
#include "base/text.h"
#include "session/given_kernel.h"
#include "session/judging/task_judge.h"
#include "session/sweep_files.h"
#include "session/tasks.h"
#include "task/resolve.h"

namespace kw::session {
namespace {

constexpr const char* kFallback =
    "a baseline: no --kernel is given, and no run of this task has a correct kernel";

/// The timed workload that the sweep varies.
Result<task::WorkloadSpec> base_workload(const task::Definition& definition, Target target,
                                         const std::string& name) {
  std::vector<std::string> names;
  for (const task::WorkloadSpec& spec : definition.workloads) {
    if (spec.group != Group::Time || !spec.is_for(target)) continue;
    if (name.empty() || spec.name == name) return spec;
    names.push_back(spec.name);
  }
  if (name.empty())
    return fail_input(
        ErrorCode::Missing, About{"workload"},
        fmt::format("the task has no timed workload for target {} whose sizes could be varied",
                    name_of(target)),
        definition.folder);
  return fail_input(ErrorCode::NotFound,
                    "the task has no timed workload named '" + name + "'" + suggestion(name, names),
                    definition.folder);
}

Result<> set_dim(task::WorkloadSpec& spec, const task::Definition& definition,
                 const std::string& dim, std::int64_t value) {
  const auto known = spec.dims.find(dim);
  if (known == spec.dims.end())
    return fail_input(ErrorCode::NotFound,
                      "the task has no dim '" + dim + "'; it has " + join(definition.dims, ", "),
                      "--dim");
  known->second = value;
  return {};
}

/// The workload that the sweep varies, with the dims that the plan fixes.
Result<task::WorkloadSpec> first_workload(const task::Definition& definition,
                                          const SweepRequest& request) {
  const SweepRange& plan = request.plan;
  auto spec = KW_TRY(base_workload(definition, request.aim.target, request.workload));
  for (const auto& [dim, value] : plan.fixed) KW_TRY(set_dim(spec, definition, dim, value));
  KW_TRY(set_dim(spec, definition, plan.dim, plan.values.front()));
  return spec;
}

/// The kernel that a sweep judges at each size, and its opponent.
struct Contest {
  Candidate kernel;
  std::string from;  ///< Where the kernel comes from, in words.
  /// The baseline to compare with; nothing if the swept kernel is itself the best baseline.
  std::optional<Candidate> opponent;
};

Result<Contest> best_of(const store::RunStore& store, const RunSummary& run, Target target,
                        const task::Definition& definition) {
  return Contest{
      KW_TRY(best_of_run(store, run, target, definition)), "best of run " + run.name, {}};
}

/// The kernel of the request's file, or else of its run, or else of the latest run on this task.
/// Nothing if there is none, so that the best baseline is swept.
Result<std::optional<Contest>> kernel_of(const Options& options, const SweepRequest& request,
                                         const store::RunStore& store,
                                         const task::Definition& definition) {
  const Target target = request.aim.target;
  if (!request.kernel.empty())
    return Contest{
        KW_TRY(kernel_in_file(options, request.kernel, target, definition)), request.kernel, {}};
  if (!request.run.empty())
    return KW_TRY(best_of(store, KW_TRY(store.find(request.run)), target, definition));
  const auto runs = KW_TRY(store.list());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    if (run->config.task == definition.task.name && run->config.target == target &&
        run->best_attempt != 0)
      return KW_TRY(best_of(store, *run, target, definition));
  return std::nullopt;
}

Result<Contest> contest_for(const Options& options, const SweepRequest& request,
                            const store::RunStore& store, TaskJudge& judge) {
  auto contest = KW_TRY(kernel_of(options, request, store, judge.definition()));
  const auto standings = KW_TRY(engine::time_baselines(judge.surroundings(options.is_interrupted)));
  Candidate baseline = KW_TRY(engine::choose_baseline(standings, request.baseline))->candidate;
  if (!contest) return Contest{std::move(baseline), kFallback, {}};
  contest->opponent = std::move(baseline);
  return std::move(*contest);
}

Result<SweepPoint> judge_point(TaskJudge& judge, const task::WorkloadSpec& spec, std::int64_t value,
                               const Contest& contest) {
  SweepPoint point;
  point.value = value;
  Workload workload = KW_TRY(task::resolve(judge.definition(), spec));
  if (workload.bytes() > workload_limit(judge.facts())) {
    point.skipped = "the tensors need " +
                    format_bytes(static_cast<std::uint64_t>(workload.bytes())) +
                    ", more than a tenth of the memory";
    return point;
  }
  judge.workbench().set_workloads({std::move(workload)});
  auto request = KW_TRY(
      judge.workbench().request(contest.kernel, contest.opponent ? &*contest.opponent : nullptr));
  request.id = "sweep-" + spec.name;
  request.skipped.clear();
  request.seed = Seed::from_os().low;
  point.evaluation = KW_TRY(judge.carrier().evaluate(std::move(request)));
  return point;
}

}  // namespace

const WorkloadResult* SweepPoint::timed() const {
  for (const WorkloadResult& w : evaluation.workloads)
    if (w.group == Group::Time && w.median_ns > 0) return &w;
  return nullptr;
}

std::string SweepPoint::outcome() const {
  return skipped.empty() ? std::string(name_of(evaluation.verdict.outcome)) : "skipped";
}

std::string SweepPoint::failure_words() const { return engine::failure_words(evaluation.verdict); }

Result<SweepResult> sweep(const Options& options, const SweepRequest& request,
                          SweepObserver& observer) {
  const SweepRange& plan = request.plan;
  auto definition = KW_TRY(open_accepted_task(options, KW_TRY(open_data(options)), request.task));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, request.aim.target, request.baseline));
  task::WorkloadSpec spec = KW_TRY(first_workload(definition, request));
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const auto judge = KW_TRY(
      TaskJudge::open(options, &store, std::move(definition), request.aim, request.baseline));
  KW_TRY(judge->machine().ensure_ceilings());
  const Contest contest = KW_TRY(contest_for(options, request, store, *judge));
  SweepResult result;
  result.task = judge->definition().task.name;
  result.dim = plan.dim;
  result.kernel = contest.kernel.name;
  result.kernel_from = contest.from;
  if (contest.opponent) result.baseline = contest.opponent->name;
  result.device = judge->facts();
  observer.on_begin(result);
  for (const std::int64_t value : plan.values) {
    KW_TRY(set_dim(spec, judge->definition(), plan.dim, value));
    spec.name = plan.dim + "=" + std::to_string(value);
    auto point = judge_point(*judge, spec, value, contest);
    const bool is_interrupted = options.is_interrupted && options.is_interrupted();
    if (!point && is_interrupted && !result.points.empty()) break;
    result.points.push_back(KW_TRY(std::move(point)));
    observer.on_point(result, result.points.back());
  }
  result.is_whole = result.points.size() == plan.values.size();
  KW_TRY(write_sweep(store, result));
  return result;
}

}  // namespace kw::session
