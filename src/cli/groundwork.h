// Groundwork: what a run needs for its task, whichever machine judges its kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cli/optimize_flags.h"
#include "cli/session.h"
#include "engine/lessons.h"
#include "propose/examples.h"

namespace kw::cli {

struct Groundwork {
  std::unique_ptr<engine::TaskWorkbench> workbench;
  std::vector<GpuFacts> gpu;  ///< cuda: the GPU whose limits launch plans must keep to.
  bool has_cute = false;      ///< cuda: CuTe and CUTLASS are found where candidates are compiled.
  std::vector<propose::Example> examples;  ///< Example kernels for a model.
  TechniqueGraph graph;                    ///< The graph of techniques in the playbook.
  engine::Shelf shelf;                     ///< Knowledge for prompts.
};

/// Assembles what a run needs for a task, for the target of `aim` and the device of `facts`. Leaves
/// the shelf (knowledge for prompts) to the caller.
Result<Groundwork> lay_groundwork(const Global& global, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples = {});

/// Fills in the parts of a run's configuration that depend on the task and the device.
void fit_to_task(RunConfig& config, const OptimizeFlags& flags, const Groundwork& ground);

/// Fills `writing` except its desk, which is the run's connection to models. `ground` must outlive
/// `writing` and the result of learning_of(). Error: a size of the task cannot be resolved.
Result<> furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
                 bool has_knowledge);
engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts);

}  // namespace kw::cli
