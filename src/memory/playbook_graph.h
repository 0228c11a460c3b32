// The graph of techniques that the playbook shows, from one kernel of a task to its next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/data_files.h"
#include "record/technique_graph.h"

namespace kw::memory {

/// Each task's kernels for the target in their order: what a kernel names in `// kw: technique` and
/// the one before it does not are its steps, in the order of the line. The last of them is an
/// example with the code of both; steps between have none, since nobody wrote that code. Nothing is
/// counted: the kernels are verified, their gains are not measured here. A kernel whose header
/// cannot be read is passed over.
TechniqueGraph playbook_graph(const DataFiles& data, Target target);

}  // namespace kw::memory
