// The graph of techniques that the playbook shows, from one kernel of a task to its next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/data_files.h"
#include "record/technique_graph.h"

namespace kw::memory {

/// The graph of each task's kernels for the target, in their order. The steps of a kernel are the
/// techniques that its `// kw: technique` line names and the kernel before it does not, in the
/// order of the line. The last step is an example with the code of both kernels; the steps between
/// have none, since nobody wrote that code. Nothing is counted, because the kernels are verified
/// but their gains are not measured here. A kernel whose header cannot be read is skipped.
/// Without `has_dialect_headers` no code in a dialect that needs headers is an example.
TechniqueGraph playbook_graph(const DataFiles& data, Target target,
                              bool has_dialect_headers = true);

}  // namespace kw::memory
