// Describes the interval of a measured ratio in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/evaluation.h"

namespace kw {

/// Whether the ratio has an interval. It has none where it is a single figure, as for one pair or
/// for noiseless simulated times, or where the upper end is not bounded.
bool has_interval(const Speedup& speedup);

/// "0.987–1.067"; empty where there is no interval.
std::string range_text(const Speedup& speedup);

/// "0.987–1.067 at 99.5 %", without the last part where the confidence is unknown; empty where
/// there is no interval.
std::string interval_text(const Speedup& speedup);

/// "1.012x (0.987–1.067 at 99.5 %)", without the brackets where there is no interval.
std::string ratio_text(const Speedup& speedup);

/// " (0.987–1.067, faster)": `interval`, as one of the functions above gives it, and `more` in
/// brackets, to put after a figure; empty where both are empty.
std::string in_brackets(const std::string& interval, const std::string& more = {});

}  // namespace kw
