// Removes the host code from a .cu file; used by plan_draft.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct DeviceText {
  std::string text;
  std::vector<std::string> left_out;  ///< Names of kernels that no host function launches.
};

/// The text of the device functions, types, constants and the kernels in `launched`. Kernels that
/// are no templates get C linkage.
DeviceText device_text(const ForeignSource& source, const std::vector<Item>& items,
                       const std::vector<const Item*>& launched, const TypeNames& types);

}  // namespace kw::import
