// The C++ standard headers that device code includes and NVRTC lacks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kw::compile {

struct DeviceHeader {
  std::string_view name;
  std::string_view text;
};

/// Headers for integer types, limits, and the macros of float.h and math.h, as far as kernels need
/// them. NVRTC has all functions of math.h built in, so that header only has to exist.
std::span<const DeviceHeader> device_headers();

/// Declarations that nvcc adds to every file through cuda_runtime.h, and NVRTC does not.
std::string_view device_prelude();

}  // namespace kw::compile
