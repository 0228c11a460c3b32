// Sends and receives packets with descriptors over the player's socket pair.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace kw::player {

/// Sends one packet with descriptors. Returns 0 or the errno; EAGAIN only where `wait` is false.
int send_packet(int socket, std::span<const std::byte> message, std::span<const int> descriptors,
                bool wait);

struct Received {
  /// Errno, or 0; EAGAIN where there was no packet and `wait` was false.
  int error = 0;
  std::size_t bytes = 0;  ///< 0 without an error means that the other side is gone.
  /// Number of descriptors received; they are close-on-exec and belong to the caller.
  std::size_t descriptors = 0;
  /// Whether packet or descriptors did not fit; the parts that fitted were received.
  bool is_truncated = false;
};

/// Receives one packet; the kernel closes descriptors beyond the space given.
Received receive_packet(int socket, std::span<std::byte> buffer, std::span<int> descriptors,
                        bool wait);

}  // namespace kw::player
