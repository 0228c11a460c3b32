// Builds chains of techniques from the techniques that kernels declare.
// SPDX-License-Identifier: Apache-2.0
#include "memory/playbook_graph.h"

#include "memory/graph_build.h"
#include "task/header.h"

namespace kw::memory {

TechniqueGraph playbook_graph(const DataFiles& data, Target target, bool has_dialect_headers) {
  TechniqueGraph graph;
  for (const PlaybookStep& step : playbook_steps(data, target)) {
    std::string at = step.before.empty() ? std::string(TechniqueGraph::kStart) : step.before.back();
    for (const std::string& technique : step.added) {
      const std::size_t edge = graph.add(at, technique);
      const bool is_shown = has_dialect_headers || (!task::asks_for_headers(step.code) &&
                                                    !task::asks_for_headers(step.code_before));
      if (technique == step.added.back() && !step.before_name.empty() && is_shown)
        graph.add_example(edge, {step.name, "the last of the steps between these two kernels",
                                 step.code_before, step.code});
      at = technique;
    }
  }
  return graph;
}

}  // namespace kw::memory
