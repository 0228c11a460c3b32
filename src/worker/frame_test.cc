// Tests of frames with honest and with hostile peers.
// SPDX-License-Identifier: Apache-2.0
#include "worker/frame.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/error_for_test.h"
#include "platform/files.h"

namespace kw::worker {
namespace {

struct Pair {
  platform::Fd a;
  platform::Fd b;
  Pair() {
    int fds[2];
    KW_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    a.reset(fds[0]);
    b.reset(fds[1]);
  }
};

TEST(Frame, CarriesTextLargerThanAPipe) {
  Pair pair;
  const std::string text(std::size_t{3} << 20, 'x');
  std::jthread writer([&] { EXPECT_TRUE(write_frame(pair.a.get(), text)); });
  const auto got = read_frame(pair.b.get());
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, text);
}

TEST(Frame, EndsOnAClosedStalledOrAbsurdPeer) {
  Pair closed;
  closed.a.reset();
  const auto ended = read_frame(closed.b.get());
  ASSERT_THAT(ended, IsError(ErrorCode::Ended));
  EXPECT_EQ(ended.error().advice, Advice::Retry);
  Pair stalled;
  ASSERT_EQ(::write(stalled.a.get(), "\x05\0\0\0ab", 6), 6);
  EXPECT_THAT(read_frame(stalled.b.get(), 2'000'000), IsError(ErrorCode::TimedOut));
  Pair absurd;
  ASSERT_EQ(::write(absurd.a.get(), "\xff\xff\xff\xff", 4), 4);
  EXPECT_THAT(read_frame(absurd.b.get()), IsError(ErrorCode::Malformed));
}

TEST(Frame, WritingToAClosedPeerIsAnErrorNotASignal) {
  Pair pair;
  pair.b.reset();
  const auto sent = write_frame(pair.a.get(), "anyone there?");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().advice, Advice::Retry);
}

}  // namespace
}  // namespace kw::worker
