// One built object and the player that runs it, through as many lives as the referee wants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/verdict.h"

namespace kw::referee {

/// A life is one process: it starts, loads the object, answers calls and is killed. What code keeps
/// in memory, it keeps for a life at most. (Devices keep blank processes ready, so that the next
/// life begins at once.)
class Leg {
 public:
  Leg(device::Device& device, device::PlayerSpec spec, BuiltObject object);

  /// Ends this life and begins the next. A verdict if the object would not load; an error if no
  /// player can be had at the jail level asked for. Starts a process (milliseconds).
  Result<std::optional<Verdict>> renew();
  /// Precondition: renew() gave no verdict.
  device::CallResult call(std::vector<std::vector<device::Argument>> arguments,
                          std::int64_t timeout_ns);
  bool is_alive() const { return player_ && player_->is_alive(); }

  device::Player& player() { return *player_; }
  const BuiltObject& object() const { return object_; }

 private:
  device::Device& device_;
  device::PlayerSpec spec_;
  BuiltObject object_;
  std::unique_ptr<device::Player> player_;
  int handle_ = 0;
};

}  // namespace kw::referee
