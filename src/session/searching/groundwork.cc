// Puts together what a search needs to know of its task and device: the task's workbench, example
// kernels and the graph of techniques.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/groundwork.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "compile/cpu_compiler.h"
#include "compile/cuda_toolkit.h"
#include "device/known_devices.h"
#include "memory/playbook_graph.h"
#include "memory/shipped_task.h"
#include "propose/describe.h"
#include "propose/size_class.h"
#include "record/target.h"
#include "session/judging/toolchain.h"

namespace kw::session {
namespace {

/// The architecture for which code is compiled; it may differ from the GPU's own. Empty for target
/// cpu.
std::string arch_of(const Groundwork& ground) {
  return ground.gpu.empty() ? "" : ground.gpu.front().arch;
}

/// What data sheets say of the GPUs of an architecture, a line for each.
std::vector<std::string> describe_candidates(const std::string& arch, const Task& task) {
  std::vector<std::string> lines;
  for (const device::KnownDevice* known : device::devices_of(arch))
    lines.push_back(fmt::format(
        "{}, {} multiprocessors, L2 {}, {} GB; {} ({})", known->model, known->multiprocessors,
        format_bytes(static_cast<std::uint64_t>(known->l2_bytes)), known->memory_gb,
        propose::describe_rates(known->rates, task), known->rates.source));
  return lines;
}

}  // namespace

Result<Groundwork> lay_groundwork(const Options& options, const memory::DataFiles& data,
                                  task::Definition definition, const Aim& aim,
                                  const DeviceFacts& facts, propose::ExampleOptions examples) {
  Groundwork ground;
  auto bench = KW_TRY(workbench_options(options, aim, facts));
  ground.gpu = bench.gpu;
  ground.has_dialect_headers = toolchains()[aim.target].has_dialect_headers();
  bench.has_dialect_headers = ground.has_dialect_headers;
  auto playbook = memory::shipped_playbook(data, definition);
  if (std::string why = memory::why_playbook_left_out(data, definition); !why.empty())
    bench.notices.push_back(std::move(why));
  ground.workbench = std::make_unique<engine::TaskWorkbench>(
      KW_TRY(engine::TaskWorkbench::create(std::move(definition), std::move(playbook), bench)));
  ground.graph = memory::playbook_graph(data, aim.target, ground.has_dialect_headers);
  examples.target = aim.target;
  examples.gpu = ground.gpu;
  examples.has_dialect_headers = ground.has_dialect_headers;
  ground.examples =
      KW_TRY(propose::select_examples(data, ground.workbench->definition().task, examples));
  return ground;
}

void fit_to_task(RunConfig& config, bool has_goals, const Groundwork& ground) {
  const Task& task = ground.workbench->definition().task;
  if (!has_goals) config.goals = task.goals;
  config.task = task.name;
  config.task_sha256 = task.sha256;
  if (row_of(config.target).needs_arch) {
    config.gpu = ground.gpu;
    config.arch = arch_of(ground);
  }
}

Result<> furnish(engine::Writing& writing, const Groundwork& ground, const DeviceFacts& facts,
                 bool has_knowledge) {
  writing.task = &ground.workbench->definition();
  writing.device = facts;
  const task::Definition& definition = ground.workbench->definition();
  const auto& workloads = ground.workbench->workloads();
  writing.size_classes = propose::describe_size_classes(definition, workloads);
  std::ranges::move(KW_TRY(propose::describe_left_out(definition, facts.target, workloads)),
                    std::back_inserter(writing.size_classes));
  writing.has_dialect_headers = ground.has_dialect_headers;
  if (row_of(facts.target).runs_references && facts.compiler.empty())
    writing.device.compiler = compile::cpu_compiler_words().value_or("");
  if (!facts.gpu.empty()) {
    writing.device.gpu.front().arch = arch_of(ground);
    if (facts.memory_bytes == 0)
      writing.gpus = describe_candidates(arch_of(ground), definition.task);
    const auto toolkit = compile::find_cuda_toolkit();
    if (facts.compiler.empty() && toolkit.nvrtc)
      writing.device.compiler = compile::compiler_words(toolkit);
  }
  if (!has_knowledge) return {};
  writing.examples = ground.examples;
  writing.graph = ground.graph;
  return {};
}

engine::Learning learning_of(const Groundwork& ground, const DeviceFacts& facts) {
  // The one instruction set about which there is a card.
  const std::string wide = "avx512f";
  const bool is_wide = !row_of(facts.target).needs_arch && contains(facts.isa, wide);
  return {&ground.workbench->definition(),  facts.target,  facts.id,
          is_wide ? wide : arch_of(ground), &ground.shelf, ground.has_dialect_headers};
}

}  // namespace kw::session
