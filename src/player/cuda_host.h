// HostPlans: plans that call a host launcher, which queues its work on a stream by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "player/cuda_holdings.h"

namespace kw::player::cuda {

/// Loads a host launcher's shared object and looks up its entry; `handle` gets its index among the
/// objects.
Outcome load_host(Holdings& held, const char* path, const char* entry, std::int32_t& handle);

class HostPlans {
 public:
  /// `held` must outlive the object.
  explicit HostPlans(const Holdings& held) : held_(held) {}

  Outcome build(Bound& plan) const;
  /// Makes all calls of a built plan, on the GPU's stream.
  Outcome call_all(const Bound& plan) const;
  Outcome instantiate(Bound& plan) const;

 private:
  Outcome add_call(Bound& plan, const WireStep& step) const;
  /// Makes a host launcher's calls once outside of any capture, and waits for their end.
  Outcome try_once(const Bound& plan) const;
  Outcome call(const Bound& plan, const HostCall& made) const;
  /// Captures the calls of a host launcher as a graph. False where they cannot be captured; the
  /// plan then says why.
  bool capture(Bound& plan) const;

  const Holdings& held_;
};

}  // namespace kw::player::cuda
