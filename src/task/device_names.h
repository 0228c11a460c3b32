// The names that expressions of a .cu file may use for a device: its limits and its architecture
// (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/expr.h"
#include "record/device.h"

namespace kw::task {

/// An architecture as a number: "sm_90" is 900, "sm_90f" 901, "sm_90a" 902. Newer architectures
/// compare as greater, and a variant with extra features (f, a) as slightly greater than the base
/// architecture. 0: the text names no architecture.
std::int64_t arch_number(std::string_view arch);

/// All names that stand for properties of a device: `sms`, `shared_max`, `l2_bytes`, `arch`, and
/// one for each architecture, such as `sm_75`.
std::span<const std::string_view> device_names();

/// Values of the names that depend only on the architecture, so that one build serves every device
/// with this architecture.
Names arch_names(std::string_view arch);

/// The values of all device_names() for one device.
Names device_limits(const GpuFacts& gpu);

}  // namespace kw::task
