// kw export RUN --format jsonl|csv|chrome: a run for other programs.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/stored_run.h"
#include "report/export.h"
#include "report/run_folder.h"

namespace kw::cli {
namespace {

struct ExportFlags {
  std::string run;
  std::string format = "jsonl";
  std::string out;
};

const std::vector<std::string> kFormats{"jsonl", "csv", "chrome"};

Result<std::string> render(const std::string& format, const report::RunData& data,
                           const std::vector<store::Event>& events) {
  if (format == "jsonl") return report::trajectories_jsonl(data);
  if (format == "csv") return report::results_csv(data.attempts);
  return report::chrome_trace(data, events);
}

Result<int> run(const Global& global, ExportFlags flags) {
  if (std::find(kFormats.begin(), kFormats.end(), flags.format) == kFormats.end())
    return fail("--format is jsonl, csv or chrome, not '" + flags.format + "'" +
                suggestion(flags.format, kFormats));
  const auto store = KW_TRY(store::RunStore::open(global.workspace));
  const auto data = KW_TRY(load_run(store, flags.run));
  const std::string text = KW_TRY(render(flags.format, data, KW_TRY(store.events(data.run.id))));
  // With --json standard output is one object, so the export goes beside the run.
  if (global.json && flags.out.empty())
    flags.out = (store.folder_of(data.run) /
                 (flags.format == "chrome" ? "trace.json" : "export." + flags.format))
                    .string();
  if (flags.out.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kDone;
  }
  KW_TRY(platform::write_file_atomic(flags.out, text, false));
  if (global.json)
    std::printf("%s\n", dump_json({{"run", data.run.name},
                                   {"format", flags.format},
                                   {"path", flags.out},
                                   {"bytes", text.size()}})
                            .c_str());
  else
    std::printf("%s\n", flags.out.c_str());
  return kDone;
}

}  // namespace

Command export_command() {
  auto flags = std::make_shared<ExportFlags>();
  Command command;
  command.name = "export";
  command.summary = "Write a run as trajectories, table or trace";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name as in kw runs");
    f.text("--format", flags->format, "jsonl (trajectories), csv or chrome (trace)");
    f.text("--out", flags->out, "File; default: standard output");
  };
  command.run = [flags](const Global& global) { return end_command(global, run(global, *flags)); };
  return command;
}

}  // namespace kw::cli
