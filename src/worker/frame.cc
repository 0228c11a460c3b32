// Writes and reads frames, the packets between controller and worker.
// SPDX-License-Identifier: Apache-2.0
#include "worker/frame.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "platform/clock.h"

namespace kw::worker {
namespace {

std::unexpected<Error> lost(const char* what) {
  return fail(ErrorCode::Io, About{what}, std::string(what) + ": " + std::strerror(errno),
              "worker pipe", Advice::Retry);
}

Result<> write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    // MSG_NOSIGNAL, since a peer that died meanwhile must give an error and no SIGPIPE.
    const ssize_t n = ::send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return lost("cannot write");
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

/// Waits until `fd` can be read.
Result<> wait_readable(int fd, std::int64_t deadline_ns) {
  for (;;) {
    int wait_ms = -1;
    if (deadline_ns > 0) {
      const std::int64_t left = deadline_ns - platform::real_clock().now_ns();
      if (left <= 0)
        return fail(ErrorCode::TimedOut, "the other process did not answer in time", "worker pipe",
                    Advice::Retry);
      wait_ms = static_cast<int>(left / 1'000'000 + 1);
    }
    pollfd polled{fd, POLLIN, 0};
    const int n = ::poll(&polled, 1, wait_ms);
    if (n < 0 && errno != EINTR) return lost("cannot wait");
    if (n > 0) return {};
  }
}

Result<> read_all(int fd, char* data, std::size_t size, std::int64_t deadline_ns) {
  while (size > 0) {
    KW_TRY(wait_readable(fd, deadline_ns));
    const ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return lost("cannot read");
    if (n == 0)
      return fail(ErrorCode::Ended, "the other process ended", "worker pipe", Advice::Retry);
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace

bool has_input(int fd, int wait_ms) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, wait_ms) > 0;
}

Result<> write_frame(int fd, std::string_view text) {
  if (text.size() > kMaxFrame)
    return fail(ErrorCode::TooLarge,
                "a message to the other process has " + std::to_string(text.size()) +
                    " bytes; at most " + std::to_string(kMaxFrame) + " can be sent",
                "worker pipe");
  std::array<char, 4> head;
  for (std::size_t i = 0; i < 4; ++i) head[i] = static_cast<char>(text.size() >> (8 * i));
  KW_TRY(write_all(fd, head.data(), head.size()));
  return write_all(fd, text.data(), text.size());
}

Result<std::string> read_frame(int fd, std::int64_t timeout_ns) {
  const std::int64_t deadline = timeout_ns > 0 ? platform::real_clock().now_ns() + timeout_ns : 0;
  std::array<unsigned char, 4> head;
  KW_TRY(read_all(fd, reinterpret_cast<char*>(head.data()), head.size(), deadline));
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{head[i]} << (8 * i);
  if (size > kMaxFrame)
    return fail(ErrorCode::Malformed,
                "the other process announced a message of " + std::to_string(size) +
                    " bytes; at most " + std::to_string(kMaxFrame) + " are read",
                "worker pipe", Advice::Retry);
  std::string text(size, '\0');
  KW_TRY(read_all(fd, text.data(), size, deadline));
  return text;
}

}  // namespace kw::worker
