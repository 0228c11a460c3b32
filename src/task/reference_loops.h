// The task's reference with loops that can be cut short or run backwards: what kernels compute that
// stop too early, or take passes for independent that are not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "record/candidate.h"
#include "record/reference_loops.h"
#include "task/definition.h"

namespace kw::task {

/// The build unit of the reference at double with loops that can be cut: counting `for` loops of
/// the function `reference`, outer ones first, at most six and none deeper than in two others.
/// Nothing where there is none, or no room for another argument.
std::optional<BuildUnit> loops_unit(const Definition& definition);

}  // namespace kw::task
