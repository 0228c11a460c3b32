// Loads stored runs as report data, and rebuilds the workbench on which a run searched.
// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_run.h"

#include "memory/shipped_task.h"
#include "record/codec.h"
#include "session/landscape.h"
#include "session/local_judge.h"
#include "session/tasks.h"

namespace kw::cli {

Result<report::RunData> load_run(const store::RunStore& store, const std::string& name) {
  report::RunData data;
  data.run = KW_TRY(store.find(name));
  data.baseline = data.run.config.baseline;
  if (const int best = data.run.best_attempt; best != 0)
    data.best = KW_TRY(store.attempt(data.run.id, best));
  const std::string wanted = data.run.name + "-confirm-" + std::to_string(data.run.best_attempt);
  for (const store::Event& event : KW_TRY(store.events(data.run.id))) {
    if (event.kind == kTermsEvent) data.terms = KW_TRY(decode<Terms>(event.body));
    if (event.kind != "confirm") continue;
    auto evaluation = KW_TRY(decode<Evaluation>(event.body));
    // A resumed run may have confirmed the same attempt twice; the later confirmation counts.
    if (evaluation.id == wanted) data.confirmation = std::move(evaluation);
  }
  return data;
}

Result<std::unique_ptr<engine::Workbench>> workbench_of(const Global& global,
                                                        const RunSummary& run) {
  if (auto landscape = session::open_landscape(global, run.config.task_path)) {
    auto parts = KW_TRY(std::move(*landscape));
    if (parts.sha256 != run.config.task_sha256)
      return fail_input("the record that this run searched has changed since the run began",
                        run.name);
    return std::move(parts.workbench);
  }
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_task(global, data, run.config.task_path));
  if (definition.task.sha256 != run.config.task_sha256)
    return fail_input("the task's files have changed since this run began", run.name);
  const auto playbook = memory::shipped_playbook(data, definition);
  DeviceFacts facts;
  facts.target = run.config.target;
  facts.gpu = run.config.gpu;
  auto options =
      KW_TRY(session::workbench_options(global, {run.config.target, run.config.arch}, facts));
  auto workbench = KW_TRY(engine::TaskWorkbench::create(definition, playbook, options));
  // If the run found no CUTLASS, fewer kernels could be tried (ideas). The workbench must match the
  // run, whether or not this machine has CUTLASS.
  if (static_cast<int>(workbench.ideas().size()) != run.config.ideas) {
    options.has_cute = false;
    auto fewer = KW_TRY(engine::TaskWorkbench::create(definition, playbook, options));
    if (static_cast<int>(fewer.ideas().size()) == run.config.ideas) workbench = std::move(fewer);
  }
  return std::unique_ptr<engine::Workbench>(
      std::make_unique<engine::TaskWorkbench>(std::move(workbench)));
}

bool is_over(const RunSummary& run) {
  return run.state == RunState::Finished || run.state == RunState::Interrupted;
}

}  // namespace kw::cli
