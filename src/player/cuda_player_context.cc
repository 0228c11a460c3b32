// Equips a player and binds its plans.
// SPDX-License-Identifier: Apache-2.0
#include "player/cuda_player_context.h"

#include <utility>

namespace kw::player::cuda {

Outcome PlayerContext::equip(const std::vector<std::byte>& image) {
  if (auto f = load_trusted(held_, image)) return f;
  return warm_up();
}

Outcome PlayerContext::warm_up() {
  // Runs one plan whose only step fills no bytes, so that the driver's first-time work for graphs
  // is done.
  Bound plan;
  PlanParts parts;
  WireStep fill;
  fill.kind = WireStepKind::Fill;
  Mapped nothing{held_.clock_address, 0};
  held_.buffers.push_back(nothing);  // gives the fill a buffer to name
  fill.to.index = static_cast<std::uint32_t>(held_.buffers.size() - 1);
  parts.steps.push_back(fill);
  Outcome f = builder_.prepare(plan, encode_plan(parts));
  std::uint64_t ignored = 0;
  RunRequest request;
  request.nonce = held_.clock != nullptr ? 1 : 0;
  if (!f) f = run(&plan, request, ignored);
  if (!f) f = scrubber_.scrub_cores();
  builder_.discard(plan);
  held_.buffers.pop_back();
  return f;
}

Outcome PlayerContext::bind(std::size_t object, std::span<const std::byte> plan,
                            std::int32_t& handle) {
  auto bound = std::make_unique<Bound>();
  bound->object = object;
  if (auto f = builder_.prepare(*bound, plan)) {
    builder_.discard(*bound);
    return f;
  }
  handle = static_cast<std::int32_t>(plans_.size());
  plans_.push_back(std::move(bound));
  return std::nullopt;
}

Outcome PlayerContext::run(Bound* plan, const RunRequest& request, std::uint64_t& event_ns) {
  event_ns = 0;
  if (auto f = timed_.check(request)) return f;
  if (plan != nullptr)
    if (auto f = builder_.build_again(*plan)) return f;
  return timed_.run(plan, request, event_ns);
}

}  // namespace kw::player::cuda
