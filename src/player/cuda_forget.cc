// Forgets everything that a GPU process could carry from one timed call to the next.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/defence.h"
#include "player/cuda_session.h"

namespace kw::player::cuda {

Outcome Session::build_again(Bound& plan) {
  if (plan.is_built) return std::nullopt;
  Outcome f = plan.entry != nullptr ? instantiate_host(plan) : build(plan);
  plan.is_built = !f;
  // The plan was accepted by an earlier bind, so this failure is no refusal of the plan.
  if (f && f->trouble == Trouble::LoadRefused) f->trouble = Trouble::LaunchFailed;
  return f;
}

Outcome Session::forget(Bound& next) {
  for (auto& plan : plans_) {
    if (!plan) continue;  // a dropped plan
    plan->is_built = false;
    if (plan->exec != nullptr)
      if (auto f = check(api_.cuGraphExecDestroy(std::exchange(plan->exec, nullptr)),
                         "destroy a graph", Trouble::LaunchFailed))
        return f;
  }
  for (Object& object : objects_) {
    if (object.entry != nullptr || !is_on(Defence::ModulesReloaded)) continue;
    if (auto f = check(api_.cuModuleUnload(std::exchange(object.module, nullptr)),
                       "unload the cubin", Trouble::LaunchFailed))
      return f;
    if (auto f = check(api_.cuModuleLoadData(&object.module, object.image.data()),
                       "load the cubin again", Trouble::LaunchFailed))
      return f;
  }
  if (auto f = build_again(next)) return f;
  return scrub();
}

Outcome Session::keep_only(const Bound& kept) {
  std::vector<bool> is_named(buffers_.size(), false);
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
      discard(*plan);
      plan.reset();
    }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    Mapped& buffer = buffers_[i];
    if (is_named[i] || buffer.mapping == 0) continue;
    if (auto f = check(api_.cuMemUnmap(buffer.mapping, buffer.mapped_bytes), "unmap a buffer",
                       Trouble::LaunchFailed))
      return f;
    buffer = {};
  }
  return send_touch_list();
}

}  // namespace kw::player::cuda
