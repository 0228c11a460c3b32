// The C++ test that goes along with a kernel: random values, the task's reference, its gate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "deliver/delivery.h"

namespace kw::deliver {

/// A program that ends with 0 where the kernel is right at every one of the delivery's workloads,
/// with 77 where there is no GPU for one that needs it. Errors: a reference that bears no
/// namespace.
Result<std::string> check_program(const Delivery& delivery);

/// A short program that calls the kernel once, at the smallest workload.
std::string example_program(const Delivery& delivery);

/// The same as a library for the test of an operator: `draw_<i>` fills tensors of workload i, and
/// `check_<i>` says 1 where what they hold after a call is right. Arrays follow the signature.
Result<std::string> check_library(const Delivery& delivery);

/// The task's reference in the namespace kw_reference, its includes first.
Result<std::string> reference_text(const Delivery& delivery);

}  // namespace kw::deliver
