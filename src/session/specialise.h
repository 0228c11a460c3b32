// Gives one kernel its own knobs and constants for each timed shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/aim.h"
#include "session/options.h"
#include "session/shape_builds.h"

namespace kw::session {

struct SpecialiseRequest {
  std::string kernel;        ///< A source file, or the name of a run whose best kernel is taken.
  std::string task{};        ///< The task that a file computes; empty for a run.
  std::optional<Aim> aim{};  ///< For a file, which must have one; a run has its own.
  std::vector<std::string> settings{};  ///< Knob values "K=V" for all other shapes.
  std::string baseline{};               ///< The baseline to confirm against; empty: the fastest.
  int points = engine::SpecialiseOptions().points;  ///< Settings of the knobs for each shape.
};

struct SpecialiseResult {
  std::string task;
  Target target = kDefaultTarget;
  ShapeBuilds builds;
};

/// Whether a request's kernel is a file rather than the name of a run.
bool is_kernel_file(const std::string& kernel);

/// Watches a specialisation. Calls come from the thread that specialises.
class SpecialiseObserver {
 public:
  virtual ~SpecialiseObserver() = default;
  /// Task, kernel and judge are ready, and the search begins.
  virtual void on_begin() {}
  virtual void on_build(const std::string& /*line*/) {}
};

/// Costs as much as engine::specialise. `is_interrupted` ends the search after the step in
/// progress, once on_begin() was called; Options::is_interrupted ends waits for the worker. Errors:
/// task, kernel or run cannot be used, this machine cannot judge, or an interruption.
Result<SpecialiseResult> specialise(const Options& options, const SpecialiseRequest& request,
                                    SpecialiseObserver& observer,
                                    std::function<bool()> is_interrupted);

}  // namespace kw::session
