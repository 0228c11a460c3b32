// Judges one kernel on fresh inputs until its time is used up.
// SPDX-License-Identifier: Apache-2.0
#include "session/soak.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/contains.h"
#include "base/rng.h"
#include "base/text.h"
#include "session/given_kernel.h"
#include "session/judging/task_judge.h"
#include "session/tasks.h"
#include "task/resolve.h"

namespace kw::session {
namespace {

/// The share of a soak's time that is spent on growing sizes; the rest is for fresh inputs of the
/// shipped sizes. The value is our choice.
constexpr double kGrowthShare = 0.4;

/// The check workload with the most floating-point work. The soak then doubles one of its
/// dimensions again and again.
Result<task::WorkloadSpec> growing_workload(const task::Definition& definition, Target target,
                                            const std::string& dim) {
  if (!contains(definition.dims, dim))
    return fail_input(ErrorCode::NotFound,
                      "the task has no dim '" + dim + "'; it has " + join(definition.dims, ", "),
                      "--grow");
  const task::WorkloadSpec* best = nullptr;
  std::int64_t most = -1;
  for (const task::WorkloadSpec& spec : definition.workloads) {
    if (spec.group == Group::Time || !spec.is_for(target)) continue;
    const Workload workload = KW_TRY(task::resolve(definition, spec));
    if (workload.work.flops <= most) continue;
    most = workload.work.flops;
    best = &spec;
  }
  if (best == nullptr)
    return fail_input(ErrorCode::Missing, About{"workload"}, "the task has no workload to check",
                      definition.folder);
  return *best;
}

class Soak {
 public:
  Soak(engine::TaskWorkbench& workbench, evaluate::PipeCarrier& carrier, const Candidate& candidate)
      : workbench_(workbench), carrier_(carrier), candidate_(candidate) {}

  /// A clock that stops while the worker waits for other processes to free the device.
  std::int64_t now_ns() const { return platform::real_clock().now_ns() - carrier_.waited_ns(); }

  /// Judges the kernel on all shipped workloads, with inputs of a fresh seed and all outputs
  /// checked.
  Result<Evaluation> judge() {
    auto request = KW_TRY(workbench_.request(candidate_, nullptr));
    request.id = "soak";
    request.until = Stage::Check;
    request.seed = Seed::from_os().low;
    return carrier_.evaluate(std::move(request));
  }

  /// Judges the kernel on `spec` with this value of the dimension, together with the shipped
  /// workloads, on which a fast reference can be compared with the exact one. Nothing if the
  /// tensors would not fit into memory.
  Result<std::optional<GrowthPoint>> judge_at(task::WorkloadSpec spec, const std::string& dim,
                                              std::int64_t value) {
    spec.dims[dim] = value;
    spec.name = fmt::format("{}={}", dim, value);
    Workload workload = KW_TRY(task::resolve(workbench_.definition(), spec));
    if (workload.bytes() > workload_limit(carrier_.facts())) return std::nullopt;
    const auto shipped = workbench_.workloads();
    auto grown = shipped;
    grown.push_back(std::move(workload));
    workbench_.set_workloads(std::move(grown));
    auto evaluation = judge();
    workbench_.set_workloads(shipped);
    if (!evaluation) return std::unexpected(evaluation.error());
    GrowthPoint point{.value = value, .outcome = evaluation->verdict.outcome};
    for (const WorkloadResult& w : evaluation->workloads) {
      if (w.name != spec.name) continue;
      point.rel_l2 = w.accuracy.rel_l2;
      point.max_abs = w.accuracy.max_abs_diff;
      point.gate_fraction = w.accuracy.gate_fraction;
    }
    return point;
  }

 private:
  engine::TaskWorkbench& workbench_;
  evaluate::PipeCarrier& carrier_;
  const Candidate& candidate_;
};

/// Doubles the dimension until the time for growing is used up, a judgement fails, or a value does
/// not fit the machine's memory or the task (a reference may have too many launches for a plan).
Result<> grow(Soak& soak, const task::WorkloadSpec& spec, double budget_ns, SoakResult& to) {
  const std::int64_t start = soak.now_ns();
  std::int64_t value = spec.dims.at(to.dim);
  double last_ns = 0;
  for (;; value *= 2) {
    const std::int64_t began = soak.now_ns();
    // The next, doubled value takes about twice as long as the last one.
    if (static_cast<double>(began - start) + 2 * last_ns > budget_ns && !to.growth.empty()) {
      to.growth_ended = "the part of --time for doubling was used up";
      break;
    }
    const auto judged = soak.judge_at(spec, to.dim, value);
    if (!judged && (to.growth.empty() || !judged.error().is_input)) {
      to.growth_ended = "interrupted";
      return std::unexpected(judged.error());
    }
    if (!judged || !*judged) {
      to.growth_ended =
          fmt::format("{} = {}: {}", to.dim, value,
                      judged ? "more memory than a workload may take here" : judged.error().what);
      break;
    }
    const GrowthPoint& point = **judged;
    to.growth.push_back(point);
    last_ns = static_cast<double>(soak.now_ns() - began);
    if (point.outcome != Outcome::Correct) {
      to.growth_ended = "the kernel was not correct at this size";
      break;
    }
    if (value > std::numeric_limits<std::int32_t>::max() / 4) {
      to.growth_ended = "the next size does not fit into 32 bits";
      break;
    }
  }
  return {};
}

}  // namespace

Result<SoakResult> soak(const Options& options, const SoakRequest& request) {
  auto definition = KW_TRY(open_accepted_task(options, KW_TRY(open_data(options)), request.task));
  const Candidate candidate = KW_TRY(
      kernel_in_file(options, request.file, request.aim.target, definition, request.settings));
  std::optional<task::WorkloadSpec> growing;
  if (!request.grow.empty())
    growing = KW_TRY(growing_workload(definition, request.aim.target, request.grow));
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const auto judge = KW_TRY(TaskJudge::open(options, &store, std::move(definition), request.aim));
  // Timed workloads are left out because they are large: only a few inputs a minute could be
  // judged.
  auto shapes = judge->workbench().workloads();
  std::erase_if(shapes, [](const Workload& w) { return w.group == Group::Time; });
  judge->workbench().set_workloads(std::move(shapes));
  Soak soak(judge->workbench(), judge->carrier(), candidate);

  const std::int64_t start = soak.now_ns();
  const auto elapsed = [&] { return static_cast<double>(soak.now_ns() - start); };
  SoakResult result;
  result.task = judge->definition().task.name;
  result.dim = request.grow;
  const auto is_interrupted = [&] { return options.is_interrupted && options.is_interrupted(); };
  const auto run = [&]() -> Result<> {
    if (growing) KW_TRY(grow(soak, *growing, kGrowthShare * request.budget_ns, result));
    while (result.tally.judgements() == 0 || elapsed() < request.budget_ns) {
      const Evaluation evaluation = KW_TRY(soak.judge());
      result.tally.add(evaluation);
      result.verdict = evaluation.verdict;
      if (!evaluation.verdict.is_correct() || is_interrupted()) break;
    }
    return {};
  };
  // An interruption ends a wait for the worker with an error, but what was judged before still
  // counts.
  if (auto ended = run(); !ended && !is_interrupted()) return std::unexpected(ended.error());
  result.is_interrupted = result.verdict.is_correct() && is_interrupted();
  result.elapsed_ns = elapsed();
  return result;
}

}  // namespace kw::session
