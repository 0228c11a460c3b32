// kw graph build: builds a graph of techniques from recorded runs and from the playbook of expert
// kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/model_flags.h"
#include "cli/target_flags.h"

namespace kw::cli {

struct GraphBuildFlags {
  bool playbook = false;
  bool keep = false;
  std::vector<std::string> tasks;
  ModelFlags models;
  SpendFlags spend;
  LengthFlags length;  ///< The length of replies.
  AskingFlags asking;

  void declare(Flags& flags);
};

Result<int> build_graph(const Global& global, const TargetFlags& target,
                        const GraphBuildFlags& flags);

}  // namespace kw::cli
