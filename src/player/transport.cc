// Sends and receives packets by sendmsg and recvmsg, with descriptors by SCM_RIGHTS.
// SPDX-License-Identifier: Apache-2.0
#include "player/transport.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "player/protocol.h"

namespace kw::player {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * kMaxBuffersPerMap);

}  // namespace

int send_packet(int socket, std::span<const std::byte> message, std::span<const int> descriptors,
                bool wait) {
  if (descriptors.size() > kMaxBuffersPerMap) return E2BIG;
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  alignas(cmsghdr) std::byte control[kControlBytes] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(item), descriptors.data(), descriptors.size_bytes());
  }
  const int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
  for (;;) {
    if (::sendmsg(socket, &header, flags) >= 0) return 0;
    if (errno != EINTR) return errno;
  }
}

Received receive_packet(int socket, std::span<std::byte> buffer, std::span<int> descriptors,
                        bool wait) {
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::byte control[kControlBytes];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  const std::size_t room = std::min(descriptors.size(), kMaxBuffersPerMap);
  if (room > 0) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * room);
  }
  Received received;
  ssize_t bytes;
  do {
    bytes = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (bytes < 0 && errno == EINTR);
  if (bytes < 0) {
    received.error = errno;
    return received;
  }
  received.bytes = static_cast<std::size_t>(bytes);
  received.is_truncated = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  for (cmsghdr* item = CMSG_FIRSTHDR(&header); room > 0 && item != nullptr;
       item = CMSG_NXTHDR(&header, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(item) + i * sizeof(int), sizeof descriptor);
      if (received.descriptors < room) {
        descriptors[received.descriptors++] = descriptor;
      } else {  // the control buffer's padding can hold one more than asked for
        ::close(descriptor);
        received.is_truncated = true;
      }
    }
  }
  return received;
}

}  // namespace kw::player
