// Which processors this thread may run on, and keeping it to some of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace kw::platform {

/// Numbers of the processors that the calling thread may use, rising; empty where the system does
/// not say (more than 1024 of them).
std::vector<int> usable_processors();

/// Binds the calling thread to these processors. A help, not a need: nothing happens where one of
/// them has been taken away meanwhile.
void run_on(std::span<const int> processors);

}  // namespace kw::platform
