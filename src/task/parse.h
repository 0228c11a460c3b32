// The readers of task.yaml and shapes.yaml; used by load.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task/definition.h"

namespace kw::task {

/// Fills everything that task.yaml says. What is wrong becomes complaints, and the definition then
/// is incomplete but safe to look at.
void parse_task_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// The same for a task that is like another: `main` is that one's task.yaml, `root` says what
/// differs.
void parse_variant_yaml(FileReport& report, const Yaml& root, FileReport& main_report,
                        const Yaml& main, Definition& definition);

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
