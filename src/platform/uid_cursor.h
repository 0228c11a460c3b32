// Where the next search for a jail's uid starts, for all processes of the machine together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/files.h"

namespace kw::platform {

/// One more than what any process got before from the same folder, modulo 2^32. It only spreads
/// uids: who holds one is decided by its lock. Where the file in `folder` is not ours alone, or
/// cannot be had, each process counts for itself, from its pid on. A few microseconds.
std::uint32_t advance_uid_cursor(const Path& folder);

}  // namespace kw::platform
