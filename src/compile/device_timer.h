// Distinguishes the library's own waits, which read the global timer, from a candidate that reads
// it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/files.h"
#include "record/candidate.h"

namespace kw::compile {

/// The text by which the library's waits are marked in this unit: a digest of all its files, so
/// that no file can contain it. Equal units have equal marks.
std::string library_timer_mark(const BuildUnit& unit);

/// Headers of libcu++ whose waits pause for growing times (cuda::barrier, latch, semaphore and
/// atomic::wait), by the name under which they are included. They are rewritten so that the timer
/// read is followed by the mark as a comment; the instructions do not change. Searched in
/// `folders`; headers that a version lacks are left out. Reads some files of 10 KiB.
std::vector<std::pair<std::string, std::string>> marked_headers(
    std::span<const platform::Path> folders, const std::string& mark);

}  // namespace kw::compile
