// kw sweep TASK --dim n=64..512: judges one kernel over sizes, and writes a table and a plot.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/sweep_range.h"
#include "cli/target_flags.h"
#include "platform/signals.h"
#include "report/workload_table.h"
#include "session/sweep.h"

namespace kw::cli {
namespace {

using session::SweepPoint;
using session::SweepResult;

struct SweepFlags {
  std::string task;
  TargetFlags target;
  std::vector<std::string> dims;
  std::string kernel;
  std::string run;
  std::string baseline;
  std::string workload;
};

/// Prints which kernels are compared and each point as soon as it is judged.
class Printer final : public session::SweepObserver {
 public:
  /// "20_packed (best of run matmul-1) against omp on AMD EPYC".
  void on_begin(const SweepResult& sweep) override {
    fmt::print(stderr, "{} ({}){} on {}\n", sweep.kernel, sweep.kernel_from,
               sweep.baseline.empty() ? "" : " against " + sweep.baseline, sweep.device.model);
  }
  void on_point(const SweepResult& sweep, const SweepPoint& p) override {
    const WorkloadResult* w = p.timed();
    if (!p.skipped.empty()) {
      fmt::print(stderr, "{}={:<8} skipped: {}\n", sweep.dim, p.value, p.skipped);
    } else if (w == nullptr) {
      fmt::print(stderr, "{}={:<8} {}\n", sweep.dim, p.value, p.failure_words());
    } else {
      fmt::print(stderr, "{}={:<8} {}\n", sweep.dim, p.value,
                 report::workload_line(report::WorkloadTable::Sweep, *w));
    }
  }
};

Json points_json(const std::vector<SweepPoint>& points) {
  Json list = Json::array();
  for (const SweepPoint& p : points) {
    Json point{{"value", p.value}};
    point["outcome"] = p.outcome();
    point["evidence"] = p.skipped.empty() ? p.evaluation.verdict.evidence : p.skipped;
    if (const WorkloadResult* w = p.timed())
      point.update(report::workload_json(report::WorkloadJson::Sweep, *w));
    list.push_back(std::move(point));
  }
  return list;
}

Result<int> sweep(const Global& global, const SweepFlags& flags) {
  session::SweepRequest request;
  request.plan = KW_TRY(parse_sweep(flags.dims));
  request.task = flags.task;
  request.aim = KW_TRY(flags.target.aim(flags.kernel));
  request.kernel = flags.kernel;
  request.run = flags.run;
  request.baseline = flags.baseline;
  request.workload = flags.workload;
  Printer printer;
  session::SweepObserver quiet;
  const SweepResult result = KW_TRY(session::sweep(
      global, request, global.json ? quiet : static_cast<session::SweepObserver&>(printer)));
  if (global.json)
    std::printf("%s\n", dump_json({{"task", result.task},
                                   {"dim", result.dim},
                                   {"kernel", result.kernel},
                                   {"kernel_from", result.kernel_from},
                                   {"baseline", result.baseline},
                                   {"device", result.device.id},
                                   {"is_whole", result.is_whole},
                                   {"points", points_json(result.points)},
                                   {"csv", result.csv},
                                   {"svg", result.svg}})
                            .c_str());
  else
    std::printf("%s\n%s\n", result.csv.c_str(), result.svg.c_str());
  if (!result.is_whole) return kInterrupted;
  return std::ranges::all_of(result.points, &SweepPoint::is_good) ? kDone : kNotGood;
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
