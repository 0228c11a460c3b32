// Writes the C++ test that is exported with a kernel: random inputs, the task's reference, and its
// tolerance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "deliver/delivery.h"

namespace kw::deliver {

/// A test program that exits with 0 if the kernel's results are right at every workload of the
/// delivery, and with 77 if a cuda kernel finds no GPU. Errors: the reference's code cannot be in a
/// namespace.
Result<std::string> check_program(const Delivery& delivery);

/// The text of a short program that calls the kernel once, at the smallest workload. Errors: the
/// code of the task that computes inputs cannot be in a namespace.
Result<std::string> example_program(const Delivery& delivery);

/// The text of a shared library for the test of a PyTorch operator. `draw_<i>` fills the tensors of
/// workload i; `check_<i>` returns 1 if the tensors after a call have the right values, given those
/// before. Both take arrays of pointers to tensors in the signature's order.
Result<std::string> check_library(const Delivery& delivery);

/// The text of the task's reference in the namespace kw_reference, with its includes before the
/// namespace.
Result<std::string> reference_text(const Delivery& delivery);

}  // namespace kw::deliver
