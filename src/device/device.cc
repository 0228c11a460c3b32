// Default answers of devices that have no trusted kernels.
// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

namespace kw::device {

Result<> Device::equip(std::span<const BuildUnit>) { return {}; }

Result<double> Device::run_trusted(const TrustedRun& run) {
  return fail(ErrorCode::Unsupported, About{run.unit},
              "a cpu runs none of the referee's own CUDA kernels", run.unit);
}

}  // namespace kw::device
