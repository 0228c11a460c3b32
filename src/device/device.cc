// What a device that needs no trusted kernels does with them.
// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

namespace kw::device {

Result<> Device::equip(std::span<const BuildUnit>) { return {}; }

}  // namespace kw::device
