// The flags of kw judge that change how kernels are measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/target_flags.h"
#include "session/judge.h"

namespace kw::cli {

struct JudgeFlags {
  std::string file;
  std::string task;
  TargetFlags target;
  std::string until = "measure";
  std::string baseline;
  std::string against;  ///< The file of a kernel that is the opponent.
  std::vector<std::string> settings;
  std::vector<std::string> only;
  std::int64_t pairs = 0;
  std::string checked_share;
  bool sustained = false;
  Inspection inspect;
};

/// The measurement that the flags ask for. Error: impossible values.
Result<session::Measuring> measuring_of(const JudgeFlags& flags);

}  // namespace kw::cli
