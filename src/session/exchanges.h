// The exchanges with models that an attempt of a run led to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/exchange.h"
#include "session/options.h"

namespace kw::session {

struct AttemptExchanges {
  std::string run;
  std::vector<Exchange> exchanges;  ///< Not empty.
};

/// The stored prompts and replies for an attempt, even if they led to no kernel. Error: no such
/// run, or no model was asked for this attempt.
Result<AttemptExchanges> exchanges_of(const Options& options, const std::string& run, int attempt);

}  // namespace kw::session
