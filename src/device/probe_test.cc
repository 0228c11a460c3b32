// Tests that the probe passes a working device, sees single damaged bits, and does not call a lack
// of memory damage.
// SPDX-License-Identifier: Apache-2.0
#include "device/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "device/fake.h"
#include "device/host_buffer.h"

namespace kw::device {
namespace {

/// Memory in which one byte goes through `damage` whenever it is read.
class DamagedMemory final : public HostBuffer {
 public:
  DamagedMemory(std::int64_t bytes, std::size_t at, std::byte (*damage)(std::byte))
      : memory_(static_cast<std::size_t>(bytes)), at_(at), damage_(damage) {}

  std::span<std::byte> payload() override { return memory_; }
  std::span<const std::byte> payload() const override {
    memory_[at_] = damage_(memory_[at_]);
    return memory_;
  }
  std::span<std::byte> front_slack() override { return {}; }
  std::span<std::byte> back_slack() override { return {}; }

 private:
  mutable std::vector<std::byte> memory_;
  std::size_t at_;
  std::byte (*damage_)(std::byte);
};

std::byte whole(std::byte b) { return b; }
std::byte stuck_at_one(std::byte b) { return b | std::byte{0x10}; }
std::byte stuck_at_zero(std::byte b) { return b & std::byte{0xef}; }

class Probe : public testing::Test {
 protected:
  bool passes(std::byte (*values)(std::byte), std::byte (*truth)(std::byte)) {
    DamagedMemory y(kProbeElements * 4, 77'777, values);
    DamagedMemory want(kProbeElements * 8, 99'999, truth);
    const auto result = computes_correctly(device_->ops(), y, want);
    EXPECT_TRUE(result.has_value());
    return result.value_or(false);
  }

  FakeWorld world_;
  std::unique_ptr<Device> device_ = make_fake_device(world_);
};

TEST_F(Probe, SeesOneDamagedBit) {
  EXPECT_TRUE(passes(whole, whole));
  EXPECT_FALSE(passes(stuck_at_one, whole));
  EXPECT_FALSE(passes(stuck_at_zero, whole));
  EXPECT_FALSE(passes(whole, stuck_at_one));
  EXPECT_FALSE(passes(whole, stuck_at_zero));
}

/// Buffer operations of which one gives a wrong result.
class LyingOps final : public BufferOps {
 public:
  LyingOps(BufferOps& real, void (*lie)(Comparison&)) : real_(real), lie_(lie) {}

  Result<> fill(Buffer& to, const Tensor& t, std::uint64_t seed) override {
    return real_.fill(to, t, seed);
  }
  Result<> poison(Buffer& to, std::uint64_t seed) override { return real_.poison(to, seed); }
  Result<> copy(Buffer& to, const Buffer& from) override { return real_.copy(to, from); }
  Result<> widen(Buffer& to, const Buffer& from, const Tensor& t) override {
    return real_.widen(to, from, t);
  }
  Result<> narrow(Buffer& to, const Buffer& from, const Tensor& t) override {
    return real_.narrow(to, from, t);
  }
  Result<Comparison> compare(const Buffer& got, const Buffer& truth, const Buffer* magnitude,
                             const Tensor& tensor, const Region& region, const Allowance& allowance,
                             const Selection& selection) override {
    auto seen = KW_TRY(real_.compare(got, truth, magnitude, tensor, region, allowance, selection));
    lie_(seen);
    return seen;
  }
  Result<std::int64_t> count_differences(const Buffer& a, const Buffer& b, const Tensor& t,
                                         bool padding_only) override {
    return real_.count_differences(a, b, t, padding_only);
  }
  Result<std::string> check_guards(Buffer& b) override { return real_.check_guards(b); }

 private:
  BufferOps& real_;
  void (*lie_)(Comparison&);
};

TEST_F(Probe, SeesOperationsThatComputeWrongly) {
  const auto passes_when = [this](void (*lie)(Comparison&)) {
    LyingOps ops(device_->ops(), lie);
    DamagedMemory y(kProbeElements * 4, 0, whole);
    DamagedMemory want(kProbeElements * 8, 0, whole);
    return computes_correctly(ops, y, want).value();
  };
  EXPECT_TRUE(passes_when([](Comparison&) {}));
  EXPECT_FALSE(passes_when([](Comparison& c) { c.failed = 0; }));  // misses the wrong element
  EXPECT_FALSE(passes_when([](Comparison& c) { c.failed = 1; }));
  EXPECT_FALSE(passes_when([](Comparison& c) { --c.compared; }));
  EXPECT_FALSE(passes_when([](Comparison& c) { c.sum_got += 1; }));
}

TEST_F(Probe, ShortageOfMemoryIsTroubleThatMayPass) {
  EXPECT_TRUE(probe_by_computing(*device_).value());
  world_.free_bytes = kProbeElements * 4;  // enough for one of the two buffers
  const auto result = probe_by_computing(*device_);
  ASSERT_THAT(result, IsErrorAbout(ErrorCode::NoMemory, "probe"));
  EXPECT_EQ(result.error().advice, Advice::Retry);
  world_.free_bytes = kProbeElements * 8;  // exactly enough for both
  EXPECT_TRUE(probe_by_computing(*device_).value());
}

}  // namespace
}  // namespace kw::device
