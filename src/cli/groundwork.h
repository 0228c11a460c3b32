// Groundwork: what a run on a task stands on, whoever judges it.
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
  std::vector<GpuFacts> gpu;               ///< cuda: the limits that plans keep to.
  std::vector<propose::Example> examples;  ///< For a model.
  TechniqueGraph graph;                    ///< That the playbook shows.
  engine::Shelf shelf;                     ///< Knowledge for prompts.
};

/// Of a task, for the target of `aim` and the device of `facts`. The shelf is the caller's to set.
Result<Groundwork> lay_groundwork(const Global& global, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples = {});

/// Completes a configuration by what the task and the device say.
void fit_to_task(RunConfig& config, const OptimizeFlags& flags, const Groundwork& ground);

/// Sets all of `writing` but its desk. `ground` must outlive it, and what learning_of() returns.
void furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
             bool has_knowledge);
engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts);

}  // namespace kw::cli
