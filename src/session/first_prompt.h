// Builds the first prompt that a run would send to a model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "propose/prompt.h"
#include "record/attempt.h"
#include "session/options.h"

namespace kw::session {

/// The name of the stand-in for a model, for configurations without a model that writes.
inline constexpr const char* kAnybody = "manual:anybody";

struct FirstPromptRequest {
  RunConfig config{};      ///< As for a new run; has a model that writes, such as kAnybody.
  bool has_goals = false;  ///< `config.goals` hold in place of the task's.
  std::string embedder{};  ///< The model that ranks knowledge by meaning; empty: none.
  std::string base_url{};  ///< The address of the embedder.
  /// What the model is to do: write, repair, …; nothing: the strategy chooses.
  std::optional<Errand> errand{};
  /// The file of the kernel that the model is to repair or improve; empty: a kernel of the task.
  std::string parent{};
  bool own_playbook = false;  ///< Show the playbook's kernels for the task as examples, too.
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
Result<FirstPrompt> build_first_prompt(const Options& options, const FirstPromptRequest& request);

}  // namespace kw::session
