// Builds a graph of techniques from recorded runs and from the playbook of expert kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "llm/spec.h"
#include "record/attempt.h"
#include "record/technique_graph.h"
#include "session/aim.h"
#include "session/options.h"

namespace kw::session {

/// The model that gives techniques uniform names.
struct NamingModel {
  llm::ModelSpec spec{};
  ReplySettings reply;
  SpendLimits limits;
  std::int64_t timeout_ns = 0;  ///< 0: the default timeouts.
};

struct GraphBuildRequest {
  Aim aim{};
  bool playbook = false;  ///< Measure each kernel of the playbook against the one before it.
  bool keep = false;      ///< Add to the workspace's graph instead of replacing it.
  std::vector<std::string> tasks{};    ///< Runs and kernels of these tasks alone; empty: of all.
  std::optional<NamingModel> namer{};  ///< Nothing: a rule unifies names.
};

struct GraphBuildResult {
  TechniqueGraph graph;
  std::size_t measured = 0;       ///< Steps of the playbook.
  std::size_t verified = 0;       ///< Steps of runs.
  std::size_t unnamed = 0;        ///< Steps that are left out, because the model's budget ended.
  std::string ended_by;           ///< Why the model was not asked any more; empty: it was.
  std::optional<Spending> spent;  ///< What the naming model has cost; nothing: none was asked.
  std::vector<Price> prices;      ///< The prices of the naming model.
};

/// Builds the graph and stores it in the workspace. Tells by Options::on_notice what is left out.
/// Costs what the model may spend and, with `playbook`, some seconds of the device for each kernel
/// that this device has not measured. Errors: a task has no steps, the model cannot be opened, or
/// this machine cannot judge.
Result<GraphBuildResult> build_graph(const Options& options, const GraphBuildRequest& request);

}  // namespace kw::session
