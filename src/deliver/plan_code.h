// Translates a launch plan to C++ that evaluates the plan at run time and launches through CUDA's
// driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "deliver/delivery.h"

namespace kw::deliver {

/// The implementation part of a header for cuda: the cubins, the driver's calls, the launch plan,
/// and three entry functions. Errors (of the input) name the part of the plan that cannot be
/// written in C++.
Result<std::string> cuda_implementation(const Delivery& delivery);

}  // namespace kw::deliver
