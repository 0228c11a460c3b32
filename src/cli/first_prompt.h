// FirstPrompt: what the same kw optimize would send a model first, for kw prompt and kw estimate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/optimize_flags.h"
#include "cli/session.h"
#include "propose/prompt.h"

namespace kw::cli {

struct FirstPromptFlags {
  OptimizeFlags run;
  std::string errand;  ///< Empty: what the strategy asks for first.
  std::string parent;  ///< Kernel of an errand that has one; empty: one of the task's own.
  bool own_playbook = false;
};

struct FirstPrompt {
  propose::Prompt prompt;
  std::string errand;
  std::string role;   ///< Whose words are asked for; empty: the writer's.
  std::string model;  ///< Who is asked; empty: the flags name nobody.
  ReplySettings reply;
  std::string baseline;
  double baseline_ns = 0;            ///< 0: not known here.
  std::vector<std::string> unknown;  ///< What only a run knows, a sentence each.
};

/// Builds it by a rehearsal of the run. Asks nobody, judges nothing; of the workspace it changes
/// at most the index of knowledge.
Result<FirstPrompt> build_first_prompt(const Global& global, FirstPromptFlags flags);

}  // namespace kw::cli
