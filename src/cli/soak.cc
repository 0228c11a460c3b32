// kw soak FILE --task T: judges one kernel on fresh inputs again and again for the given time, with
// its whole output checked.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/contains.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/soak_tally.h"
#include "cli/target_flags.h"
#include "engine/task_workbench.h"
#include "search/budget.h"
#include "session/given_kernel.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/header.h"
#include "task/resolve.h"

namespace kw::cli {
namespace {

struct SoakFlags {
  std::string file;
  std::string task;
  TargetFlags target;
  std::vector<std::string> settings;
  std::string time = "60s";
  std::string grow;
};

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
  if (best == nullptr) return fail_input("the task has no workload to check", definition.folder);
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
    if (workload.bytes() > session::workload_limit(carrier_.facts())) return std::nullopt;
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

struct Soaked {
  std::string task;
  std::string dim;
  SoakTally tally;
  std::vector<GrowthPoint> growth;
  std::string growth_ended;  ///< Why the dim was not doubled further.
  bool is_interrupted = false;
  Verdict verdict{Stage::Check, Outcome::Correct, ""};
  double elapsed_ns = 0;
};

/// Doubles the dimension until the time for growing is used up, a judgement fails, or a value does
/// not fit the machine's memory or the task (a reference may have too many launches for a plan).
Result<> grow(Soak& soak, const task::WorkloadSpec& spec, double budget_ns, Soaked& to) {
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

Json to_json(const Soaked& s) {
  Json workloads = Json::array();
  for (const SoakedWorkload& w : s.tally.workloads())
    workloads.push_back({{"name", w.name},
                         {"judgements", w.judgements},
                         {"first_rel_l2", w.first_rel_l2},
                         {"last_rel_l2", w.last_rel_l2},
                         {"worst_rel_l2", w.worst_rel_l2},
                         {"worst_max_abs_diff", w.worst_max_abs},
                         {"worst_gate_fraction", w.worst_gate_fraction},
                         {"is_nondeterministic", w.is_nondeterministic}});
  Json growth = Json::array();
  for (const GrowthPoint& p : s.growth)
    growth.push_back({{"value", p.value},
                      {"outcome", name_of(p.outcome)},
                      {"rel_l2", p.rel_l2},
                      {"max_abs_diff", p.max_abs},
                      {"gate_fraction", p.gate_fraction}});
  Json verdict;  // null before the first judgement
  if (s.tally.judgements() > 0)
    verdict = {{"stage", name_of(s.verdict.stage)},
               {"outcome", name_of(s.verdict.outcome)},
               {"evidence", s.verdict.evidence}};
  return {{"task", s.task},
          {"verdict", std::move(verdict)},
          {"is_interrupted", s.is_interrupted},
          {"judgements", s.tally.judgements()},
          {"elapsed_ns", s.elapsed_ns},
          {"workloads", workloads},
          {"dim", s.dim},
          {"growth", growth},
          {"growth_ended", s.growth_ended},
          {"growth_exponent", growth_exponent(s.growth)}};
}

void print(const Soaked& s) {
  if (s.is_interrupted) fmt::print("interrupted; ");
  if (s.tally.judgements() == 0)
    fmt::print("no judgement of the shipped shapes ended within {}\n", format_ns(s.elapsed_ns));
  else
    fmt::print("{} after {} judgements in {}{}{}\n", name_of(s.verdict.outcome),
               s.tally.judgements(), format_ns(s.elapsed_ns),
               s.verdict.evidence.empty() ? "" : ": ", s.verdict.evidence);
  for (const SoakedWorkload& w : s.tally.workloads())
    fmt::print(
        "  {:<18} {:>6} times  rel. L2 first {:.1e}, last {:.1e}, worst {:.1e}; {:.2f} of "
        "the tolerance{}\n",
        w.name, w.judgements, w.first_rel_l2, w.last_rel_l2, w.worst_rel_l2, w.worst_gate_fraction,
        w.is_nondeterministic ? "; not the same bits twice" : "");
  for (const GrowthPoint& p : s.growth)
    fmt::print("  {} = {:<10} {:<14} rel. L2 {:.1e}, max {:.1e}\n", s.dim, p.value,
               name_of(p.outcome), p.rel_l2, p.max_abs);
  if (s.growth.size() > 1)
    fmt::print("the error grows as {} to the power of {:.2f}\n", s.dim, growth_exponent(s.growth));
  if (!s.growth_ended.empty()) fmt::print("doubled no further: {}\n", s.growth_ended);
}

Result<int> soak(const Global& global, const SoakFlags& flags) {
  const auto budget_ns = static_cast<double>(KW_TRY(as_input(search::parse_duration(flags.time))));
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_accepted_task(global, data, flags.task));
  const Aim aim = KW_TRY(flags.target.aim(flags.file));
  const Candidate candidate =
      KW_TRY(session::kernel_in_file(global, flags.file, aim.target, definition, flags.settings));
  std::optional<task::WorkloadSpec> growing;
  if (!flags.grow.empty()) growing = KW_TRY(growing_workload(definition, aim.target, flags.grow));
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const auto bench = KW_TRY(session::LocalJudge::open(global, &store, aim));
  auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(session::workbench_options(global, aim, bench->facts()))));
  // Timed workloads are left out because they are large: only a few inputs a minute could be
  // judged.
  auto shapes = workbench.workloads();
  std::erase_if(shapes, [](const Workload& w) { return w.group == Group::Time; });
  workbench.set_workloads(std::move(shapes));
  Soak judge(workbench, bench->carrier(), candidate);

  const std::int64_t start = judge.now_ns();
  const auto elapsed = [&] { return static_cast<double>(judge.now_ns() - start); };
  Soaked soaked;
  soaked.task = workbench.definition().task.name;
  soaked.dim = flags.grow;
  const auto is_interrupted = [&] { return global.is_interrupted && global.is_interrupted(); };
  const auto run = [&]() -> Result<> {
    if (growing) KW_TRY(grow(judge, *growing, kGrowthShare * budget_ns, soaked));
    while (soaked.tally.judgements() == 0 || elapsed() < budget_ns) {
      const Evaluation evaluation = KW_TRY(judge.judge());
      soaked.tally.add(evaluation);
      soaked.verdict = evaluation.verdict;
      if (!evaluation.verdict.is_correct() || is_interrupted()) break;
    }
    return {};
  };
  // An interruption ends a wait for the worker with an error, but what was judged before still
  // counts.
  if (auto ended = run(); !ended && !is_interrupted()) return std::unexpected(ended.error());
  soaked.is_interrupted = soaked.verdict.is_correct() && is_interrupted();
  soaked.elapsed_ns = elapsed();
  if (global.json)
    std::printf("%s\n", dump_json(to_json(soaked)).c_str());
  else
    print(soaked);
  if (soaked.is_interrupted) return kInterrupted;
  return soaked.verdict.is_correct() ? kDone : kNotGood;
}

}  // namespace

Command soak_command() {
  auto flags = std::make_shared<SoakFlags>();
  Command command;
  command.name = "soak";
  command.summary =
      "Check one kernel on ever new inputs for a given time; Ctrl-C ends the check early";
  command.declare = [flags](Flags& f) {
    f.positional("file", flags->file, "Source file of the kernel to check");
    f.text("--task", flags->task, "Task folder, or name of a shipped task");
    flags->target.declare(f, false);
    f.texts("--set", flags->settings, "Value of a knob of the kernel, as K=V; repeatable");
    f.text("--time", flags->time, "How long to check, such as 60s");
    f.text("--grow", flags->grow,
           "Dim, such as the number of time steps, that is doubled to see how the error grows");
  };
  command.run = [flags](const Global& global) {
    if (flags->task.empty()) return report_error(global, {"--task is required", ""}, kUsage);
    return end_command(global, soak(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
