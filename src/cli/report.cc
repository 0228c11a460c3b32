// kw report RUN [--out FILE]: writes a run as one HTML file.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "report/page.h"
#include "session/page_data.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

struct ReportFlags {
  std::string run;
  std::string out;
};

Result<int> write_page(const Global& global, ReportFlags flags) {
  const auto files = KW_TRY(session::open_data(global)).under("web");
  const auto store = KW_TRY(store::RunStore::open_to_read(global.workspace));
  const auto data = KW_TRY(session::data_for_page(global, store, flags.run));
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
