// What one attempt shows about the techniques that are new in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/lesson_rules.h"
#include "record/experience.h"

namespace kw::memory {

/// One entry for each technique that the source shows and `from` does not. Several techniques share
/// the try and its gain equally. `from` is the nearest correct source from which the attempt was
/// made; null for a first kernel, whose gain is measured against the baseline. Returns nothing
/// where the failure says nothing about kernels, or where a correct kernel was not timed.
std::vector<Experience> experience_of(const Attempt& attempt, const TriedSource& tried,
                                      const TriedSource* from, const LessonScope& scope);

/// The bottleneck of an evaluation: that of the timed workload that is farthest from its ceiling.
Bound bound_of(const Evaluation& evaluation);

}  // namespace kw::memory
