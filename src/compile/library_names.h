// Names that kernels call and no source declares: mathematics, OpenMP and, on a GPU, the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/enums.h"

namespace kw::compile {

/// The tail of a message on a name that nobody declared and a compiler has nothing to say of: which
/// name it may have meant, or which header declares it; empty: neither is known. NVRTC suggests
/// nothing, and GCC not what a header would have declared. Of names that kernels use.
std::string library_hint(const std::string& name, Target target);

}  // namespace kw::compile
