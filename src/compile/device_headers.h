// The C++ standard headers that device code asks for and NVRTC does not bring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace kw::compile {

struct DeviceHeader {
  std::string_view name;
  std::string_view text;
};

/// Integer types, limits, and the macros of float.h and math.h: what kernels take from them. Where
/// NVRTC knows the functions itself (all of math.h), a header only has to be there.
std::span<const DeviceHeader> device_headers();

/// What nvcc defines in every file, by cuda_runtime.h, and NVRTC in none.
std::string_view device_prelude();

}  // namespace kw::compile
