// Answers that ignore the work, or part of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "referee/admission.h"
#include "referee/subject.h"

namespace kw::referee {

/// Tries every null answer on one workload, always in the same order. Precondition: the subject is
/// prepared.
Result<> try_null_answers(Subject& subject, std::vector<NullAnswer>& to);

}  // namespace kw::referee
