// The cuda device: found, opened and used through the driver library, which is loaded at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "platform/files.h"
#include "record/candidate.h"

namespace kw::device {

struct CudaOptions {
  int ordinal = 0;        ///< Number among the devices that CUDA_VISIBLE_DEVICES leaves.
  std::string driver;     ///< Path of the driver library; empty: KW_CUDA_DRIVER, else libcuda.so.1.
  platform::Path player;  ///< The player executable; empty: kw-player-cuda beside this program.
  /// Folders of CUDA's libraries, which players of host launchers may read and link with.
  std::vector<platform::Path> library_folders = {};
  /// Players kept ready per jail level; each holds a context, some 0.5 GiB.
  int spare_players = 1;
  /// Jail level whose players will be needed; the first context is created at once, in the
  /// background.
  std::optional<JailLevel> expected_jail{};
};

/// Opens a GPU. Error: there is no driver, the driver is too old, there is no GPU, or it cannot be
/// used; the text says what is missing. Takes no lease; takes about half a second.
Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options);

/// What a separate program must see of the machine to use one GPU.
struct CudaSurroundings {
  std::vector<platform::Path> nodes;
  /// Folders of the driver's library that lie outside the system's.
  std::vector<platform::Path> readable;
  std::vector<std::string> environment;
  std::string uuid;    ///< UUID of the GPU, 32 hexadecimal digits.
  std::string driver;  ///< Path of the driver library.

  /// The environment for players of host launchers, which link with libraries in these folders.
  std::vector<std::string> host_environment(const std::vector<platform::Path>& folders) const;
};

/// The surroundings of an opened GPU; null for any other device. Valid as long as the device.
const CudaSurroundings* surroundings_of(const Device& device);

/// Units of the trusted kernels that Device::equip() expects, for an architecture such as "sm_90a".
std::vector<BuildUnit> trusted_units(std::string_view arch);

}  // namespace kw::device
