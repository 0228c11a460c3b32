// OptimizeFlags: what kw optimize is asked for, as the configuration of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/target_flags.h"
#include "cli/writing.h"
#include "record/attempt.h"

namespace kw::cli {

/// RunConfig::carrier of runs whose judge is elsewhere.
inline constexpr const char* kBundle = "bundle";

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
  std::string preset;
  std::string judge;
  std::string guide;
  bool freeze_graph = false;
  std::int64_t rounds = 0;
  std::int64_t repairs = RunConfig().repairs;
  WritingFlags writing;
  std::string feedback;
  bool no_knowledge = false;
  bool freeze_memory = false;
  std::string embedder;
  std::string label;
  std::string run;  ///< Of resume.

  /// All but `run`.
  void declare(Flags& f);
};

/// The first screen of kw optimize --help: 23 lines of 80 columns.
std::vector<HelpGroup> optimize_screen();

/// All but the task, and the goals of the task where the flags name none. What means nothing to the
/// strategy is not accepted.
Result<RunConfig> config_of(const OptimizeFlags& flags);

}  // namespace kw::cli
