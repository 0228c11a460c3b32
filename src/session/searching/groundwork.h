// Groundwork: what a run needs for its task, whichever machine judges its kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/lessons.h"
#include "engine/writer.h"
#include "propose/examples.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"

namespace kw::session {

struct Groundwork {
  std::unique_ptr<engine::TaskWorkbench> workbench;
  std::vector<GpuFacts> gpu;  ///< cuda: the GPU facts whose limits plans keep to.
  /// The headers of the target's dialects are found where candidates are compiled.
  bool has_dialect_headers = false;
  std::vector<propose::Example> examples;  ///< Example kernels for a model.
  TechniqueGraph graph;                    ///< The graph that the playbook shows.
  engine::Shelf shelf;                     ///< Knowledge for prompts.
};

/// Assembles what a run needs for a task, for the target of `aim` and the device of `facts`. Leaves
/// the shelf (knowledge for prompts) to the caller.
Result<Groundwork> lay_groundwork(const Options& options, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples = {});

/// Completes a configuration with facts of the task and the device. `has_goals`: the configuration
/// keeps its goals in place of the task's.
void fit_to_task(RunConfig& config, bool has_goals, const Groundwork& ground);

/// Fills `writing` except its desk, which is the run's connection to models. `ground` must outlive
/// `writing` and the result of learning_of(). Error: a size of the task cannot be resolved.
Result<> furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
                 bool has_knowledge);
engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts);

}  // namespace kw::session
