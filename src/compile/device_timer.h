// Distinguishes waits of libcu++, which read the global timer, from reads of the timer by a
// candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/files.h"
#include "record/candidate.h"

namespace kw::compile {

/// The text that marks waits of libcu++ in this unit: a digest of all the unit's files, so no file
/// can contain it. Equal units have equal marks.
std::string library_timer_mark(const BuildUnit& unit);

/// Headers of libcu++ whose waits pause for growing times (cuda::barrier, latch, semaphore and
/// atomic::wait), by the name under which they are included. In the rewritten text each read of the
/// timer is followed by the mark as a comment; the instructions do not change. Headers are searched
/// in `folders`; those that a version of libcu++ lacks are left out. Reads a few files of 10 KiB.
std::vector<std::pair<std::string, std::string>> marked_headers(
    std::span<const platform::Path> folders, const std::string& mark);

}  // namespace kw::compile
