// Checks candidates at timed shapes with values and scalars that their timed inputs never have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "record/evaluation.h"
#include "record/verdict.h"
#include "referee/bench.h"
#include "referee/referee.h"

namespace kw::referee {

/// Copies of the timed workload, each with the drawn values and the real scalars of one checked
/// workload of `others`. Equal choices appear once, in the order of `others`; a choice that equals
/// the timed workload's own is left out. Values that belong to a grid stay as they are. The name of
/// each copy says whose values it has.
std::vector<Workload> with_values_of_others(const Workload& timed,
                                            std::span<const Workload> others);

/// What a check with borrowed values needs to know.
struct Borrower {
  const EvaluationRequest& request;
  const Program& program;
  const Options& options;
};

/// Checks one call of the candidate at the shape of `timed` in full, on values drawn at random from
/// with_values_of_others(): a kernel that is right at this shape for the timed values alone does
/// not pass. Values at which the trusted baseline itself fails at this size are skipped. Costs a
/// truth, which is not kept, and a process. `findings` gets what a failure shows. Does nothing on a
/// GPU.
Result<std::optional<Verdict>> check_on_borrowed(Bench& timed, const Borrower& borrower, Rng& rng,
                                                 std::vector<Finding>& findings);

}  // namespace kw::referee
