// Few-shot examples: chooses the kernels of the playbook that a prompt shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "memory/data_files.h"
#include "propose/proposer.h"
#include "record/device.h"

namespace kw::propose {

struct ExampleOptions {
  std::size_t most = 2;
  std::size_t max_bytes = 24 << 10;  ///< Limit for all sources together.
  Target target = kDefaultTarget;
  /// For cuda: the GPU that the prompt's kernel is for. Kernels that cannot run on this GPU are
  /// left out. Empty: no kernel is left out.
  std::vector<GpuFacts> gpu = {};
  /// Also shows kernels of the task itself, at any dtype. These are solutions, so they are shown
  /// only on request.
  bool own_playbook = false;
  bool has_dialect_headers = true;  ///< Whether candidates can use dialects with headers.
};

/// Kernels of the playbook as examples, most relevant first: the task's own where requested, then
/// other tasks of its family; where none of these has the task's floating-point type, one of a
/// family that serves the task's at that type. Among equals, kernels with the same type and short
/// ones come first. Each task contributes its most advanced kernel that runs on the GPU. Kernels
/// that are nearly the same as an earlier one or name no technique beyond the techniques of an
/// earlier one, and kernels that compute several time steps in one pass where the task takes none
/// are left out. There may be no example at all. All were verified by the project's tests. Parses
/// the shipped tasks, which takes some milliseconds, so call it once per run. Error: a task of the
/// data folder cannot be read.
Result<std::vector<Example>> select_examples(const memory::DataFiles& data, const Task& task,
                                             const ExampleOptions& options = {});

}  // namespace kw::propose
