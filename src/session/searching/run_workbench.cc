// Rebuilds the workbench on which a run searched.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/run_workbench.h"

#include "memory/shipped_task.h"
#include "session/judging/local_judge.h"
#include "session/landscape.h"
#include "session/tasks.h"

namespace kw::session {

Result<std::unique_ptr<engine::Workbench>> workbench_of(const Options& options,
                                                        const RunSummary& run) {
  if (auto landscape = open_landscape(options, run.config.task_path)) {
    auto parts = KW_TRY(std::move(*landscape));
    if (parts.sha256 != run.config.task_sha256)
      return fail_input(ErrorCode::Changed, About{"record"},
                        "the record that this run searched has changed since the run began",
                        run.name);
    return std::move(parts.workbench);
  }
  const auto data = KW_TRY(open_data(options));
  auto definition = KW_TRY(open_task(options, data, run.config.task_path));
  if (definition.task.sha256 != run.config.task_sha256)
    return fail_input(ErrorCode::Changed, About{"task"},
                      "the task's files have changed since this run began", run.name);
  const auto playbook = memory::shipped_playbook(data, definition);
  DeviceFacts facts;
  facts.target = run.config.target;
  facts.gpu = run.config.gpu;
  auto settings = KW_TRY(workbench_options(options, {run.config.target, run.config.arch}, facts));
  auto workbench = KW_TRY(engine::TaskWorkbench::create(definition, playbook, settings));
  // If the run found no CUTLASS, fewer kernels could be tried (ideas). The workbench must match the
  // run, whether or not this machine has CUTLASS.
  if (static_cast<int>(workbench.ideas().size()) != run.config.ideas) {
    settings.has_dialect_headers = false;
    auto fewer = KW_TRY(engine::TaskWorkbench::create(definition, playbook, settings));
    if (static_cast<int>(fewer.ideas().size()) == run.config.ideas) workbench = std::move(fewer);
  }
  return std::unique_ptr<engine::Workbench>(
      std::make_unique<engine::TaskWorkbench>(std::move(workbench)));
}

}  // namespace kw::session
