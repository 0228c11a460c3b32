// What a prompt says about task, machine and goal, one statement per line. Pure; nothing here looks
// at the workloads of the groups `check` and `time`, which must stay hidden.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "propose/proposer.h"

namespace kw::propose {

struct ArgumentWords {
  std::string name;
  std::string type;
  std::string what;
};

/// Describes the arguments of the function, in the order of its signature.
std::vector<ArgumentWords> describe_arguments(const task::Definition& task);

/// Whether the task has a tensor whose rows may be further apart than they are long.
bool has_pitch(const task::Definition& task);

/// Whether a dim is the size of a tensor, as opposed to a gap between rows or a plain argument.
bool is_a_size(const task::Definition& task, const std::string& dim);

/// Describes how tensors lie in memory, and defines the names in their shapes that are not
/// arguments.
std::string describe_layout(const task::Definition& task, Target target);

/// The name of a type in C and CUDA.
std::string_view type_of(Dtype dtype);

struct ShapeWords {
  std::string name;
  std::string what;
};

/// Describes the workloads of the group `show` for the target.
Result<std::vector<ShapeWords>> describe_shapes(const task::Definition& task, Target target);

/// Whether the main part of the task's work is sums of products, which matrix units compute.
bool has_matrix_work(const Task& task);

/// Describes a processor by cores, instruction sets, caches and measured ceilings; a GPU by limits,
/// measured ceilings and the rates that its maker states, as far as they bear on the task.
/// `candidates` describes the GPUs of the architecture if the GPU is not present.
std::vector<std::string> describe_device(const DeviceFacts& facts, const Task& task,
                                         const std::vector<std::string>& candidates = {});

/// Describes the rates that a maker states, those of matrix units only for tasks with such work and
/// those of double only for tasks with a tensor of doubles: "memory 3.35 TB/s, f32 67.0 Tflop/s".
std::string describe_rates(const DatasheetRates& sheet, const Task& task);

/// Describes what a candidate may use. `has_dialect_headers`: the compiler finds the headers
/// of the target's dialects.
std::vector<std::string> describe_restrictions(const task::Definition& task, Target target,
                                               bool has_dialect_headers = false);

/// Describes the baseline to beat, the best result so far, and for each goal how far away it is.
std::vector<std::string> describe_goal(const Situation& situation);

/// Describes the compiler options that the task allows for the target, and what each does.
std::string describe_options(const task::Definition& task, Target target);

}  // namespace kw::propose
