// LocalPlans: plans that run in the caller's process and context, without a player.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "player/cuda_holdings.h"
#include "player/cuda_plans.h"

namespace kw::player::cuda {

class LocalPlans {
 public:
  LocalPlans() = default;
  LocalPlans(const LocalPlans&) = delete;
  LocalPlans& operator=(const LocalPlans&) = delete;

  /// Uses the caller's current context; call before everything else.
  Outcome adopt(const Api& api, DeviceOrdinal device) { return held_.gpu.adopt(api, device); }
  Outcome load_trusted(const std::vector<std::byte>& image) {
    return cuda::load_trusted(held_, image);
  }
  Outcome load(std::vector<std::byte> image, std::int32_t& handle) {
    return load_cubin(held_, std::move(image), handle);
  }
  /// Binds a plan to these buffers, runs it `repeats` times in a row and drops it. `event_ns` is
  /// the time between events around the runs; one earlier run warms the kernels.
  Outcome run_once(std::size_t object, std::span<const std::byte> plan, std::vector<Mapped> buffers,
                   int repeats, std::uint64_t& event_ns);
  /// Launches a plan's steps one by one on one stream, on these buffers, for a profiler or a
  /// sanitizer: without graph, spacer and stamp. `marked` gives the indices, in order, of the steps
  /// to enclose in cuProfilerStart() and cuProfilerStop(). `step_ns` gets the nanoseconds of each
  /// step, between events around it; these are meaningless where steps are marked.
  Outcome run_apart(std::size_t object, std::span<const std::byte> plan,
                    std::vector<Mapped> buffers, std::span<const int> marked,
                    std::vector<double>& step_ns);

 private:
  Holdings held_;
  PlanBuilder plans_{held_};
};

}  // namespace kw::player::cuda
