// kw sweep TASK --dim n=64..512: judges one kernel over sizes, and writes a table and a plot.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/stored_run.h"
#include "cli/sweep_range.h"
#include "cli/target_flags.h"
#include "engine/run.h"
#include "report/plot.h"
#include "report/workload_table.h"
#include "session/given_kernel.h"
#include "session/local_judge.h"
#include "session/tasks.h"
#include "task/resolve.h"

namespace kw::cli {
namespace {

struct SweepFlags {
  std::string task;
  TargetFlags target;
  std::vector<std::string> dims;
  std::string kernel;
  std::string run;
  std::string baseline;
  std::string workload;
};

constexpr const char* kFallback =
    "a baseline: no --kernel is given, and no run of this task has a correct kernel";

struct Point {
  std::int64_t value = 0;
  Evaluation evaluation;
  std::string skipped;  ///< Why the point was not judged.

  bool is_good() const { return !skipped.empty() || evaluation.verdict.is_correct(); }
  const WorkloadResult* timed() const {
    for (const WorkloadResult& w : evaluation.workloads)
      if (w.group == Group::Time && w.median_ns > 0) return &w;
    return nullptr;
  }
};

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
      KW_TRY(session::best_of_run(store, run, target, definition)), "best of run " + run.name, {}};
}

/// The kernel of --kernel, or else of --run, or else of the latest run on this task. Nothing if
/// there is none, so that the best baseline is swept.
Result<std::optional<Contest>> kernel_of(const Global& global, const SweepFlags& flags,
                                         Target target, const store::RunStore& store,
                                         const task::Definition& definition) {
  if (!flags.kernel.empty())
    return Contest{KW_TRY(session::kernel_in_file(global, flags.kernel, target, definition)),
                   flags.kernel,
                   {}};
  if (!flags.run.empty())
    return KW_TRY(best_of(store, KW_TRY(store.find(flags.run)), target, definition));
  const auto runs = KW_TRY(store.list());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    if (run->config.task == definition.task.name && run->config.target == target &&
        run->best_attempt != 0)
      return KW_TRY(best_of(store, *run, target, definition));
  return std::nullopt;
}

class Sweep {
 public:
  Sweep(engine::TaskWorkbench& workbench, evaluate::PipeCarrier& carrier)
      : workbench_(workbench), carrier_(carrier) {}

  Result<Point> judge(const task::WorkloadSpec& spec, std::int64_t value, const Candidate& kernel,
                      const Candidate* opponent) {
    Point point;
    point.value = value;
    Workload workload = KW_TRY(task::resolve(workbench_.definition(), spec));
    if (workload.bytes() > session::workload_limit(carrier_.facts())) {
      point.skipped = "the tensors need " +
                      format_bytes(static_cast<std::uint64_t>(workload.bytes())) +
                      ", more than a tenth of the memory";
      return point;
    }
    workbench_.set_workloads({std::move(workload)});
    auto request = KW_TRY(workbench_.request(kernel, opponent));
    request.id = "sweep-" + spec.name;
    request.skipped.clear();
    request.seed = Seed::from_os().low;
    point.evaluation = KW_TRY(carrier_.evaluate(std::move(request)));
    return point;
  }

 private:
  engine::TaskWorkbench& workbench_;
  evaluate::PipeCarrier& carrier_;
};

std::string csv_of(const std::string& dim, const std::vector<Point>& points) {
  std::string text =
      fmt::format("{},outcome,{}\n", dim, report::workload_csv_header(report::WorkloadCsv::Sweep));
  for (const Point& p : points) {
    const WorkloadResult* w = p.timed();
    const std::string outcome =
        p.skipped.empty() ? std::string(name_of(p.evaluation.verdict.outcome)) : "skipped";
    text += fmt::format("{},{},{}\n", p.value, outcome,
                        w == nullptr ? report::workload_csv_blank(report::WorkloadCsv::Sweep)
                                     : report::workload_csv(report::WorkloadCsv::Sweep, *w));
  }
  return text;
}

std::string svg_of(const std::string& title, const std::string& dim,
                   const std::vector<Point>& points, const std::string& kernel,
                   const std::string& opponent) {
  report::Series mine{kernel, {}, {}};
  report::Series theirs{opponent, {}, {}};
  for (const Point& p : points) {
    const WorkloadResult* w = p.timed();
    if (w == nullptr) continue;
    mine.x.push_back(static_cast<double>(p.value));
    mine.y.push_back(w->items_per_s);
    if (w->opponent_ns <= 0) continue;
    theirs.x.push_back(static_cast<double>(p.value));
    theirs.y.push_back(w->items_per_s * w->median_ns / w->opponent_ns);
  }
  std::vector<report::Series> series{std::move(mine)};
  if (!theirs.x.empty()) series.push_back(std::move(theirs));
  return report::line_svg({title, dim, "items/s", true, true}, series);
}

/// The path runs/sweeps/<task>-<dim>-<n>, where n is the first free number.
Result<platform::Path> stem_for(const store::RunStore& store, const std::string& task,
                                const std::string& dim) {
  const platform::Path folder = store.root() / "sweeps";
  KW_TRY(platform::make_dirs(folder));
  for (int n = 1;; ++n) {
    const platform::Path stem = folder / fmt::format("{}-{}-{}", task, dim, n);
    std::error_code ignored;
    if (!std::filesystem::exists(stem.string() + ".csv", ignored)) return stem;
  }
}

void print_point(const std::string& dim, const Point& p) {
  const WorkloadResult* w = p.timed();
  if (!p.skipped.empty()) {
    fmt::print(stderr, "{}={:<8} skipped: {}\n", dim, p.value, p.skipped);
  } else if (w == nullptr) {
    fmt::print(stderr, "{}={:<8} {}\n", dim, p.value, engine::failure_words(p.evaluation.verdict));
  } else {
    fmt::print(stderr, "{}={:<8} {}\n", dim, p.value,
               report::workload_line(report::WorkloadTable::Sweep, *w));
  }
}

Result<Contest> contest_for(const Global& global, const SweepFlags& flags, Target target,
                            const store::RunStore& store, const task::Definition& definition,
                            const engine::Surroundings& surroundings) {
  auto contest = KW_TRY(kernel_of(global, flags, target, store, definition));
  const auto standings = KW_TRY(engine::time_baselines(surroundings));
  Candidate baseline = KW_TRY(engine::choose_baseline(standings, flags.baseline))->candidate;
  if (!contest) return Contest{std::move(baseline), kFallback, {}};
  contest->opponent = std::move(baseline);
  return std::move(*contest);
}

/// Prints which kernels the sweep compares: "20_packed (best of run matmul-1) against omp on AMD
/// EPYC".
void print_contest(const Contest& contest, const DeviceFacts& facts) {
  fmt::print(stderr, "{} ({}){} on {}\n", contest.kernel.name, contest.from,
             contest.opponent ? " against " + contest.opponent->name : "", facts.model);
}

Json points_json(const std::vector<Point>& points) {
  Json list = Json::array();
  for (const Point& p : points) {
    Json point{{"value", p.value}};
    point["outcome"] = p.skipped.empty() ? name_of(p.evaluation.verdict.outcome) : "skipped";
    point["evidence"] = p.skipped.empty() ? p.evaluation.verdict.evidence : p.skipped;
    if (const WorkloadResult* w = p.timed()) {
      point.update(report::workload_json(report::WorkloadJson::Sweep, *w));
    }
    list.push_back(std::move(point));
  }
  return list;
}

Result<int> sweep(const Global& global, const SweepFlags& flags) {
  const SweepRange plan = KW_TRY(parse_sweep(flags.dims));
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_accepted_task(global, data, flags.task));
  const Aim aim = KW_TRY(flags.target.aim(flags.kernel));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, aim.target, flags.baseline));
  task::WorkloadSpec spec = KW_TRY(base_workload(definition, aim.target, flags.workload));
  for (const auto& [dim, value] : plan.fixed) KW_TRY(set_dim(spec, definition, dim, value));
  KW_TRY(set_dim(spec, definition, plan.dim, plan.values.front()));
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const auto bench = KW_TRY(session::LocalJudge::open(global, &store, aim));
  auto workbench = KW_TRY(engine::TaskWorkbench::create(
      definition, {}, KW_TRY(session::workbench_options(global, aim, bench->facts()))));
  KW_TRY(workbench.check_baseline(flags.baseline));
  KW_TRY(bench->ensure_ceilings());
  engine::Observer quiet;
  const engine::Surroundings surroundings{workbench,
                                          bench->carrier(),
                                          store,
                                          platform::real_clock(),
                                          quiet,
                                          global.is_interrupted,
                                          Seed::from_os().low,
                                          bench->judge_id()};
  const Contest contest =
      KW_TRY(contest_for(global, flags, aim.target, store, definition, surroundings));
  if (!global.json) print_contest(contest, bench->facts());
  Sweep judge(workbench, bench->carrier());
  std::vector<Point> points;
  for (const std::int64_t value : plan.values) {
    KW_TRY(set_dim(spec, definition, plan.dim, value));
    spec.name = plan.dim + "=" + std::to_string(value);
    auto point =
        judge.judge(spec, value, contest.kernel, contest.opponent ? &*contest.opponent : nullptr);
    if (!point && global.is_interrupted() && !points.empty()) break;
    points.push_back(KW_TRY(std::move(point)));
    if (!global.json) print_point(plan.dim, points.back());
  }
  const bool is_whole = points.size() == plan.values.size();
  const std::string opponent = contest.opponent ? contest.opponent->name : "";
  const platform::Path stem = KW_TRY(stem_for(store, definition.task.name, plan.dim));
  const std::string csv = stem.string() + ".csv";
  const std::string svg = stem.string() + ".svg";
  KW_TRY(platform::write_file_atomic(csv, csv_of(plan.dim, points), false));
  KW_TRY(platform::write_file_atomic(svg,
                                     svg_of(definition.task.name + " over " + plan.dim, plan.dim,
                                            points, contest.kernel.name, opponent),
                                     false));
  if (global.json)
    std::printf("%s\n", dump_json({{"task", definition.task.name},
                                   {"dim", plan.dim},
                                   {"kernel", contest.kernel.name},
                                   {"kernel_from", contest.from},
                                   {"baseline", opponent},
                                   {"device", bench->facts().id},
                                   {"is_whole", is_whole},
                                   {"points", points_json(points)},
                                   {"csv", csv},
                                   {"svg", svg}})
                            .c_str());
  else
    std::printf("%s\n%s\n", csv.c_str(), svg.c_str());
  if (!is_whole) return kInterrupted;
  return std::ranges::all_of(points, &Point::is_good) ? kDone : kNotGood;
}

}  // namespace

Command sweep_command() {
  auto flags = std::make_shared<SweepFlags>();
  Command command;
  command.name = "sweep";
  command.summary = "Time one kernel over a range of sizes";
  command.declare = [flags](Flags& f) {
    f.positional("task", flags->task, "Task folder, or name of a shipped task");
    f.texts("--dim", flags->dims,
            "n=64..512 doubles, n=64..512:64 steps, n=64..4096*4 multiplies; k=256 fixes another");
    flags->target.declare(f, true);
    f.text("--kernel", flags->kernel,
           "Source file to time; default: the best of --run, else the fastest baseline");
    f.text("--run", flags->run, "Run whose best kernel is timed; default: the latest of the task");
    f.text("--baseline", flags->baseline,
           "Baseline to compare with, by name; default: the fastest");
    f.text("--workload", flags->workload, "Timed workload whose sizes vary; default: the first");
  };
  command.run = [flags](const Global& global) {
    // The sweep handles signals itself, so that an interruption still writes the points judged so
    // far.
    const platform::SignalGuard signals;
    Global watched = global;
    watched.is_interrupted = [&signals] { return signals.is_interrupted(); };
    return end_command(watched, sweep(watched, *flags));
  };
  return command;
}

}  // namespace kw::cli
