// The part of kw doctor about target cuda: driver, GPU, compilers and tools.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "session/doctor_checks.h"

namespace kw::session {

/// Asks a worker for the GPU (about 0.3 s where there is one). Target cpu needs nothing that is
/// checked here.
std::vector<CheckUp> examine_gpu();

}  // namespace kw::session
