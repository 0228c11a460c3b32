// Packets and descriptors over the player's socket pair.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace kw::player {

/// Sends one packet with descriptors. 0, or the errno; EAGAIN only where `wait` is false.
int send_packet(int socket, std::span<const std::byte> message, std::span<const int> descriptors,
                bool wait);

struct Received {
  int error = 0;                ///< errno; EAGAIN where nothing was there and `wait` was false.
  std::size_t bytes = 0;        ///< 0 without error: the other side is gone.
  std::size_t descriptors = 0;  ///< How many arrived in `descriptors`; close-on-exec, now ours.
  bool is_truncated = false;    ///< Packet or descriptors did not fit; what fitted is in place.
};

/// Receives one packet; descriptors beyond the space given are closed by the kernel.
Received receive_packet(int socket, std::span<std::byte> buffer, std::span<int> descriptors,
                        bool wait);

}  // namespace kw::player
