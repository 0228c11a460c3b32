// The results of kw task check on this machine: stored by kw task check, read by kw optimize.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "memory/data_files.h"
#include "store/run_store.h"
#include "task/definition.h"
#include "worker/messages.h"

namespace kw::session {

enum class AdmissionState {
  Never,       ///< The task, as it is now, was not checked for this target on this machine.
  Shipped,     ///< The task is shipped, and this program's tests admit it on a processor.
  Admitted,    ///< kw task check admitted the task here.
  Unfinished,  ///< kw task check did not have the time to check everything.
  Refused,     ///< kw task check let a wrong answer pass, or found another fault.
};

struct AdmissionKnown {
  AdmissionState state = AdmissionState::Never;
  std::string at;       ///< Time in UTC of a check on this machine.
  std::string problem;  ///< The first problem, if the state is Refused.
};

/// Stores the result lines of a kw task check under the task's content, the target and the judge.
Result<> remember_admission(store::RunStore& store, const Task& task, Target target,
                            const std::string& judge_id,
                            const std::vector<worker::AdmissionLine>& lines);

/// What this machine knows about the result of kw task check for a task. A check on this machine
/// takes precedence over the task being shipped with the program. `shipped` are the data files of
/// this program.
Result<AdmissionKnown> known_admission(const store::RunStore& store,
                                       const memory::DataFiles& shipped, const Task& task,
                                       Target target, const std::string& judge_id);

/// The warning for a person before and after a search; empty if the task is admitted. `path` is the
/// task as the person named it.
std::string admission_warning(const AdmissionKnown& known, const std::string& path, Target target);

/// The text that stands for the state in the JSON object of kw optimize --json.
std::string_view word_of(AdmissionState state);

}  // namespace kw::session
