// Drafts task folders: a skeleton, or a task derived from a plain C or C++ function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::task {

struct Draft {
  std::string name;
  std::map<std::string, std::string> files;  ///< Path inside the folder to text.
  std::vector<std::string> notes;            ///< What a person should check, one line each.
};

/// A small complete task to edit: the task loads, and computes y = 2 x. Error: an unusable name.
Result<Draft> draft_skeleton(std::string_view name);

/// Drafts a task from one function of `source`: const pointers become inputs, other pointers
/// outputs, integers dims, and shapes come from array bounds and index expressions. Guesses are
/// marked CHECK in task.yaml; spec.md and the summary describe what the code does. `function` may
/// be empty if only one function is not static; an empty `name` gives the task the function's name.
/// The draft loads; `kw task check` shows whether its reference compiles.
Result<Draft> draft_from_source(std::string_view source, std::string_view file,
                                std::string_view function, std::string_view name);

/// Writes a draft into a folder that must not exist yet.
Result<> write_draft(const Draft& draft, const std::filesystem::path& folder);

}  // namespace kw::task
