// The flags by which kw prompt and kw estimate ask for the first prompt of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/optimize_flags.h"
#include "session/first_prompt.h"

namespace kw::cli {

struct FirstPromptFlags {
  OptimizeFlags run;
  std::string errand;  ///< What the model is to do: write, repair, …; empty: the strategy chooses.
  /// The file of the kernel that the model is to repair or improve; empty: a kernel of the task.
  std::string parent;
  bool own_playbook = false;
};

/// The request that the flags make. Error: flags that contradict each other.
Result<session::FirstPromptRequest> request_of(FirstPromptFlags flags);

}  // namespace kw::cli
