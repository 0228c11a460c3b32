// Session: what commands, servers and programs of users share, as a library: judging, comparing and
// searching on this machine. The library parses no flags and prints nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "session/duel.h"
#include "session/judge.h"
#include "session/optimize.h"
#include "session/options.h"

namespace kw::session {

/// One user of a workspace. The calls of one session must not overlap; any number of sessions and
/// processes may use a workspace at the same time, and wait for each other where they need the
/// device alone.
class Session {
 public:
  /// Error: the data or the jail that `options` demand cannot be used. Starts no worker.
  static Result<Session> open(Options options);

  const Options& options() const { return options_; }

  Result<JudgeResult> judge(const JudgeRequest& request) const {
    return session::judge(options_, request);
  }
  Result<std::unique_ptr<Duel>> compare(const DuelRequest& request) const {
    return session::compare(options_, request);
  }
  Result<OptimizeResult> optimize(const OptimizeRequest& request, OptimizeObserver& observer,
                                  const Cancellation& cancellation = {}) const;
  /// Goes on with a run that was interrupted or killed.
  Result<OptimizeResult> resume(const std::string& run, OptimizeObserver& observer,
                                const Cancellation& cancellation = {}) const;

 private:
  explicit Session(Options options) : options_(std::move(options)) {}
  Options options_;
};

}  // namespace kw::session
