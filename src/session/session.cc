// Opens sessions.
// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <utility>

#include "session/judging/local_judge.h"
#include "session/tasks.h"

namespace kw::session {

Result<Session> Session::open(Options options) {
  KW_TRY(open_data(options));
  (void)KW_TRY(jail_of(options));
  return Session(std::move(options));
}

Result<OptimizeResult> Session::optimize(const OptimizeRequest& request, OptimizeObserver& observer,
                                         const Cancellation& cancellation) const {
  return session::optimize(options_, request, observer, cancellation);
}

Result<OptimizeResult> Session::resume(const std::string& run, OptimizeObserver& observer,
                                       const Cancellation& cancellation) const {
  OptimizeRequest request;
  request.resumes = run;
  return session::optimize(options_, request, observer, cancellation);
}

}  // namespace kw::session
