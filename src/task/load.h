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
  std::string origin;  ///< Prefix of places in messages: the folder as the user named it.
  std::map<std::string, std::string> texts;
  /// By path: the task that a borrowed text is of.
  std::map<std::string, std::string> lenders = {};

  /// Where a text lies, for messages.
  std::string place_of(const std::string& path) const;
};

/// Where `borrow` puts the task.yaml of the task that this one is like; that of the task which that
/// one is like lies in "like/" of it, and so on.
inline constexpr const char* kLikeFile = "like/task.yaml";

/// The task whose references this one shares, as `like` or `truth_of` in task.yaml names it; empty
/// where it has its own.
Result<std::string> truth_of(const TaskFiles& files);

/// Takes what `like` and `truth_of` in task.yaml leave to other tasks, as far as `files` has none
/// of its own. `beside` reads the files of the task of a name, no texts where there is none.
Result<> borrow(TaskFiles& files, const std::function<Result<TaskFiles>(std::string_view)>& beside);

/// Reads the files that a task consists of and nothing else; each at most 1 MiB, regular files
/// only. What it borrows is of the tasks in the folders beside it.
Result<TaskFiles> read_task_files(const std::filesystem::path& folder);

/// The names of the task folders beside this one, which need not exist.
std::vector<std::string> tasks_beside(const std::filesystem::path& folder);

/// Checks everything that can be checked without a compiler: every formula is also evaluated for
/// every workload. The error holds one line per complaint, `path:line:column: message`, the
/// first 20.
Result<Definition> parse_task(const TaskFiles& files);

inline Result<Definition> load_task(const std::filesystem::path& folder) {
  return parse_task(KW_TRY(read_task_files(folder)));
}

}  // namespace kw::task
