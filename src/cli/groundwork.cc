// Combines a task and a device into workbench, examples and graph.
// SPDX-License-Identifier: Apache-2.0
#include "cli/groundwork.h"

#include <utility>

#include "memory/playbook_graph.h"
#include "memory/shipped_task.h"

namespace kw::cli {
namespace {

/// The architecture for which code is compiled, which may differ from the device's; empty: there is
/// no GPU.
std::string arch_of(const Groundwork& ground) {
  return ground.gpu.empty() ? "" : ground.gpu.front().arch;
}

}  // namespace

Result<Groundwork> lay_groundwork(const Global& global, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples) {
  Groundwork ground;
  const auto options = KW_TRY(workbench_options(global, aim, facts));
  ground.gpu = options.gpu;
  auto playbook = memory::shipped_playbook(data, definition);
  ground.workbench = std::make_unique<engine::TaskWorkbench>(
      KW_TRY(engine::TaskWorkbench::create(std::move(definition), std::move(playbook), options)));
  ground.graph = memory::playbook_graph(data, aim.target);
  examples.target = aim.target;
  examples.gpu = ground.gpu;
  ground.examples =
      KW_TRY(propose::select_examples(data, ground.workbench->definition().task, examples));
  return ground;
}

void fit_to_task(RunConfig& config, const OptimizeFlags& flags, const Groundwork& ground) {
  const Task& task = ground.workbench->definition().task;
  if (flags.goals.empty()) config.goals = task.goals;
  config.task = task.name;
  config.task_sha256 = task.sha256;
  if (config.target == Target::Cuda) {
    config.gpu = ground.gpu;
    config.arch = arch_of(ground);
  }
  config.uses_memory = !flags.no_memory && config.uses_knowledge;
}

void furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
             bool has_knowledge) {
  writing.task = &ground.workbench->definition();
  writing.device = facts;
  if (!facts.gpu.empty()) writing.device.gpu.front().arch = arch_of(ground);
  if (!has_knowledge) return;
  writing.examples = ground.examples;
  writing.graph = ground.graph;
}

engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts) {
  return {&ground.workbench->definition(), facts.target, facts.id, arch_of(ground), &ground.shelf};
}

}  // namespace kw::cli
