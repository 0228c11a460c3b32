// kw export: writes a run as data for other programs, or a kernel as source for other programs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/export_kernel.h"
#include "record/target.h"
#include "report/export.h"
#include "report/run_folder.h"
#include "session/rewards.h"
#include "session/stored_run.h"

namespace kw::cli {
namespace {

struct ExportFlags {
  std::string format;  ///< The format; empty: jsonl.
  std::string reward;
  KernelExport kernel;  ///< The fields `kernel` and `out` serve both kinds of export.
};

const std::vector<std::string> kFormats{"jsonl", "csv", "chrome"};

using Out = std::function<void(std::string_view)>;

/// Writes the export piece by piece, so that memory does not grow with the run. `reward`
/// computes rewards again; empty: rewards stay as the run stored them.
Result<> render(const std::string& format, const store::RunStore& store,
                const report::RunData& data, const session::Rewards& reward, const Out& out) {
  // Samples are loaded for the csv table only, which contains their number.
  const auto samples = format == "csv" ? store::Samples::Load : store::Samples::LeaveOut;
  const auto each_attempt = [&](store::Sources sources, const auto& text_of) {
    const auto visit = [&](Attempt& a) -> Result<> {
      if (reward) a.reward = reward(a);
      out(text_of(a));
      return {};
    };
    return store.attempts().for_each(data.run.id, sources, visit, samples);
  };
  if (format == "csv") {
    out(report::csv_header());
    return each_attempt(store::Sources::LeaveOut, report::csv_lines);
  }
  if (format == "jsonl") {
    report::Trajectories trajectories(data);
    return each_attempt(store::Sources::Load,
                        [&](const Attempt& a) { return trajectories.line(a); });
  }
  report::ChromeTrace trace;
  out(trace.begin(data));
  KW_TRY(
      each_attempt(store::Sources::LeaveOut, [&](const Attempt& a) { return trace.attempt(a); }));
  for (const store::Event& event : KW_TRY(store.events().of(data.run.id))) out(trace.event(event));
  out(trace.end());
  return {};
}

/// Refuses flags that apply only to the export of a kernel.
Result<> refuse_flags_of_kernels(const KernelExport& flags) {
  for (const auto& [flag, text] :
       {std::pair("--task", flags.task), std::pair("--target", flags.target),
        std::pair("--arch", flags.arch), std::pair("--name", flags.name)})
    if (!text.empty())
      return fail_input(
          ErrorCode::Contradiction, About{flag},
          std::string(flag) + " has an effect only with --as, which exports a kernel");
  if (!flags.settings.empty())
    return fail_input(ErrorCode::Contradiction, About{"--set"},
                      "--set has an effect only with --as, which exports a kernel");
  return {};
}

Result<int> export_data(const Global& global, ExportFlags flags) {
  if (flags.format.empty()) flags.format = "jsonl";
  KW_TRY(refuse_flags_of_kernels(flags.kernel));
  if (std::find(kFormats.begin(), kFormats.end(), flags.format) == kFormats.end())
    return fail_input(ErrorCode::BadInput, About{with_nearest(flags.format, kFormats)},
                      "--format is jsonl, csv or chrome, not '" + flags.format + "'" +
                          suggestion(flags.format, kFormats));
  session::Rewards reward;
  if (!flags.reward.empty()) {
    if (flags.format != "jsonl")
      return fail_input(ErrorCode::Contradiction, About{"--reward"},
                        "--reward goes with --format jsonl, the only one with rewards");
    reward = KW_TRY(session::rewards_by(flags.reward));
  }
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const auto data = KW_TRY(session::load_run(store, flags.kernel.kernel));
  // With --json standard output must hold one JSON object, so the export goes to a file in the
  // run's folder.
  if (global.json && flags.kernel.out.empty())
    flags.kernel.out = (store.folder_of(data.run) /
                        (flags.format == "chrome" ? "trace.json" : "export." + flags.format))
                           .string();
  if (flags.kernel.out.empty()) {
    KW_TRY(render(flags.format, store, data, reward,
                  [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }));
    return kDone;
  }
  auto file = KW_TRY(platform::FileWriter::create(flags.kernel.out));
  std::size_t bytes = 0;
  KW_TRY(render(flags.format, store, data, reward, [&](std::string_view text) {
    bytes += text.size();
    file.write(text);
  }));
  KW_TRY(file.commit());
  if (global.json)
    std::printf("%s\n", dump_json({{"run", data.run.name},
                                   {"format", flags.format},
                                   {"path", flags.kernel.out},
                                   {"bytes", bytes}})
                            .c_str());
  else
    std::printf("%s\n", flags.kernel.out.c_str());
  return kDone;
}

Result<int> run(const Global& global, const ExportFlags& flags) {
  if (flags.kernel.form.empty()) return export_data(global, flags);
  if (!flags.format.empty())
    return fail_input(ErrorCode::Contradiction, About{"--format"},
                      "give --format (a run's data) or --as (its kernel), not both");
  if (!flags.reward.empty())
    return fail_input(ErrorCode::Contradiction, About{"--reward"},
                      "--reward goes with --format jsonl");
  return export_kernel(global, flags.kernel);
}

}  // namespace

Command export_command() {
  auto flags = std::make_shared<ExportFlags>();
  Command command;
  command.name = "export";
  command.summary = "Write a kernel for your program (--as), or a run as data (--format)";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->kernel.kernel,
                 "Name of a run, as kw runs lists it; with --as also a kernel's file");
    f.text("--as", flags->kernel.form,
           "A kernel for your program: header (C and C++), cmake, torch (pip installs it), source");
    f.text("--format", flags->format,
           "A run's data: jsonl (trajectories, the default), csv or chrome (trace)");
    f.text("--out", flags->kernel.out,
           "With --as the folder; default: export/FORM of the run, or ./TASK-FORM. Else the file; "
           "default: standard output");
    f.text("--name", flags->kernel.name, "With --as: the function's name; default: kw_TASK");
    f.text("--task", flags->kernel.task, "With --as: the task of a kernel's file");
    f.text("--target", flags->kernel.target,
           "With --as: " + target_names(" or ") + "; default: by the file's suffix");
    f.text("--arch", flags->kernel.arch,
           "With --as, " + target_names(", ", &TargetRow::needs_arch) +
               ": what to compile for, such as sm_80,sm_90a; default: the run's");
    f.texts("--set", flags->kernel.settings, "With --as: knob value K=V; repeatable");
    f.text("--reward", flags->reward,
           "Compute rewards again by this policy, from the stored verdicts; default: the run's");
  };
  command.run = [flags](const Global& global) { return end_command(global, run(global, *flags)); };
  return command;
}

}  // namespace kw::cli
