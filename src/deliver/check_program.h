// The C++ test that goes along with a kernel: random values, the task's reference, its gate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "deliver/delivery.h"

namespace kw::deliver {

/// A program that ends with 0 where the kernel is right at every workload of the delivery, and with
/// 77 where a cuda kernel finds no GPU. Errors: a reference that cannot stand in a namespace.
Result<std::string> check_program(const Delivery& delivery);

/// A short program that calls the kernel once, at the smallest workload.
std::string example_program(const Delivery& delivery);

/// A shared library for the test of a PyTorch operator: `draw_<i>` fills the tensors of workload i,
/// and `check_<i>` returns 1 where the tensors after a call are right for those before. Arrays of
/// tensors follow the signature.
Result<std::string> check_library(const Delivery& delivery);

/// The task's reference in the namespace kw_reference, with its includes before the namespace.
Result<std::string> reference_text(const Delivery& delivery);

}  // namespace kw::deliver
