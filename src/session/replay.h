// Replays a run's decisions from its recorded results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/files.h"
#include "session/options.h"

namespace kw::session {

struct Replay {
  std::string run;
  platform::Path log;    ///< The decision log that the run wrote.
  std::string recorded;  ///< The text of the log.
  std::string replayed;  ///< The log of the replay.
};

/// Feeds the recorded results to the strategy again; needs no device. Errors: no such run, the run
/// has not ended, or its task has changed since.
Result<Replay> replay(const Options& options, const std::string& run);

}  // namespace kw::session
