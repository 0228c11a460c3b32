// Which size and which memory of a host program is which of a task: by name, role and order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/host_program.h"
#include "task/definition.h"

namespace kw::import {

/// What a plan calls one buffer.
struct BufferMatch {
  std::string name;  ///< Of a tensor of the task or of a workspace; empty: not used.
  bool is_workspace = false;
  const task::TensorSpec* tensor = nullptr;  ///< Null without a task and for workspaces.
  bool is_padded = false;  ///< Its rows lie further apart than they are long, in some workload.
};

struct Matching {
  std::vector<BufferMatch> buffers;   ///< Of HostProgram::buffers.
  std::map<std::string, Size> sizes;  ///< What each integer or real name of the program is.
  std::vector<Remark> missing;
  std::vector<Remark> assumptions;
  std::string wanted;  ///< Without a task: what it must have, in words.
};

/// `task` may be null: then names stay as they are. Pure.
Matching match_task(const HostProgram& program, const ForeignSource& source,
                    const std::vector<Item>& items, const task::Definition* task);

/// Whether rows of the tensor lie further apart than they are long in any workload of the task.
bool is_padded(const task::Definition& task, const task::TensorSpec& tensor);

/// Whether the kernel may write through its parameter of that index, by its text.
bool may_write(const std::vector<task::CodeToken>& tokens, const Item& kernel, std::size_t index);

}  // namespace kw::import
