// Drafts task folders: a skeleton, or a task derived from a plain C or C++ function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/draft_shapes.h"

namespace kw::task {

struct Draft {
  std::string name;
  std::map<std::string, std::string> files;  ///< Path inside the folder to text.
  std::vector<std::string> notes;            ///< What a person should check, one line each.
  DraftedSizes sizes =
      {};  ///< What shapes.yaml was made from; empty if it was not drafted from code.
  TimedScales scales = {};
  /// Arrays that were drafted as inout because, by the text alone, elements may be read before they
  /// are written, or left unwritten.
  std::vector<std::string> doubtful_outputs = {};
};

/// What was settled by running a draft, and is no longer to be guessed.
struct DraftChoices {
  std::set<std::string> outputs;      ///< Doubtful outputs that are outputs.
  std::optional<TimedScales> scales;  ///< Nothing: as counted_scales() says.
  bool has_cases = true;              ///< Whether there are workloads for special cases.
};

/// Error: the text cannot name a task.
Result<> check_task_name(std::string_view name);

/// A small complete task to edit: the task loads, and computes y = 2 x. Error: an unusable name.
Result<Draft> draft_skeleton(std::string_view name);

/// Drafts a task from one function of `source`: const pointers become inputs, other pointers
/// outputs, integers dims, and shapes come from array bounds and index expressions. Guesses are
/// marked CHECK in task.yaml; spec.md and the summary describe what the code does. `file` names the
/// source in messages, and is empty where the source was generated. `function` may
/// be empty if only one function is not static; an empty `name` gives the task the function's name.
/// A name that no task may have, such as "2mm", becomes one, here "k_2mm", which a note says.
/// The draft loads; `kw task check` shows whether its reference compiles.
Result<Draft> draft_from_source(std::string_view source, std::string_view file,
                                std::string_view function, std::string_view name,
                                const DraftChoices& choices = {});

/// Error: the folder of a new task exists already.
Result<> check_new_folder(const std::filesystem::path& folder);

/// Writes a draft into a folder that must not exist yet.
Result<> write_draft(const Draft& draft, const std::filesystem::path& folder);

}  // namespace kw::task
