// A graph of techniques as a drawing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/technique_graph.h"

namespace kw::report {

/// Techniques stand in columns by their fewest steps from sequential code, the most tried first;
/// lines are steps: those that gained, those that cost, and (dashed) those that nobody has tried.
/// A dot's tooltip tells what leads there. For at most some hundreds of techniques.
std::string graph_svg(const TechniqueGraph& graph, const std::string& title);

}  // namespace kw::report
