// What one attempt showed of the techniques that are new in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/lesson_rules.h"
#include "record/experience.h"

namespace kw::memory {

/// One entry for each technique that the source shows and `from` does not; several share the try
/// and its gain in equal parts. `from`: the nearest correct source that it was made from, null for
/// a first kernel, whose gain is over the baseline. Nothing where the failure says nothing about
/// kernels, or a correct one was not timed.
std::vector<Experience> experience_of(const Attempt& attempt, const TriedSource& tried,
                                      const TriedSource* from, const LessonScope& scope);

/// Bottleneck of an evaluation: that of the timed workload that is farthest from its ceiling.
Bound bound_of(const Evaluation& evaluation);

}  // namespace kw::memory
