// Drafts a launch plan from a published .cu file: launches in host code become `// kw:` lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/verdict.h"
#include "task/definition.h"

namespace kw::import {

struct PlanDraft {
  std::string source;    ///< The device-only candidate; empty where something is missing.
  std::string function;  ///< The host function that was read.
  /// Assumptions that the draft makes, one line each, with places.
  std::vector<std::string> assumptions;
  std::vector<Finding> missing;  ///< Everything that prevents the draft, with carets.
  /// The tensors and numbers that a fitting task must have, where no task was given.
  std::string wanted;

  bool is_complete() const { return missing.empty(); }
};

/// Whether the file launches kernels by host code and has no plan, which is what draft_plan()
/// reads.
bool is_host_launched(std::string_view source);

/// Reads kernels and the host function that launches them; the host code is followed, never run.
/// `file` is the name in diagnostics. Where `function` is empty, it is `solve`, a function that is
/// exported to Python, or the one that launches. Where `task` is null, dims keep the names that the
/// host function gives them. Accepts any text, in bounded time.
PlanDraft draft_plan(std::string_view source, std::string_view file, const task::Definition* task,
                     std::string_view function = {});

}  // namespace kw::import
