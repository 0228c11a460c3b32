// The task "recorded:RUN" or "recorded:FILE": the evaluations of a run as a search space with known
// times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "search/recorded.h"
#include "session/options.h"

namespace kw::session {

inline constexpr std::string_view kRecordPrefix = "recorded:";

struct Record {
  std::unique_ptr<search::RecordedLandscape> landscape;
  std::string sha256;  ///< Hash of the data from which the landscape was read.
};

/// Opens a recorded run as a search space. `task` begins with the prefix "recorded:"; the rest is a
/// file that kw export wrote as jsonl, or else a run of the workspace. Reads all attempts.
Result<Record> open_record(const Options& options, std::string_view task);

}  // namespace kw::session
