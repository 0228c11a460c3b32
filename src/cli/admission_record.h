// What is known here of a task's admission: kept by kw task check, looked up by kw optimize.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "memory/data_files.h"
#include "store/run_store.h"
#include "task/definition.h"
#include "worker/messages.h"

namespace kw::cli {

enum class Admission {
  Never,       ///< Nobody asked, as the task is now, for this target and on this machine.
  Shipped,     ///< The tests of this program admit it on a processor, as it is.
  Admitted,    ///< kw task check was content with it here.
  Unfinished,  ///< kw task check had no time to look at all of it.
  Refused,     ///< kw task check let a wrong answer pass, or found another fault.
};

struct AdmissionKnown {
  Admission state = Admission::Never;
  std::string at;       ///< UTC, of a check here.
  std::string problem;  ///< Refused: the first.
};

/// Keeps the lines of a check by the task's content, the target and the judge.
Result<> remember_admission(store::RunStore& store, const Task& task, Target target,
                            const std::string& judge_id,
                            const std::vector<worker::AdmissionLine>& lines);

/// A check here counts more than that a task is shipped. `shipped`: what this program ships.
Result<AdmissionKnown> known_admission(const store::RunStore& store,
                                       const memory::DataFiles& shipped, const Task& task,
                                       Target target, const std::string& judge_id);

/// What a person should hear before a search and after it; empty: it is admitted. `path` is how the
/// task was named.
std::string admission_warning(const AdmissionKnown& known, const std::string& path, Target target);

/// The word for it in the object of kw optimize --json.
std::string_view word_of(Admission state);

}  // namespace kw::cli
