// From the files of a task folder to a checked Definition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "task/definition.h"

namespace kw::task {

/// Marks a task that a model drafted and nobody has accepted; its text says where it came from.
inline constexpr const char* kDraftFile = "DRAFT.md";

/// The files of one task by their path inside the folder ("task.yaml", "baselines/omp.cpp"),
/// whether they come from a disk or are embedded in the program.
struct TaskFiles {
  std::string origin;  ///< The folder as the user named it, which begins the places in messages.
  std::map<std::string, std::string> texts;
  /// The task that lent a text, by the text's path.
  std::map<std::string, std::string> lenders = {};

  /// The path of a text for messages.
  std::string place_of(const std::string& path) const;
};

/// Where `borrow` puts the task.yaml of the task that `like` names. The task.yaml of the next task
/// in the chain is "like/like/task.yaml", and so on.
inline constexpr const char* kLikeFile = "like/task.yaml";

/// The name of the task whose references this one shares, which `like` or `truth_of` in task.yaml
/// gives; empty where the task has its own references.
Result<std::string> truth_of(const TaskFiles& files);

/// Adds the texts that `like` and `truth_of` in task.yaml leave to other tasks, unless `files` has
/// its own. `beside` reads the files of the task with a name, and returns no texts where that task
/// does not exist.
Result<> borrow(TaskFiles& files, const std::function<Result<TaskFiles>(std::string_view)>& beside);

/// Reads the files that a task consists of and nothing else: regular files of at most 1 MiB each.
/// Borrowed texts come from the task folders beside this one.
Result<TaskFiles> read_task_files(const std::filesystem::path& folder);

/// The names of the task folders beside `folder`, which need not exist.
std::vector<std::string> tasks_beside(const std::filesystem::path& folder);

/// Checks everything that can be checked without a compiler; every formula is also evaluated for
/// every workload. The error holds one line for each of the first 20 complaints, `path:line:column:
/// message`.
Result<Definition> parse_task(const TaskFiles& files);

inline Result<Definition> load_task(const std::filesystem::path& folder) {
  return parse_task(KW_TRY(read_task_files(folder)));
}

}  // namespace kw::task
