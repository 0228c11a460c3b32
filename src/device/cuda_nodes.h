// What of the machine a player of one GPU must see: device nodes, driver, environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/cuda.h"
#include "device/cuda_context.h"
#include "platform/files.h"

namespace kw::device {

/// Of the GPU of this context, and of no other. An error names the node that is missing.
Result<CudaSurroundings> cuda_surroundings(const CudaContext& context);

/// The number of a GPU's node from /proc/driver/nvidia/gpus/<bus id>/information; -1 if it is not
/// there.
int parse_device_minor(std::string_view information);

}  // namespace kw::device
