// Draws a graph of techniques as SVG.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/technique_graph.h"

namespace kw::report {

/// Draws each technique as a dot, in columns by the fewest steps from sequential code, the most
/// tried on top. Lines are steps, in one colour if they gained time and in another if they lost
/// time; a dashed step was never tried. The tooltip of a dot lists the steps to its technique.
/// Readable for up to some hundreds of techniques.
std::string graph_svg(const TechniqueGraph& graph, const std::string& title);

}  // namespace kw::report
