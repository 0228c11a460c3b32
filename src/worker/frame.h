// Frames between controller and worker: a length, then one JSON document.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw::worker {

/// Larger frames are refused on both sides: a record is megabytes at most.
inline constexpr std::size_t kMaxFrame = std::size_t{256} << 20;

/// Writes four bytes of length (little-endian), then the text. Blocks. A closed peer is
/// Advice::Retry.
Result<> write_frame(int fd, std::string_view text);

/// Reads one frame, waiting at most `timeout_ns` for it to be complete (0: for ever). A peer that
/// closed, stalled or claims too much is Advice::Retry: start another worker.
Result<std::string> read_frame(int fd, std::int64_t timeout_ns = 0);

/// Whether something can be read from `fd`, or its peer has gone; waits at most `wait_ms` for it.
bool has_input(int fd, int wait_ms = 0);

}  // namespace kw::worker
