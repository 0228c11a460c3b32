// Forgets everything that a GPU process could carry from one timed call to the next.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/defence.h"
#include "player/cuda_player_context.h"

namespace kw::player::cuda {

Outcome PlayerContext::forget(Bound& next) {
  for (auto& plan : plans_) {
    if (!plan) continue;  // a dropped plan
    plan->is_built = false;
    if (plan->exec != nullptr)
      if (auto f = held_.gpu.check(
              held_.gpu.api().cuGraphExecDestroy(std::exchange(plan->exec, nullptr)),
              "destroy a graph", Trouble::LaunchFailed))
        return f;
  }
  for (Object& object : held_.objects) {
    if (object.entry != nullptr || !is_on(Defence::ModulesReloaded)) continue;
    if (auto f =
            held_.gpu.check(held_.gpu.api().cuModuleUnload(std::exchange(object.module, nullptr)),
                            "unload the cubin", Trouble::LaunchFailed))
      return f;
    if (auto f =
            held_.gpu.check(held_.gpu.api().cuModuleLoadData(&object.module, object.image.data()),
                            "load the cubin again", Trouble::LaunchFailed))
      return f;
  }
  if (auto f = builder_.build_again(next)) return f;
  return scrubber_.scrub();
}

Outcome PlayerContext::keep_only(const Bound& kept) {
  std::vector<bool> is_named(held_.buffers.size(), false);
  const auto name = [&](const WirePlace& place) {
    if (place.kind == PlaceKind::Buffer && place.index < is_named.size())
      is_named[place.index] = true;
  };
  for (const WireTensorMap& map : kept.view.maps) name(map.base);
  for (const WirePlanArgument& a : kept.view.arguments)
    if (a.kind == WireArgumentKind::Address) name(a.place);
  for (const WireStep& step : kept.view.steps)
    if (step.kind == WireStepKind::Fill || step.kind == WireStepKind::Copy) {
      name(step.to);
      if (step.kind == WireStepKind::Copy) name(step.from);
    }
  for (auto& plan : plans_)
    if (plan && plan.get() != &kept) {
      builder_.discard(*plan);
      plan.reset();
    }
  return mapped_.keep_only(is_named);
}

}  // namespace kw::player::cuda
