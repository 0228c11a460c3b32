// Loads a task: turns the files of its folder into a checked Definition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "task/definition.h"

namespace kw::task {

/// The file that marks a task as drafted by a model and not yet accepted by a person; its text says
/// how it was drafted.
inline constexpr const char* kDraftFile = "DRAFT.md";

/// The file with the function `init` of a task whose own code computes inputs.
inline constexpr const char* kInitFile = "init.cpp";

/// The files of one task by their path inside the folder ("task.yaml", "baselines/omp.cpp"), read
/// from a disk or embedded in the program.
struct TaskFiles {
  std::string origin;  ///< The folder as the user named it, which begins the places in messages.
  std::map<std::string, std::string> texts;
  /// For each file that was taken from another task, that task's name, by path.
  std::map<std::string, std::string> lenders = {};

  /// The path under which messages name the file at `path`.
  std::string place_of(const std::string& path) const;
};

/// The path under which borrow() adds the task.yaml of the task named by `like`. The task.yaml of
/// the next task in a chain of variants is "like/like/task.yaml", and so on.
inline constexpr const char* kLikeFile = "like/task.yaml";

/// The name of the task whose reference this task uses, from `like` or `truth_of` in task.yaml;
/// empty if the task has its own reference.
Result<std::string> truth_of(const TaskFiles& files);

/// Adds the files that a task takes from the tasks named by `like` and `truth_of` in task.yaml,
/// unless `files` has its own. `beside` reads the files of the task with the given name, and
/// returns none if there is no such task.
Result<> borrow(TaskFiles& files, const std::function<Result<TaskFiles>(std::string_view)>& beside);

/// Reads the files that a task consists of and no others: regular files of at most 1 MiB each.
/// Files of other tasks (`like`, `truth_of`) are read from the task folders beside this one.
Result<TaskFiles> read_task_files(const std::filesystem::path& folder);

/// The names of the task folders beside `folder`; `folder` itself need not exist.
std::vector<std::string> tasks_beside(const std::filesystem::path& folder);

/// Checks everything that can be checked without a compiler, and evaluates every formula for every
/// workload. The error holds one line for each of the first 20 complaints, `path:line:column:
/// message`.
Result<Definition> parse_task(const TaskFiles& files);

inline Result<Definition> load_task(const std::filesystem::path& folder) {
  return parse_task(KW_TRY(read_task_files(folder)));
}

}  // namespace kw::task
