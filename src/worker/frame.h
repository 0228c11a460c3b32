// Frames between controller and worker: each is a length, then one JSON document.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kw::worker {

/// Largest frame that both sides accept; records take megabytes at most.
inline constexpr std::size_t kMaxFrame = std::size_t{256} << 20;

/// Writes four bytes of length (little-endian), then the text. Blocks. If the peer has closed, an
/// Advice::Retry error.
Result<> write_frame(int fd, std::string_view text);

/// Reads one frame, waiting at most `timeout_ns` until it is complete (0: for ever). If the peer
/// closed, stalled or announced too much, an Advice::Retry error: the caller should start another
/// worker.
Result<std::string> read_frame(int fd, std::int64_t timeout_ns = 0);

/// Whether `fd` can be read or its peer has gone; waits at most `wait_ms` for that.
bool has_input(int fd, int wait_ms = 0);

}  // namespace kw::worker
