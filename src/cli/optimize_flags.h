// OptimizeFlags: the flags of kw optimize, and the configuration of a run that they ask for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/method_flags.h"
#include "cli/target_flags.h"
#include "cli/writing.h"
#include "record/attempt.h"
#include "session/optimize.h"

namespace kw::cli {

struct OptimizeFlags {
  std::string task;
  TargetFlags target;
  std::string strategy;
  std::string tuner;
  std::string reward = "speedup";
  std::string baseline;
  std::int64_t attempts = 0;
  std::int64_t patience = 0;
  std::string time;
  std::vector<std::string> goals;
  std::int64_t seed = 1;
  std::int64_t outstanding = 1;
  std::string save_attempts;
  std::string carrier = "pipe";
  std::string mode = "generic";
  std::string results;
  bool no_memory = false;
  bool profile = false;
  bool no_profile = false;
  bool from_scratch = false;
  MethodFlags method;
  WritingFlags writing;
  std::string feedback;
  bool no_knowledge = false;
  bool freeze_memory = false;
  std::string embedder;
  std::string label;
  std::string run;  ///< The run that kw resume continues.

  /// Declares the flag of each field except `run`, which has none.
  void declare(Flags& f);
};

/// The first screen of kw optimize --help: 23 lines of 80 columns.
std::vector<HelpGroup> optimize_screen();

/// The configuration of a run, before the task is known: task and, unless flags set them, goals
/// stay empty. Errors: flags that have no effect for the strategy.
Result<RunConfig> config_of(const OptimizeFlags& flags);

}  // namespace kw::cli
