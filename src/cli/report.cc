// kw report RUN [--out FILE]: writes a run as one HTML file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/order_view.h"
#include "cli/run_view.h"
#include "cli/stored_run.h"
#include "engine/orders.h"
#include "record/codec.h"
#include "report/page.h"
#include "session/local_judge.h"
#include "session/run_data.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

struct ReportFlags {
  std::string run;
  std::string out;
};

/// The facts of the device on which the best kernel was measured, from its certificate or else from
/// the store; only id and model if neither has them.
Result<DeviceFacts> device_of(const store::RunStore& store, const report::RunData& data) {
  if (!data.best) return DeviceFacts();
  const std::string& id = data.best->evaluation.device;
  const auto file = platform::read_file(store.folder_of(data.run) / "best" / "certificate.json");
  if (file)
    if (const auto certificate = parse_json(*file, "certificate.json");
        certificate && certificate->contains("device"))
      if (const auto facts = decode_json<DeviceFacts>((*certificate)["device"]);
          facts && facts->id == id)
        return *facts;
  if (auto known = KW_TRY(session::remembered_device(store, data.run.config.target));
      known && known->id == id)
    return std::move(*known);
  DeviceFacts facts;
  facts.id = id;
  facts.model = data.best->evaluation.machine;
  return facts;
}

/// Adds the source of the run's baseline, as its task has it now, or the reason why there is none.
void add_baseline_source(const Global& global, report::RunData& data) {
  if (!data.best) return;
  const auto bench = workbench_of(global, data.run);
  if (!bench) {
    data.no_baseline_source = bench.error().what;
    return;
  }
  const std::vector<Candidate>& baselines = (*bench)->baselines();
  const auto found = std::ranges::find(baselines, data.baseline, &Candidate::name);
  if (found == baselines.end())
    data.no_baseline_source = "the baseline cannot be built on this machine";
  else if (found->source.empty())
    data.no_baseline_source = "the baseline of a landscape is no code";
  else
    data.baseline_source = session::pinned_source(*found);
}

Result<int> write_page(const Global& global, ReportFlags flags) {
  const auto files = KW_TRY(session::open_data(global)).under("web");
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  auto data = KW_TRY(load_run(store, flags.run));
  data.device = KW_TRY(device_of(store, data));
  if (data.best) data.best_source = session::pinned_source(data.best->candidate);
  add_baseline_source(global, data);
  data.orders = order_lines(KW_TRY(engine::orders_of(store, data.run.id)), data.run);
  const report::Page page = KW_TRY(report::make_page(store, data, files));
  if (flags.out.empty()) {
    const platform::Path folder = store.folder_of(data.run);
    KW_TRY(platform::make_dirs(folder));
    flags.out = (folder / "report.html").string();
  }
  KW_TRY(platform::write_user_file(flags.out, page.html));
  if (global.json)
    std::printf("%s\n", dump_json({{"run", data.run.name},
                                   {"path", flags.out},
                                   {"bytes", page.html.size()},
                                   {"attempts", data.run.attempts},
                                   {"listed", page.listed},
                                   {"detailed", page.detailed}})
                            .c_str());
  else
    std::printf("%s\n", flags.out.c_str());
  return kDone;
}

}  // namespace

Command report_command() {
  auto flags = std::make_shared<ReportFlags>();
  Command command;
  command.name = "report";
  command.summary = "Write the report of a run as one HTML file";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.text("--out", flags->out, "File; default: report.html in the run's folder");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, write_page(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
