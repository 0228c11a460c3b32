// Builds the first prompt that kw optimize would send for given flags, for kw prompt and kw
// estimate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/optimize_flags.h"
#include "propose/prompt.h"

namespace kw::cli {

struct FirstPromptFlags {
  OptimizeFlags run;
  std::string errand;  ///< What the model is to do: write, repair, …; empty: the strategy chooses.
  /// The file of the kernel that the model is to repair or improve; empty: a kernel of the task.
  std::string parent;
  bool own_playbook = false;
};

struct FirstPrompt {
  propose::Prompt prompt;
  std::string errand;
  std::string role;   ///< The role that is asked; empty: the writer's.
  std::string model;  ///< The model that is asked; empty: the flags name none.
  ReplySettings reply;
  std::string baseline;
  double baseline_ns = 0;  ///< The baseline's time; 0: not known in this workspace.
  std::vector<std::string>
      unknown;  ///< What only a run could find out, one sentence for each fact.
};

/// Builds the prompt by rehearsing the run. Asks no model and judges nothing; changes at most the
/// index of knowledge in the workspace.
Result<FirstPrompt> build_first_prompt(const Global& global, FirstPromptFlags flags);

}  // namespace kw::cli
