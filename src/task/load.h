// From the files of a task folder to a checked Definition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "task/definition.h"

namespace kw::task {

/// Marks a task that a model drafted and nobody has accepted; its text says where it came from.
inline constexpr const char* kDraftFile = "DRAFT.md";

/// The files of one task by their path inside the folder ("task.yaml", "baselines/omp.cpp"),
/// whether they come from a disk or are embedded in the program.
struct TaskFiles {
  std::string origin;  ///< Prefix of places in messages: the folder as the user named it.
  std::map<std::string, std::string> texts;
};

/// The task whose references this one shares, as `truth_of` in task.yaml names it; empty where it
/// has its own.
Result<std::string> truth_of(const TaskFiles& files);

/// Takes reference.cpp and the fast references, as far as `files` has none, from the files of that
/// other task.
void add_truth(TaskFiles& files, const std::map<std::string, std::string>& other);

/// Reads the files that a task consists of and nothing else; each at most 1 MiB, regular files
/// only. A shared truth is that of the task in the folder beside it.
Result<TaskFiles> read_task_files(const std::filesystem::path& folder);

/// Checks everything that can be checked without a compiler: every formula is also evaluated for
/// every workload. The error holds one line per complaint, `path:line:column: message`, the
/// first 20.
Result<Definition> parse_task(const TaskFiles& files);

inline Result<Definition> load_task(const std::filesystem::path& folder) {
  return parse_task(KW_TRY(read_task_files(folder)));
}

}  // namespace kw::task
