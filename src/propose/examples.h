// Few-shot examples: which kernels of the playbook a prompt shows.
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
  std::size_t max_bytes = 24 << 10;  ///< Bound on all sources together; the longest one fits.
  Target target = Target::Cpu;
  /// cuda: the GPU of the prompt's kernel; kernels that cannot run there are left out. Empty: any.
  std::vector<GpuFacts> gpu = {};
  /// Shows kernels of the task itself too, at any dtype. They are answers, so only on request.
  bool own_playbook = false;
  bool has_cute = true;  ///< Code in CuTe's dialect compiles where candidates are compiled.
};

/// Kernels of the playbook, all of which the project's own tests have verified: first the task's
/// own where that is asked for, then other tasks of its family, then families that work alike,
/// kernels of the same real type and short ones first; the most advanced kernel of each task that
/// runs on the GPU. Parses the shipped tasks: some milliseconds, so once for a run. Errors: a task
/// of the data folder that cannot be read.
Result<std::vector<Example>> select_examples(const memory::DataFiles& data, const Task& task,
                                             const ExampleOptions& options = {});

}  // namespace kw::propose
