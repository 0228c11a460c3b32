// Chains of techniques from the names that kernels give.
// SPDX-License-Identifier: Apache-2.0
#include "memory/playbook_graph.h"

#include <map>
#include <string>
#include <vector>

#include "base/contains.h"
#include "task/header.h"

namespace kw::memory {
namespace {

struct Kernel {
  std::string name;
  std::string source;
  std::vector<std::string> techniques;
};

/// By task, each in the order of its files.
std::map<std::string, std::vector<Kernel>> kernels_of(const DataFiles& data, Target target) {
  std::map<std::string, std::vector<Kernel>> all;
  for (const auto& [path, text] : data.under("playbook")) {
    const auto slash = path.find('/');
    if (slash == std::string::npos || !path.ends_with(source_suffix(target))) continue;
    const auto header = task::parse_header(text, path, target);
    if (header) all[path.substr(0, slash)].push_back({path, text, header->techniques});
  }
  return all;
}

/// Steps from a kernel that shows `before` to this one.
std::vector<std::string> new_in(const Kernel& kernel, const std::vector<std::string>& before) {
  std::vector<std::string> steps;
  for (const std::string& technique : kernel.techniques)
    if (!contains(before, technique)) steps.push_back(technique);
  return steps;
}

}  // namespace

TechniqueGraph playbook_graph(const DataFiles& data, Target target) {
  TechniqueGraph graph;
  for (const auto& [task, kernels] : kernels_of(data, target)) {
    std::string at(TechniqueGraph::kStart);
    const Kernel* before = nullptr;
    for (const Kernel& kernel : kernels) {
      const auto steps =
          new_in(kernel, before != nullptr ? before->techniques : std::vector<std::string>());
      for (const std::string& step : steps) {
        const std::size_t edge = graph.add(at, step);
        if (step == steps.back() && before != nullptr)
          graph.add_example(edge, {kernel.name, "the last of the steps between these two kernels",
                                   before->source, kernel.source});
        at = step;
      }
      before = &kernel;
    }
  }
  return graph;
}

}  // namespace kw::memory
