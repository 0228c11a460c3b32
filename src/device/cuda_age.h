// Whether a driver is new enough for a compiler's output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::device {

/// Version of CUDA whose tools made a cubin, from the note inside: 13000 for 13.0; 0: there is
/// none.
int cuda_of(std::string_view cubin);

/// Why a driver for CUDA `driver` cannot load what CUDA `maker` made, and what to do about it;
/// empty if it can. Within a major version either may be newer (NVIDIA, CUDA Compatibility, "Minor
/// Version Compatibility"). Empty for an unknown maker.
std::string why_too_old(int driver, int maker);

}  // namespace kw::device
