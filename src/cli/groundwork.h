// Groundwork: what a run needs for its task, regardless of who judges.
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
  std::vector<GpuFacts> gpu;  ///< cuda: the GPU facts whose limits plans keep to.
  bool has_cute = false;      ///< cuda: CuTe and CUTLASS are found where candidates are compiled.
  std::vector<propose::Example> examples;  ///< Example kernels for a model.
  TechniqueGraph graph;                    ///< The graph that the playbook shows.
  engine::Shelf shelf;                     ///< Knowledge for prompts.
};

/// The groundwork for a task, for the target of `aim` and the device of `facts`. The caller sets
/// the shelf.
Result<Groundwork> lay_groundwork(const Global& global, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples = {});

/// Completes a configuration with facts of the task and the device.
void fit_to_task(RunConfig& config, const OptimizeFlags& flags, const Groundwork& ground);

/// Sets everything in `writing` except its desk. `ground` must outlive `writing` and the result of
/// learning_of().
void furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
             bool has_knowledge);
engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts);

}  // namespace kw::cli
