// Drafts a launch plan from the host code of a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "import/plan_draft.h"
#include "session/options.h"

namespace kw::session {

using import::PlanDraft;

struct PlanDraftRequest {
  std::string file;
  std::string task{};      ///< The task whose names the plan uses; empty: none.
  std::string function{};  ///< The host function, where the file has several.
  std::string arch{};  ///< The architecture for which the plan is tried on the task's workloads.
};

struct DraftedPlanOfFile {
  PlanDraft draft;
  std::string trouble;  ///< Why a workload of the task would refuse the plan; empty: all accept it.
};

/// Error: the file or the task cannot be read. A draft with something missing is no error.
Result<DraftedPlanOfFile> draft_plan(const Options& options, const PlanDraftRequest& request);

}  // namespace kw::session
