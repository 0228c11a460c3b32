// The task "recorded:RUN" or "recorded:FILE": what a run evaluated, as a landscape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/flags.h"
#include "search/recorded.h"

namespace kw::cli {

inline constexpr std::string_view kRecordPrefix = "recorded:";

struct Record {
  std::unique_ptr<search::RecordedLandscape> landscape;
  std::string sha256;  ///< Of what it was read from.
};

/// `task` begins with the prefix; behind it stands a file that kw export wrote as jsonl, else a run
/// of the workspace. Reads all of its attempts.
Result<Record> open_record(const Global& global, std::string_view task);

}  // namespace kw::cli
