// What of the machine a player of one GPU must see: device nodes, driver, environment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/cuda_context.h"
#include "platform/files.h"

namespace kw::device {

struct CudaSurroundings {
  std::vector<platform::Path> nodes;
  std::vector<platform::Path> readable;  ///< Where the driver's library lies outside the system's.
  std::vector<std::string> environment;

  /// The environment of players of host launchers, which link with libraries in these folders.
  std::vector<std::string> host_environment(const std::vector<platform::Path>& folders) const;
};

/// Of the GPU of this context, and of no other. An error names the node that is missing.
Result<CudaSurroundings> cuda_surroundings(const CudaContext& context);

/// The number of a GPU's node from /proc/driver/nvidia/gpus/<bus id>/information; -1 if it is not
/// there.
int parse_device_minor(std::string_view information);

}  // namespace kw::device
