// Matches sizes and memory of a host program to those of a task, by name, role and order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/host_program.h"
#include "task/definition.h"

namespace kw::import {

/// The name that one buffer of the host program has in the plan.
struct BufferMatch {
  /// The name of a tensor of the task or of a workspace; empty if the plan does not use the buffer.
  std::string name;
  bool is_workspace = false;
  const task::TensorSpec* tensor = nullptr;  ///< Null without a task and for workspaces.
  /// The task has a workload in which rows are further apart than their length.
  bool is_padded = false;
  bool is_output = false;  ///< Whether the plan writes the tensor.
};

struct Matching {
  std::vector<BufferMatch> buffers;  ///< One match for each of HostProgram::buffers.
  /// By name of an integer or real in the program: the size or value of the task that the name
  /// means.
  std::map<std::string, Size> sizes;
  std::vector<Remark> missing;
  std::vector<Remark> assumptions;
  std::string wanted;  ///< If no task was given: what a fitting task must have.
};

/// Matches the buffers and sizes of a host program to a task. If `task` is null, names stay as they
/// are. Pure.
Matching match_task(const HostProgram& program, const ForeignSource& source,
                    const std::vector<Item>& items, const task::Definition* task);

/// Whether rows of the tensor are further apart than they are long in any workload of the task.
bool is_padded(const task::Definition& task, const task::TensorSpec& tensor);

/// Whether the kernel's text contains anything that may write through the parameter with that
/// index.
bool may_write(const std::vector<lex::Token>& tokens, const Item& kernel, std::size_t index);

}  // namespace kw::import
