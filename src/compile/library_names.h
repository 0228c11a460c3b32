// Names that kernels call and no source declares: mathematics, OpenMP and, on a GPU, the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "record/enums.h"

namespace kw::compile {

/// What an invented name may have meant, where a compiler does not know them either: a header was
/// not included, or it is NVRTC, which suggests nothing. Not all there are: what kernels use.
std::span<const std::string> library_names(Target target);

}  // namespace kw::compile
