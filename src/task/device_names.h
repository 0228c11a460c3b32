// Names that expressions of a .cu file may use for a device: its limits and its architecture
// (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/expr.h"
#include "record/device.h"

namespace kw::task {

/// "sm_90" as 900, "sm_90f" as 901 and "sm_90a" as 902, so that newer ones compare as greater and
/// one with a feature of its own as a little more than the one without; 0: no arch's name.
std::int64_t arch_number(std::string_view arch);

/// `sms`, `shared_max`, `l2_bytes`, `arch`, and `sm_75` and its like.
std::span<const std::string_view> device_names();

/// Values of the names that the architecture alone settles, so that one build serves every device
/// that has it.
Names arch_names(std::string_view arch);

/// The values of all device_names() for a device.
Names device_limits(const GpuFacts& gpu);

}  // namespace kw::task
