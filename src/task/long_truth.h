// The truth of float64 results is computed above their type: in long double, rounded once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "record/long_truth.h"
#include "task/definition.h"

namespace kw::task {

/// The name of the function that long_truth_text() defines.
inline constexpr const char* kLongTruth = "kw_long_truth";
/// The macro (`NAME=VALUE`) with which that function calls the reference in double instead: for
/// references that do not compile with long double as their real type.
inline constexpr const char* kTruthInDouble = "KW_TRUTH_IN_DOUBLE=1";

/// The task with more arguments: behind those of the signature the extent of each of its tensors in
/// turn (i64, elements with the padding between rows). These are the arguments of kLongTruth.
Task with_extents(Task task);

/// The source of a function that has the arguments of the reference in double, and extents, and
/// calls `reference` with long double as its real type. Real tensors are widened into arrays of the
/// function's own (16 bytes an element on x86); the elements that the reference changed are rounded
/// back. All others keep their bits, by which is seen what a reference leaves unwritten.
std::string long_truth_text(const Task& task);

/// The first line of the reference that names the type double, where has_long_truth() holds: what
/// is computed there may be rounded to double, although it compiles with long double.
std::optional<int> line_of_double(const Definition& definition);

}  // namespace kw::task
