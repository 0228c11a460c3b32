// From a launch plan to C++ that evaluates it at run time and launches through CUDA's driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "deliver/delivery.h"

namespace kw::deliver {

/// What stands behind the declaration in a header for cuda: the cubins, the driver's calls, the
/// plan, and the three functions. Errors (of the input) name what of the plan cannot be said.
Result<std::string> cuda_implementation(const Delivery& delivery);

}  // namespace kw::deliver
