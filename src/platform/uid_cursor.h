// Where the next search for a jail's uid starts, shared by all processes of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/files.h"

namespace kw::platform {

/// Returns one more than any process got before from the same folder, modulo 2^32. The number only
/// spreads uids: a lock decides who holds one. Where the file in `folder` may have been written by
/// others, or cannot be opened, each process counts for itself, starting at its pid. Takes a few
/// microseconds.
std::uint32_t advance_uid_cursor(const Path& folder);

}  // namespace kw::platform
