// PlanBuilder: makes plans ready to run, whether they launch kernels or call a host launcher.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "player/cuda_holdings.h"

namespace kw::player::cuda {

class PlanBuilder {
 public:
  /// `held` must outlive the object.
  explicit PlanBuilder(Holdings& held) : held_(held) {}

  /// Checks the bytes of a plan and decodes them into `bound`.
  Outcome decode(Bound& bound, std::span<const std::byte> plan) const;
  /// Decodes and builds; after a failure the caller discards `bound`.
  Outcome prepare(Bound& bound, std::span<const std::byte> plan);
  /// Builds the graph of a plan again, if PlayerContext::forget() has destroyed it.
  Outcome build_again(Bound& plan);
  Outcome send_tables(Bound& plan);
  /// Destroys the graphs of a plan and frees its tables.
  void discard(Bound& plan) const;

 private:
  Outcome build(Bound& plan);
  /// Fills memory with zeros, and waits for the end.
  Status clear(Address at, std::uint64_t bytes) const;

  Holdings& held_;
};

}  // namespace kw::player::cuda
