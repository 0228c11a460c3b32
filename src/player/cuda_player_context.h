// PlayerContext: what a player of a GPU does when told: maps buffers, loads objects, runs plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "player/cuda_buffers.h"
#include "player/cuda_holdings.h"
#include "player/cuda_host.h"
#include "player/cuda_plans.h"
#include "player/cuda_scrub.h"
#include "player/cuda_timed_call.h"

namespace kw::player::cuda {

class PlayerContext {
 public:
  PlayerContext() = default;
  PlayerContext(const PlayerContext&) = delete;
  PlayerContext& operator=(const PlayerContext&) = delete;

  /// Creates a context as Gpu::open() does.
  Outcome open(const Uuid& uuid, const std::string& library, bool is_primary) {
    return held_.gpu.open(uuid, library, is_primary);
  }
  /// Maps one buffer, or the clock page. The caller keeps the descriptor.
  Outcome map(const MapEntry& entry, int descriptor) { return mapped_.map(entry, descriptor); }
  /// Loads the trusted kernels and runs each once, so that whatever the driver does on first use
  /// happens before the process locks itself down. Call once, after the clock page was mapped.
  Outcome equip(const std::vector<std::byte>& image);
  /// Prepares everything that depends on the complete list of buffers; call after the last map().
  Outcome finish_mapping() { return mapped_.finish(); }

  Outcome load(std::vector<std::byte> image, std::int32_t& handle) {
    return load_cubin(held_, std::move(image), handle);
  }
  /// Loads a host launcher's shared object and looks up its entry.
  Outcome load_host(const char* path, const char* entry, std::int32_t& handle) {
    return cuda::load_host(held_, path, entry, handle);
  }
  Outcome bind(std::size_t object, std::span<const std::byte> plan, std::int32_t& handle);
  /// Runs a plan (null: an empty call) as TimedCall::run() does.
  Outcome run(Bound* plan, const RunRequest& request, std::uint64_t& event_ns);
  /// Loads every object anew and rebuilds the graph of `next` (other plans are rebuilt when they
  /// run), and overwrites shared memory, registers and local memory. Local memory costs most: on an
  /// H100, 0.09 ms for each KiB of the largest frame of a bound plan plus 1 KiB of stack.
  Outcome forget(Bound& next);
  /// Unmaps every buffer that this plan does not name, and drops all other plans.
  Outcome keep_only(const Bound& kept);

  bool has_object(std::size_t index) const { return index < held_.objects.size(); }
  Bound* plan(std::size_t index) { return index < plans_.size() ? plans_[index].get() : nullptr; }

 private:
  Outcome warm_up();

  Holdings held_;
  BufferMap mapped_{held_};
  Scrubber scrubber_{held_};
  PlanBuilder builder_{held_};
  TimedCall timed_{held_, mapped_};
  std::vector<std::unique_ptr<Bound>> plans_;
};

}  // namespace kw::player::cuda
