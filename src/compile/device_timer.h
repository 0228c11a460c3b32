// Tells the library's own waits, which read the global timer, from a candidate that reads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/files.h"
#include "record/candidate.h"

namespace kw::compile {

/// What the waits of the library are marked with in this unit: a digest of all its files, so that
/// none of them can hold it. Equal for equal units.
std::string library_timer_mark(const BuildUnit& unit);

/// Headers of libcu++ that wait with a growing pause (cuda::barrier, latch, semaphore and
/// atomic::wait), by the name they are included by, rewritten so that the timer read there is
/// followed by the mark as a comment; the instructions are the library's. `folders` are searched
/// for them; those that a version does not have are left out. Reads some files of 10 KiB.
std::vector<std::pair<std::string, std::string>> marked_headers(
    std::span<const platform::Path> folders, const std::string& mark);

}  // namespace kw::compile
