// Drafts a launch plan from a published .cu file: launches in host code become `// kw:` lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/verdict.h"
#include "task/definition.h"

namespace kw::import {

/// What host code is read for: foreign CUDA files with their launches.
inline constexpr Target kDraftTarget = Target::Cuda;

struct PlanDraft {
  std::string source;    ///< The device-only candidate; empty where something is missing.
  std::string function;  ///< The host function that was read.
  /// Assumptions that the draft makes, one line each, with places in the source.
  std::vector<std::string> assumptions;
  std::vector<Finding> missing;  ///< Everything that prevents the draft, with carets.
  /// If no task was given: the tensors and numbers that a task for this draft must have.
  std::string wanted;

  bool is_complete() const { return missing.empty(); }
};

/// Whether the file launches kernels by host code and has no plan, so that draft_plan() applies.
bool is_host_launched(std::string_view source);

/// Drafts a plan from a file's kernels and the host function that launches them; the host code is
/// interpreted, never run. `file` is the name in diagnostics. If `function` is empty, it is
/// `solve`, a function that is exported to Python, or one that launches kernels. If `task` is null,
/// dims keep the names that the host function gives them. Accepts any text, in bounded time.
PlanDraft draft_plan(std::string_view source, std::string_view file, const task::Definition* task,
                     std::string_view function = {});

}  // namespace kw::import
