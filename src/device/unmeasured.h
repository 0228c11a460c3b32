// What is known about a device before anybody measured it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/device.h"
#include "record/target.h"

namespace kw::device {

/// Facts of a target's device that are read off this machine, or that hold for every device of the
/// architecture; an empty architecture tells nothing.
using UnmeasuredFacts = Result<DeviceFacts> (*)(const std::string& arch);
ByTarget<UnmeasuredFacts>& unmeasured_facts();

}  // namespace kw::device
