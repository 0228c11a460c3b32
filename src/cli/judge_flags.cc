// Converts the flags of kw judge to measurement settings.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_flags.h"

#include <algorithm>
#include <charconv>

namespace kw::cli {
namespace {

/// Parses a share such as "0.0625" or "1/16": above 0 and at most 1.
Result<double> share_of(const std::string& text) {
  double parts[2] = {0, 1};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(at, end, parts[0]);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '/')
    read = std::from_chars(read.ptr + 1, end, parts[1]);
  const double share = parts[0] / parts[1];
  if (read.ec != std::errc() || read.ptr != end || !(share > 0 && share <= 1))
    return fail_input("--checked-share is above 0 and at most 1, such as 1/16, not '" + text + "'");
  return share;
}

}  // namespace

Result<> shape_measurement(const JudgeFlags& flags, EvaluationRequest& request) {
  if (flags.pairs < 0)
    return fail_input("--pairs is the number of timed pairs of calls and cannot be below 0");
  request.measure.pairs = static_cast<int>(std::min<std::int64_t>(flags.pairs, 100'000));
  if (!flags.checked_share.empty())
    request.measure.checked_share = KW_TRY(share_of(flags.checked_share));
  for (const std::string& name : flags.only)
    if (std::none_of(request.workloads.begin(), request.workloads.end(),
                     [&](const Workload& w) { return w.group == Group::Time && w.name == name; }))
      return fail_input(ErrorCode::NotFound, "no timed workload is called '" + name + "'",
                        "--only");
  request.measure.only = flags.only;
  request.measure.sustained = flags.sustained;
  request.inspect = flags.inspect;
  return {};
}

}  // namespace kw::cli
