// What a machine and a workspace have to offer, looked at in a moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/attempt.h"
#include "session/options.h"

namespace kw::session {

/// The facts about machine and workspace by which a person decides what to do next.
struct Standpoint {
  std::string why_no_cpu;   ///< Why nothing can be compiled here; empty: compiling works.
  std::string gpu;          ///< Model of the GPU; empty: no usable GPU.
  std::string gpu_target;   ///< Target of kernels for the GPU.
  std::string why_no_cuda;  ///< Why kernels cannot be compiled for the GPU; empty: they can.
  std::string key;  ///< The environment variable that holds a model's key; empty: none is set.
  std::string model_form;        ///< How --model names a model that the key opens: "openai:NAME".
  std::vector<RunSummary> runs;  ///< Runs of this workspace, oldest first.
  std::vector<std::string> own_tasks;  ///< Folders of tasks in this workspace.
};

/// Examines the machine, which starts a worker for a moment. Changes nothing in the workspace.
Standpoint look_around(const Options& options);

}  // namespace kw::session
