// The cuda device: found, opened and spoken to through the driver library, which is loaded at run
// time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/candidate.h"

namespace kw::device {

struct CudaOptions {
  int ordinal = 0;  ///< Among the devices that CUDA_VISIBLE_DEVICES leaves.
};

/// Error: no driver, no GPU, or one that cannot be used; says what is missing.
Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options);

/// The trusted kernels that Device::equip() expects, for an arch such as "sm_90a".
std::vector<BuildUnit> trusted_units(std::string_view arch);

}  // namespace kw::device
