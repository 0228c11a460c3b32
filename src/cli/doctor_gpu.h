// The part of kw doctor that looks at target cuda: driver, GPU, compilers and tools.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/doctor_checks.h"

namespace kw::cli {

/// Asks a worker for the GPU (some 0.3 s where there is one); nothing here is needed on cpu.
std::vector<CheckUp> examine_gpu();

}  // namespace kw::cli
