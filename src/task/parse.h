// The readers of task.yaml and shapes.yaml; used by load.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task/definition.h"

namespace kw::task {

/// Fills everything that task.yaml says. What is wrong becomes complaints, and the definition then
/// is incomplete but safe to look at.
void parse_task_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// The type that a variant's task.yaml gives to all real tensors; has to be known before the
/// tensors are read.
void parse_variant_dtype(FileReport& report, const Yaml& root, Definition& definition);

/// What the task.yaml of a variant changes of a definition that holds the task that it is like.
void parse_variant_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// The tensors; needs dims, lets and scalars.
void parse_tensors(FileReport& report, const Yaml& node, Definition& definition);

/// Values by tensor that take the place of the task's own; needs the tensors.
void read_value_overrides(FileReport& report, const Yaml& node, const Definition& definition,
                          std::map<std::string, ValuesSpec>& values);

/// The section `timed`; needs tensors and gate.
void parse_timed(FileReport& report, const Yaml& node, Definition& definition);

/// Fills the workloads; needs what task.yaml said.
void parse_shapes_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// Names that formulas of a task may use: dims and lets.
std::vector<std::string> formula_names(const Definition& definition);

/// A scalar's `value` for its dtype; `known` are the names that it may use.
bool read_scalar_value(FileReport& report, const Yaml& node, std::span<const std::string> known,
                       ScalarSpec& scalar);

}  // namespace kw::task
