// The facts of a target's device on this machine, with its measured ceilings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/device.h"
#include "session/aim.h"
#include "session/options.h"

namespace kw::session {

struct ExaminedDevice {
  DeviceFacts facts;
  /// What the measurement refused or found unreliable, in whole sentences.
  std::vector<std::string> notes;
};

/// Examines the device, and measures all ceilings (about 10 s) if `must_measure` or if this
/// workspace has never seen the device; stores the facts. Error: there is no such device, or this
/// machine cannot judge.
Result<ExaminedDevice> examine_device(const Options& options, const Aim& aim, bool must_measure);

}  // namespace kw::session
