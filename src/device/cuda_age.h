// Whether a driver is new enough for what a compiler made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::device {

/// The CUDA whose tools made a cubin, as the note in it says: 13000 for 13.0; 0: it does not say.
int cuda_of(std::string_view cubin);

/// Why a driver that speaks the CUDA `driver` loads nothing that the CUDA `maker` made, and what to
/// do about it; empty: it does. Within a major version either may be the newer one (NVIDIA, CUDA
/// Compatibility, "Minor Version Compatibility"); of an unknown maker nothing is said.
std::string why_too_old(int driver, int maker);

}  // namespace kw::device
