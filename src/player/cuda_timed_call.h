// TimedCall: one run of a plan, whose begin and end the referee's own kernels stamp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "player/cuda_buffers.h"
#include "player/cuda_holdings.h"

namespace kw::player::cuda {

class TimedCall {
 public:
  /// `held` and `touched` must outlive the object.
  TimedCall(const Holdings& held, const BufferMap& touched) : held_(held), touched_(touched) {}

  /// Refuses a request that needs what has not been loaded or mapped.
  Outcome check(const RunRequest& request) const;
  /// Runs a built plan (null: an empty call) between the spacer and stamp kernels, with the
  /// settings of the request, and waits for its end.
  Outcome run(const Bound* plan, const RunRequest& request, std::uint64_t& event_ns) const;

 private:
  /// Queues everything that run() queues before it releases the spacer kernel.
  Outcome queue(const Bound* plan, const RunRequest& request) const;
  Outcome queue_plan(const Bound& plan, const RunRequest& request) const;
  void release_spacer(const RunRequest& request) const;

  const Holdings& held_;
  const BufferMap& touched_;
};

}  // namespace kw::player::cuda
