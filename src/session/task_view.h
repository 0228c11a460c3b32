// Tasks as a person looks at them: all that are known here, and what one of them holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "propose/ideas.h"
#include "session/aim.h"
#include "session/options.h"
#include "task/definition.h"

namespace kw::session {

struct ListedTask {
  std::string name;
  std::string where;  ///< What commands call the task: its name, or its folder.
  /// Whether the workspace's task stands in place of a different shipped one of the same name.
  bool hides_shipped = false;
  Result<task::Definition> definition;
};

/// The shipped tasks and those of the workspace, each name once. If the workspace has a task with
/// the name of a shipped task, commands use the workspace's.
Result<std::vector<ListedTask>> list_tasks(const Options& options);

/// A task as a target sees it.
struct TaskView {
  task::Definition definition;
  std::vector<Workload> workloads;
  std::vector<SkippedWorkload> skipped;
  std::vector<Candidate> baselines;
  std::vector<propose::SourceIdea> ideas;  ///< Kernels that a run without a model tries.
  std::vector<std::string> notices;
};

/// Compiles and judges nothing. For cuda without an architecture, launch plans are shown as for
/// sm_90a. Error: the task cannot be used for the target.
Result<TaskView> view_task(const Options& options, const std::string& task, Aim aim);

}  // namespace kw::session
