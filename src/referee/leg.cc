// Starting, loading and replacing players.
// SPDX-License-Identifier: Apache-2.0
#include "referee/leg.h"

#include <fmt/format.h>

#include <utility>

#include "referee/fate.h"

namespace kw::referee {

Leg::Leg(device::Device& device, device::PlayerSpec spec, BuiltObject object)
    : device_(device), spec_(std::move(spec)), object_(std::move(object)) {}

Result<std::optional<Verdict>> Leg::renew() {
  player_.reset();
  player_ = KW_TRY(device_.start_player(spec_));
  if (player_->jail() > spec_.jail)
    return fail(fmt::format("the player for the {} came up at jail level '{}'; '{}' is the weakest "
                            "that is acceptable",
                            spec_.name, name_of(player_->jail()), name_of(spec_.jail)),
                {}, Advice::Stop);
  const device::LoadResult load = player_->load(object_);
  handle_ = load.object;
  return verdict_of(load);
}

device::CallResult Leg::call(std::vector<std::vector<device::Argument>> arguments,
                             std::int64_t timeout_ns) {
  return player_->call(
      {.object = handle_, .argument_sets = std::move(arguments), .timeout_ns = timeout_ns});
}

}  // namespace kw::referee
