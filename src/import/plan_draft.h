// A launch plan read off a published .cu file: its launches in host code become `// kw:` lines.
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
  std::vector<std::string> assumptions;  ///< With places, one line each.
  std::vector<Finding> missing;          ///< Everything that stands in the way, with carets.
  std::string wanted;  ///< Without a task: the tensors and numbers that it must have.

  bool is_complete() const { return missing.empty(); }
};

/// Whether the file launches kernels by host code and has no plan: what draft_plan() is for.
bool is_host_launched(std::string_view source);

/// Reads kernels and the host function that launches them; the host code is followed, never run.
/// `file` stands in diagnostics. `function` may be empty: `solve`, what Python is given, or the one
/// that launches. `task` may be null: dims keep the names that the host function has for them.
/// Total and bounded in time, whatever the text.
PlanDraft draft_plan(std::string_view source, std::string_view file, const task::Definition* task,
                     std::string_view function = {});

}  // namespace kw::import
