// The task's reference with loops that can be cut short or run backwards, as it is built and as the
// referee finds its loops in the built unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/candidate.h"

namespace kw {

/// BuildUnit::role of the reference whose loops can be cut. A request may lack the unit.
inline constexpr const char* kLoopsRole = "reference_loops";
/// Name of the argument, an i32 before all others, that says what is cut: LoopCut + kLoopCuts times
/// the loop's index + 1; 0: nothing.
inline constexpr const char* kLoopArgument = "kw_loop";

/// What is done to a loop: passes are left out, or run in the opposite order.
enum class LoopCut {
  SecondHalf,
  BeyondForty,  ///< All passes but the first 40.
  Last,
  First,
  Backwards,  ///< All passes, from the last to the first.
};
inline constexpr int kLoopCuts = 5;

/// A loop of the reference that can be cut.
struct ReferenceLoop {
  std::string variable;
  int line = 0;  ///< In reference.cpp, from 1.
};

/// The line of a unit's first file that tells of one of its loops, line end included.
std::string mark_of(const ReferenceLoop& loop);

/// The loops of which a unit's first file tells, in the order of their indices.
std::vector<ReferenceLoop> loops_of(const BuildUnit& unit);

}  // namespace kw
