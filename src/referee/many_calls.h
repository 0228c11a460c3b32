// A process that is called far oftener than there are small shapes.
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

/// Calls the process of `leg` 32 to 95 times more, at shapes drawn by lot among the smallest of
/// `small`, and checks one call in eight in full, the last one among them. A kernel that stops
/// working after so many calls is wrong in every verdict, not only where a win is sent through a
/// long life. Some 0.1 ms a call, 50 ms at most; nothing happens on a GPU, and once `haste` is
/// hurried. Precondition: all are prepared, and the process has been through them.
Result<std::optional<Verdict>> call_many_times(std::span<Bench* const> small, Leg& leg,
                                               const Options& options, platform::Clock& clock,
                                               const Haste& haste, Rng& rng);

}  // namespace kw::referee
