// Checks that a task says what it computes, rather than holding a placeholder that asks a person to
// say so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "task/definition.h"

namespace kw::task {

/// Refuses a task whose spec.md holds a placeholder: the sentence that drafts of earlier versions
/// contained, or a line that begins with TODO. The error is caused by the input, and names file,
/// line and what to write. A task without spec.md passes, because its summary and reference say
/// what it computes.
Result<> check_specified(const Definition& definition);

}  // namespace kw::task
