// The cuda device: found, opened and spoken to through the driver library, which is loaded at run
// time.
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
  int ordinal = 0;        ///< Among the devices that CUDA_VISIBLE_DEVICES leaves.
  std::string driver;     ///< Its library; empty: KW_CUDA_DRIVER, else libcuda.so.1.
  platform::Path player;  ///< The player executable; empty: kw-player-cuda beside this program.
  /// Of CUDA's libraries: what players of host launchers may read and link with.
  std::vector<platform::Path> library_folders = {};
  int spare_players = 1;  ///< Kept ready per jail level; each holds a context, some 0.5 GiB.
  /// A level whose players will be needed: the first context is made at once, beside all else.
  std::optional<JailLevel> expected_jail{};
};

/// Error: no driver, one that is too old, no GPU, or one that cannot be used; says what is missing.
/// Takes no lease; about half a second.
Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options);

/// What of the machine a program of its own must see to use one GPU.
struct CudaSurroundings {
  std::vector<platform::Path> nodes;
  std::vector<platform::Path> readable;  ///< Where the driver's library lies outside the system's.
  std::vector<std::string> environment;
  std::string uuid;    ///< Of the GPU, 32 hexadecimal digits.
  std::string driver;  ///< Its library.

  /// The environment of players of host launchers, which link with libraries in these folders.
  std::vector<std::string> host_environment(const std::vector<platform::Path>& folders) const;
};

/// Of an opened GPU; null for every other device. Lives as long as the device.
const CudaSurroundings* surroundings_of(const Device& device);

/// The trusted kernels that Device::equip() expects, for an arch such as "sm_90a".
std::vector<BuildUnit> trusted_units(std::string_view arch);

}  // namespace kw::device
