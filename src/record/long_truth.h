// Which tasks have a truth above their type; src/task/long_truth.h has the code that computes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/task.h"

namespace kw {

/// Whether the truth of the task is computed in long double and rounded once to float64: where an
/// output is f64. In double the reference would be both the truth and the trusted baseline, and
/// whoever sums in another order, however well, would be held to the rounding of the result alone.
/// False for the gate `exact`, which asks for the bits of arithmetic in double.
bool has_long_truth(const Task& task);

}  // namespace kw
