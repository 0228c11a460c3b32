// Finds the processors that this thread may run on, and binds the thread to some of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace kw::platform {

/// Numbers of the processors that the calling thread may use, in rising order; empty where the
/// system does not say (with more than 1024 processors).
std::vector<int> usable_processors();

/// Binds the calling thread to these processors. Best effort: does nothing where one of them is no
/// longer available.
void run_on(std::span<const int> processors);

}  // namespace kw::platform
