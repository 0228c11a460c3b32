// Replays runs through the engine.
// SPDX-License-Identifier: Apache-2.0
#include "session/replay.h"

#include "base/text.h"
#include "engine/run.h"
#include "session/searching/run_workbench.h"
#include "session/stored_run.h"

namespace kw::session {

Result<Replay> replay(const Options& options, const std::string& name) {
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  const RunSummary run = KW_TRY(store.find(name));
  const auto workbench = KW_TRY(workbench_of(options, run));
  Replay result;
  result.run = run.name;
  result.replayed = join(KW_TRY(engine::replay(*workbench, store, run)), "\n") + "\n";
  result.log = store.folder_of(run) / engine::kDecisionLog;
  auto recorded = platform::read_file(result.log);
  if (!recorded && !is_over(run))
    return fail_input(
        ErrorCode::WrongState, About{"not ended"},
        "the run has not ended, so there is no log to compare with; kw resume ends it", run.name);
  result.recorded = KW_TRY(std::move(recorded));
  return result;
}

}  // namespace kw::session
