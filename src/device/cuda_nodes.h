// What a player of one GPU must see of the machine: device nodes, driver, environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/cuda.h"
#include "device/cuda_context.h"
#include "platform/files.h"

namespace kw::device {

/// Surroundings of the GPU of this context, and of no other. An error names the missing node.
Result<CudaSurroundings> cuda_surroundings(const CudaContext& context);

/// The number of a GPU's device node, from /proc/driver/nvidia/gpus/<bus id>/information; -1 if the
/// text lacks it.
int parse_device_minor(std::string_view information);

}  // namespace kw::device
