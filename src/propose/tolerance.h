// What the outputs may be off by, in words: the gates of a task, for whoever writes its kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "task/definition.h"

namespace kw::propose {

/// Whether anything may be off at all: some output is real, and its gate is not `exact`.
bool has_rounding(const task::Definition& task);

/// All gates of the task in words and figures, with the unit of every type that the outputs have:
/// the gate of an element or region, the gate of the RMS error, and what must be exact on timed
/// inputs.
std::string describe_tolerance(const task::Definition& task);

}  // namespace kw::propose
