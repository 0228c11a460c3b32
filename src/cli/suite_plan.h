// The cells of a suite: the searches that its spec asks for, and the commands that run them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "report/suite_data.h"

namespace kw::cli {

/// Prefix of tasks that are technique worlds, TECHNIQUES:SEED, which are searched without store,
/// model or device.
inline constexpr const char* kWorldPrefix = "techniques:";
/// Stands in a spec for the models of the command line.
inline constexpr const char* kRealModel = "real";

struct SuiteOptions {
  std::string file;  ///< The spec's file as the user named it.
  /// The models for `real`; where the spec has no `real`, they replace all of its models.
  std::vector<std::string> models;
  std::string model_timeout{};  ///< The value of --model-timeout; empty: the usual timeout.
};

/// One search of a suite.
struct CellPlan {
  /// The cell without a result; `trouble` is set where the search cannot be made.
  report::SuiteCell cell;
  /// The label of the cell's run, which describes the search but not how it is started.
  std::string label;
  /// The command line, "optimize", …; empty for a world or a record.
  std::vector<std::string> words;
  /// Flags about the model, which are also used when the run is resumed.
  std::vector<std::string> asking_words;

  /// Whether the cell is searched within the program: in a technique world or on a record.
  bool is_inside() const { return words.empty() && cell.trouble.empty(); }
};

/// The suite in technique worlds, where the i-th of `worlds` worlds stands for the i-th task; takes
/// seconds, without model and device. The suite's name says so. Only evaluations bound it: as many
/// as the spec's calls where the spec bounds no evaluations.
task::SuiteSpec in_worlds(task::SuiteSpec spec, int worlds);

/// All cells, with tasks inside seeds inside methods. Impossible cells (a strategy that writes
/// without a model, tasks that do not exist) are complaints at their place in the spec.
Result<std::vector<CellPlan>> plan_cells(const Global& global, const task::SuiteSpec& spec,
                                         const SuiteOptions& options);

}  // namespace kw::cli
