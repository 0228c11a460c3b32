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
    return fail_input(ErrorCode::OutOfRange, About{"--checked-share"},
                      "--checked-share is above 0 and at most 1, such as 1/16, not '" + text + "'");
  return share;
}

}  // namespace

Result<session::Measuring> measuring_of(const JudgeFlags& flags) {
  if (flags.pairs < 0)
    return fail_input(ErrorCode::OutOfRange, About{"--pairs"},
                      "--pairs is the number of timed pairs of calls and cannot be below 0");
  session::Measuring measuring;
  measuring.pairs = static_cast<int>(std::min<std::int64_t>(flags.pairs, 100'000));
  if (!flags.checked_share.empty()) measuring.checked_share = KW_TRY(share_of(flags.checked_share));
  measuring.only = flags.only;
  measuring.sustained = flags.sustained;
  measuring.inspect = flags.inspect;
  return measuring;
}

}  // namespace kw::cli
