// New tasks: skeletons, drafts from code or by a model, and a person's acceptance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "llm/rate_limit.h"
#include "llm/spec.h"
#include "platform/files.h"
#include "propose/task_drafter.h"
#include "session/admission.h"
#include "session/options.h"
#include "task/draft.h"

namespace kw::session {

using propose::DraftedTask;

struct NewTask {
  task::Draft draft;
  platform::Path folder;
};

/// Writes the folder of a new task (new_task_folder()): a skeleton, or a draft from the plain
/// function or CUDA kernel `function` in the file `from`; if `is_settled`, what its text leaves
/// open is settled by running it (settle_draft()). Errors: the folder exists, or the file holds
/// nothing from which a task can be drafted.
Result<NewTask> new_task(const Options& options, const std::string& name,
                         const std::string& from = {}, const std::string& function = {},
                         bool is_settled = true);

/// A task that a model drafts from words.
struct DraftRequest {
  std::string words;
  platform::Path folder;  ///< Must not exist.
  llm::ModelSpec model{};
  SpendLimits limits{};
  ReplySettings reply{};
  llm::RateLimits rates{};
  std::int64_t timeout_ns = 0;  ///< 0: the default timeouts.
  bool caches_replies = false;
  int tries = 4;                ///< Most replies to ask for.
  bool accepts_unread = false;  ///< No person has to accept the task, if it is admitted.
};

struct DraftResult {
  std::string name;
  DraftedTask drafted;
  bool is_accepted = false;
  Spending spent;             ///< By all processes that worked on the draft.
  std::vector<Price> prices;  ///< The prices of the model.
};

/// Checks a request before anything is paid. Error: the folder exists or has an unusable name, or
/// there are no words.
Result<> check_draft_request(const std::string& words, const platform::Path& folder);

/// Lets the model draft a task, and sends it what admission objects to. The result is marked as a
/// draft unless it is accepted. Costs what the model may spend, and an admission for each reply.
/// Errors: the model cannot be asked, no reply held a task, or this machine cannot judge.
Result<DraftResult> draft_task(const Options& options, const DraftRequest& request);

struct Acceptance {
  platform::Path folder;
  std::vector<AdmissionLine> lines;
  bool is_accepted = false;
};

/// Runs admission on a drafted task as it is now. If the task is admitted, removes the file that
/// marks it as a draft. Error: no such folder, or the task is no draft.
Result<Acceptance> accept_task(const Options& options, const std::string& name);

}  // namespace kw::session
