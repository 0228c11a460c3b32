// Tests that the fake device does what its world says.
// SPDX-License-Identifier: Apache-2.0
#include "device/fake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::device {
namespace {

BuiltObject named(const std::string& sha) {
  BuiltObject o;
  o.sha256 = sha;
  return o;
}

class FakeTest : public testing::Test {
 protected:
  void SetUp() override {
    buffer_ = *device_->allocate({.name = "y", .bytes = 8, .alignment = 4});
    world_.objects["good"].kernel = [](const auto& sets) {
      for (const auto& set : sets)
        *set[1].template tensor<float>() = set[0].template value<float>();
      return returned_after(5000);
    };
  }
  std::unique_ptr<Player> start() {
    return *device_->start_player(
        {.name = "candidate", .buffers = {buffer_.get()}, .writable = {true}});
  }
  static Call call_with(float value, std::int64_t timeout_ns = 1'000'000) {
    std::uint64_t image = 0;
    __builtin_memcpy(&image, &value, sizeof value);
    return {.arguments = {{.scalar = image}, {.buffer = 0, .offset = 4}}, .timeout_ns = timeout_ns};
  }

  FakeWorld world_;
  std::unique_ptr<Device> device_ = make_fake_device(world_);
  std::unique_ptr<Buffer> buffer_;
};

TEST_F(FakeTest, KernelsWorkOnBuffersAndSayHowLongTheyTook) {
  const auto p = start();
  EXPECT_EQ(p->load(named("good")).object, 0);
  const auto result = p->call(call_with(2.5f));
  EXPECT_EQ(result.fate, Fate::Returned);
  EXPECT_EQ(result.elapsed_ns, 5000);
  float y = 0;
  ASSERT_TRUE(buffer_->read(4, std::as_writable_bytes(std::span(&y, 1))).has_value());
  EXPECT_EQ(y, 2.5f);
  EXPECT_THAT(world_.log,
              testing::ElementsAre("start candidate", "load candidate", "call candidate"));
}

TEST_F(FakeTest, TimeoutsAndCrashesEndThePlayer) {
  world_.objects["bad"].kernel = [](const auto&) {
    return CallResult{.fate = Fate::Crashed, .signal = 11};
  };
  const auto p = start();
  EXPECT_EQ(p->load(named("good")).fate, Fate::Returned);
  EXPECT_EQ(p->call(call_with(1, 4999)).fate, Fate::TimedOut);
  EXPECT_FALSE(p->is_alive());
  const auto q = start();
  EXPECT_EQ(q->load(named("bad")).fate, Fate::Returned);
  EXPECT_EQ(q->call(call_with(1)).signal, 11);
  EXPECT_EQ(q->call_empty().fate, Fate::Exited);
  EXPECT_FALSE(q->watch_after_return(1).has_value());
}

TEST_F(FakeTest, LoadsStartsAndProbesFailOnDemand) {
  const auto p = start();
  EXPECT_EQ(p->load(named("unknown")).fate, Fate::LoadRefused);
  EXPECT_TRUE(p->is_alive());
  world_.fail_starts = 1;
  EXPECT_FALSE(device_->start_player({}).has_value());
  EXPECT_TRUE(device_->start_player({}).has_value());
  world_.is_sane = false;
  EXPECT_FALSE(*device_->probe());
}

}  // namespace
}  // namespace kw::device
