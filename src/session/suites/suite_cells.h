// The cells of a suite: the searches that its spec asks for, and the command that runs each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/suite_data.h"
#include "session/options.h"

namespace kw::session {

/// Prefix of tasks that are technique worlds (techniques:SEED), which are searched without store,
/// model or device.
inline constexpr const char* kWorldPrefix = "techniques:";
/// The name that stands, in a suite's spec, for the models given on the command line.
inline constexpr const char* kRealModel = "real";

struct SuiteOptions {
  std::string file;  ///< The spec's file as the user named it.
  /// The models that replace `real` in the spec; if the spec has no `real`, they replace all of its
  /// models.
  std::vector<std::string> models;
  std::string model_timeout{};  ///< The value of --model-timeout; empty: the usual timeout.
};

/// One search of a suite.
struct PlannedCell {
  /// The cell (one search of a suite) before it has a result; `trouble` is set if the search is
  /// impossible.
  report::SuiteCell cell;
  /// The label of the search's run: it depends on the settings of the search but not on how the
  /// search is started.
  std::string label;
  /// The arguments of kw that run the search, such as "optimize", …; empty for a technique world or
  /// a recorded run.
  std::vector<std::string> words;
  /// Flags about how models are called, which are also given to kw resume.
  std::vector<std::string> asking_words;

  /// Whether this process does the search itself: in a technique world or on a recorded run.
  bool is_inside() const { return words.empty() && cell.trouble.empty(); }
};

/// Replaces the tasks of a suite by technique worlds: the i-th of `worlds` worlds stands for the
/// i-th task. The suite takes seconds, without model and device, and its name says "landscape". The
/// only budget is evaluations: the spec's, or else as many as its calls.
task::SuiteSpec in_worlds(task::SuiteSpec spec, int worlds);

/// All searches (cells) of a suite, ordered by method, then seed, then task. Impossible ones (a
/// strategy that writes without a model, tasks that do not exist) are reported at their line of the
/// spec.
Result<std::vector<PlannedCell>> plan_cells(const Options& options, const task::SuiteSpec& spec,
                                            const SuiteOptions& suite);

}  // namespace kw::session
