// Tests that the pool hands out the players it has, reports failures, and never waits for ever.
// SPDX-License-Identifier: Apache-2.0
#include "device/player_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <mutex>

#include "device/player_process.h"
#include "platform/clock.h"
#include "player/protocol.h"
#include "player/transport.h"

namespace kw::device {
namespace {

platform::Path program() { return *platform::executable_dir() / "kw-player-cpu"; }

TEST(PlayerPool, BlankPlayersHaveGreeted) {
  PlayerPool pool({.program = program(), .spare = 1});
  for (int i = 0; i < 3; ++i) {
    const auto blank = pool.take(platform::JailLevel::None);
    ASSERT_TRUE(blank.has_value()) << blank.error().what;
    std::byte bytes[sizeof(player::Answer)];
    const auto received = player::receive_packet(blank->channel.get(), bytes, {}, true);
    const auto hello = player::decode_answer(std::span(bytes, received.bytes));
    ASSERT_TRUE(hello.has_value());
    EXPECT_EQ(hello->header.kind, player::Kind::Hello);
    EXPECT_TRUE(std::filesystem::is_directory(blank->folder.path()));
  }
}

TEST(PlayerPool, FailuresAreAnsweredAndNotRepeatedForEver) {
  PlayerPool pool({.program = "/nonexistent/player", .spare = 2});
  EXPECT_FALSE(pool.take(platform::JailLevel::None).has_value());
  EXPECT_FALSE(pool.take(platform::JailLevel::None).has_value());
}

TEST(PlayerProcess, AnAnswerThatWaitedForItsAskerIsNoHang) {
  PlayerPool pool({.program = program(), .spare = 1});
  auto blank = pool.take(platform::JailLevel::None);
  ASSERT_TRUE(blank.has_value()) << blank.error().what;
  PlayerProcess process(*std::move(blank), "late");
  ASSERT_TRUE(process.greet().has_value());
  player::PrepareRequest request;
  auto asked = process.ask(seal(request, player::Kind::Prepare), {});
  platform::real_clock().sleep_for(std::chrono::milliseconds(300));
  const auto e = process.collect(std::move(asked), player::Kind::Ready, 1'000'000);
  EXPECT_EQ(e.result.fate, Fate::Returned) << e.result.detail;
  EXPECT_TRUE(process.is_alive());
}

// Starting the next player would take half of a two-core machine from a timed call.
TEST(PlayerPool, StartsNoneWhileSomethingIsTimed) {
  std::mutex alone;
  PlayerPool pool({.program = program(), .spare = 1, .exclusion = &alone});
  ASSERT_TRUE(pool.take(platform::JailLevel::None).has_value());
  ASSERT_TRUE(pool.take(platform::JailLevel::None).has_value()) << "the spare one";
  std::unique_lock timed(alone);  // after the next player has greeted, or before it is started
  auto next = std::async(std::launch::async, [&] {
    return pool.take(platform::JailLevel::None).has_value() &&
           pool.take(platform::JailLevel::None).has_value();
  });
  EXPECT_EQ(next.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  timed.unlock();
  EXPECT_TRUE(next.get());
}

TEST(PlayerPool, EndsWhileItStartsPlayers) {
  for (int i = 0; i < 5; ++i) {
    PlayerPool pool({.program = program(), .spare = 3});
    EXPECT_TRUE(pool.take(platform::JailLevel::None).has_value());
  }
}

}  // namespace
}  // namespace kw::device
