// Rewards of attempts, computed again from their stored verdicts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "record/attempt.h"

namespace kw::session {

using Rewards = std::function<double(const Attempt&)>;

/// The rewards that a policy gives. Error: no policy has this name.
Result<Rewards> rewards_by(const std::string& policy);

}  // namespace kw::session
