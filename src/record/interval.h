// The interval of a measured ratio in words, where one was measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/evaluation.h"

namespace kw {

/// False where the ratio is a single figure, as of one pair or of a landscape without noise, and
/// where its upper end is not bounded.
bool has_interval(const Speedup& speedup);

/// "0.987–1.067"; empty where there is no interval.
std::string range_text(const Speedup& speedup);

/// "0.987–1.067 at 99.5 %", without the last part where nobody says how sure it is; empty where
/// there is no interval.
std::string interval_text(const Speedup& speedup);

/// "1.012x (0.987–1.067 at 99.5 %)", without the brackets where there is no interval.
std::string ratio_text(const Speedup& speedup);

/// " (0.987–1.067, faster)": what there is of `interval`, which one of the above gave, and `more`,
/// in brackets behind a figure; nothing where both are missing.
std::string in_brackets(const std::string& interval, const std::string& more = {});

}  // namespace kw
