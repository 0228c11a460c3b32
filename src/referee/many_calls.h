// Calls one process far more often than there are small shapes, to find kernels that soon stop
// working.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "base/rng.h"
#include "platform/clock.h"
#include "record/verdict.h"
#include "referee/bench.h"
#include "referee/haste.h"
#include "referee/leg.h"
#include "referee/referee.h"

namespace kw::referee {

/// Calls the process of `leg` 32 to 95 more times, at shapes drawn at random from the smallest of
/// `small`, and checks one call in eight in full, the last one among them. So a kernel that stops
/// working after that many calls is wrong in every verdict, not only where a win is confirmed by a
/// long series of calls. Costs some 0.1 ms a call; after 50 ms no calls beyond the 32 are made, and
/// none once `haste` is too late. Does nothing on a GPU, or once `haste` is hurried. Preconditions:
/// all of `small` are prepared, and the process has been called at each.
Result<std::optional<Verdict>> call_many_times(std::span<Bench* const> small, Leg& leg,
                                               const Options& options, platform::Clock& clock,
                                               const Haste& haste, Rng& rng);

}  // namespace kw::referee
