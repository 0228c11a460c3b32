// The workspace's graph of techniques: reads, exports and imports it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/technique_graph.h"
#include "session/options.h"

namespace kw::session {

/// The workspace's graph of techniques; as long as no run has changed it, the graph of the shipped
/// playbook of expert kernels.
Result<TechniqueGraph> technique_graph(const Options& options, Target target);

/// The same, for a workspace that may be new; creates its store.
Result<TechniqueGraph> graph_to_export(const Options& options, Target target);

/// Notes that this text holds the counts of the workspace's graph, so that it is never imported.
Result<> note_exported_graph(const Options& options, Target target, const std::string& text);

/// Adds another workspace's graph and its counts to this one's, and returns the sum. Error: the
/// text is no graph, or was imported or exported here before. `where` names the text in errors.
Result<TechniqueGraph> import_graph(const Options& options, Target target, const std::string& text,
                                    const std::string& where);

}  // namespace kw::session
