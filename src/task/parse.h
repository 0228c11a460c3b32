// Parsers of task.yaml and shapes.yaml; used by load.cc and each other only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task/definition.h"

namespace kw::task {

/// Fills every field of `definition` that task.yaml defines. Errors become complaints; the
/// definition is then incomplete but safe to read.
void parse_task_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// Reads the dtype that a variant's task.yaml gives to all real tensors; must be called before the
/// tensors are read.
void parse_variant_dtype(FileReport& report, const Yaml& root, Definition& definition);

/// Applies the changes in a variant's task.yaml to a definition that holds the task on which it is
/// based.
void parse_variant_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// Reads the section `tensors`; dims, lets and scalars must have been read.
void parse_tensors(FileReport& report, const Yaml& node, Definition& definition);

/// Reads value distributions, by tensor name, that replace those of the task; the tensors must have
/// been read.
void read_value_overrides(FileReport& report, const Yaml& node, const Definition& definition,
                          std::map<std::string, ValuesSpec>& values);

/// Reads the section `gate`; dims, lets and the reference must have been read.
void parse_gate(FileReport& report, const Section& section, Definition& definition);

/// Reads the numbers of a variant's gate (tolerance), which replace those of the task on which it
/// is based; the kind of gate stays.
void parse_gate_numbers(FileReport& report, const Section& section, Gate& gate);

/// Reads the section `rms`; the gate must have been read.
void parse_rms(FileReport& report, const Section& section, Gate& gate);

/// Reads the section `timed`; tensors and gate must have been read.
void parse_timed(FileReport& report, const Yaml& node, Definition& definition);

/// Reads the workloads of shapes.yaml; task.yaml must have been read.
void parse_shapes_yaml(FileReport& report, const Yaml& root, Definition& definition);

/// The names that a task's formulas may use: dims and lets.
std::vector<std::string> formula_names(const Definition& definition);

/// Reads a scalar's `value` according to its dtype; `known` are the names that the value may use.
bool read_scalar_value(FileReport& report, const Yaml& node, std::span<const std::string> known,
                       ScalarSpec& scalar);

}  // namespace kw::task
