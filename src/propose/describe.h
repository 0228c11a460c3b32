// What a prompt says about task, machine and goal, one statement a line. Pure; nothing here looks
// at workloads of the groups `check` and `time`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "propose/proposer.h"

namespace kw::propose {

struct ArgumentWords {
  std::string name;
  std::string type;
  std::string what;
};

/// The arguments of the function, in the order of its signature.
std::vector<ArgumentWords> describe_arguments(const task::Definition& task);

/// Whether the rows of some tensor may lie further apart than they are long.
bool has_pitch(const task::Definition& task);

/// Whether a dim is a size of a tensor, and not a gap between rows or a plain argument.
bool is_a_size(const task::Definition& task, const std::string& dim);

/// How tensors lie in memory, and what those names in their shapes mean that are no arguments.
std::string describe_layout(const task::Definition& task, Target target);

/// Both gates in words and figures, with the unit of every type that the outputs have.
std::string describe_tolerance(const task::Definition& task);

struct ShapeWords {
  std::string name;
  std::string what;
};

/// The workloads of the group `show` for the target.
Result<std::vector<ShapeWords>> describe_shapes(const task::Definition& task, Target target);

/// A processor's cores, instruction sets, caches and measured ceilings; a GPU's limits, ceilings
/// and the rates that its maker states.
std::vector<std::string> describe_device(const DeviceFacts& facts);

/// `has_cute`: the headers of CuTe and CUTLASS are found where candidates are compiled.
std::vector<std::string> describe_restrictions(const Task& task, Target target,
                                               bool has_cute = false);

/// What is to be beaten, where the run stands, each goal and how far it is.
std::vector<std::string> describe_goal(const Situation& situation);

/// The compiler options that the task allows for the target, each with what it does.
std::string describe_options(const Restrictions& restrictions, Target target);

}  // namespace kw::propose
