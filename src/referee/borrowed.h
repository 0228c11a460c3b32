// Timed shapes with values and scalars that their timed inputs never have.
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

/// The timed workload with the values of drawn tensors and the real scalars of each of `others`
/// that is checked, one for each different choice, in their order; without those whose choice is
/// the timed one's own. Values that belong to a grid stay as they are. Names say whose they have.
std::vector<Workload> with_values_of_others(const Workload& timed,
                                            std::span<const Workload> others);

/// What a check with borrowed values needs to know.
struct Borrower {
  const EvaluationRequest& request;
  const Program& program;
  const Options& options;
};

/// Checks one call of the candidate at the shape of `timed` in full, on values drawn by lot among
/// with_values_of_others(): a kernel that is right at this shape for the timed values alone does
/// not pass. Values that the trusted baseline itself cannot bear at this size are passed over.
/// Costs a truth, which nothing keeps, and a process. `findings` gets what a failure shows. On a
/// GPU nothing happens.
Result<std::optional<Verdict>> check_on_borrowed(Bench& timed, const Borrower& borrower, Rng& rng,
                                                 std::vector<Finding>& findings);

}  // namespace kw::referee
