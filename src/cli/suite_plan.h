// The cells of a suite: which searches its spec asks for, and the commands that make them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "report/suite_data.h"

namespace kw::cli {

/// Tasks that are technique worlds: TECHNIQUES:SEED, searched without store, model or device.
inline constexpr const char* kWorldPrefix = "techniques:";
/// Stands in a spec for the models of the command line.
inline constexpr const char* kRealModel = "real";

struct SuiteOptions {
  std::string file;                 ///< Of the spec, as the user named it.
  std::vector<std::string> models;  ///< For `real`; where the spec has none, for all of its models.
  std::string model_timeout{};      ///< As --model-timeout has it; empty: as usual.
};

/// One search that is to be made.
struct CellPlan {
  report::SuiteCell cell;          ///< Without a result; `trouble` is set where nobody can make it.
  std::string label;               ///< Of its run: what it is, and nothing of how it is started.
  std::vector<std::string> words;  ///< "optimize", …; none for a world or a record.
  std::vector<std::string> asking_words;  ///< Of its model; also where the run is gone on with.

  /// Searched within the program: a technique world or a record.
  bool is_inside() const { return words.empty() && cell.trouble.empty(); }
};

/// The same suite in so many technique worlds, the i-th of which stands for the i-th task: for
/// seconds without model and device. Its name says so; only evaluations bound it, where the spec
/// has none as many as it has calls.
task::SuiteSpec in_worlds(task::SuiteSpec spec, int worlds);

/// All of them, tasks within seeds within methods. What cannot be – a strategy that writes without
/// a model, tasks that do not exist – are complaints at the place in the spec.
Result<std::vector<CellPlan>> plan_cells(const Global& global, const task::SuiteSpec& spec,
                                         const SuiteOptions& options);

}  // namespace kw::cli
