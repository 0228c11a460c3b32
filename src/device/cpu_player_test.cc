// Real players in real jails with kernels that behave and kernels that do not.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <cstring>

#include "device/cpu.h"
#include "platform/jail.h"

namespace kw::device {
namespace {

// The modes of test_kernels/trouble.cc.
enum Mode : int {
  kReturn,
  kSegfault,
  kAbort,
  kDivide,
  kHang,
  kExitZero,
  kByteBefore,
  kByteAfter,
  kFarBefore,
  kFarAfter,
  kFork,
  kSpinAfterReturn,
  kRound,
  kFlood,
  kCloseAll,
  kForge,
  kForgeAhead,
  kKillParent,
  kEnvironment,
  kThrow,
  kAllocate,
  kWriteInput,
  kSocket,
  kExec,
  kWriteFile,
  kOverflowStack,
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kElements = 10;

Device& device() {
  static const auto opened = open_cpu();
  if (!opened.has_value()) {
    ADD_FAILURE() << describe(opened.error());
    std::abort();
  }
  return **opened;
}

BuiltObject object(const std::string& name) {
  BuiltObject o;
  o.format = "elf-so";
  o.path = std::string(KW_BINARY_DIR) + "/test_kernels/" + name + ".so";
  return o;
}

platform::JailLevel platform_level(JailLevel level) {
  return static_cast<platform::JailLevel>(static_cast<int>(level));
}

class Players : public testing::TestWithParam<JailLevel> {
 protected:
  void SetUp() override {
    const auto& finding = platform::probe_jail().at(platform_level(GetParam()));
    if (!finding.available) {
      if (::getenv("KW_REQUIRE_JAIL") != nullptr) FAIL() << finding.why_not;
      std::fprintf(stderr, "skipped: no jail of level %s here: %s\n",
                   std::string(name_of(GetParam())).c_str(), finding.why_not.c_str());
      GTEST_SKIP();
    }
    x_ = make("x", true);
    y_ = make("y", true);
    for (int i = 0; i < kElements; ++i) set(*x_, i, static_cast<float>(i));
  }

  static std::unique_ptr<Buffer> make(const std::string& name, bool shared) {
    auto made =
        device().allocate({.name = name, .bytes = kElements * 4, .alignment = 4, .shared = shared});
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }
  static void set(Buffer& b, int i, float value) {
    EXPECT_TRUE(b.write(i * 4, std::as_bytes(std::span(&value, 1))).has_value());
  }
  static float get(const Buffer& b, int i) {
    float value = 0;
    EXPECT_TRUE(b.read(i * 4, std::as_writable_bytes(std::span(&value, 1))).has_value());
    return value;
  }

  std::unique_ptr<Player> start(std::int64_t memory = 0) {
    auto player = device().start_player({.name = "candidate",
                                         .jail = GetParam(),
                                         .memory_bytes = memory,
                                         .threads = 2,
                                         .buffers = {x_.get(), y_.get()},
                                         .writable = {false, true}});
    if (!player.has_value()) {
      ADD_FAILURE() << describe(player.error());
      std::abort();
    }
    return *std::move(player);
  }
  static Call request(int object, int first, std::int64_t timeout = 20 * kSecond) {
    return {.object = object,
            .argument_sets = {{{.scalar = static_cast<std::uint64_t>(first)},
                               {.buffer = 0},
                               {.buffer = 1}}},
            .timeout_ns = timeout};
  }
  static int loaded(Player& p, const std::string& name) {
    const auto load = p.load(object(name));
    EXPECT_EQ(load.fate, Fate::Returned) << load.detail;
    return load.object;
  }
  CallResult trouble(Mode mode, std::int64_t timeout = 20 * kSecond) {
    player_ = start();
    return player_->call(request(loaded(*player_, "trouble"), mode, timeout));
  }

  std::unique_ptr<Buffer> x_;
  std::unique_ptr<Buffer> y_;
  std::unique_ptr<Player> player_;
};

TEST_P(Players, ComputeIntoSharedBuffers) {
  const auto p = start();
  const int object = loaded(*p, "double_it");
  const auto result = p->call(request(object, kElements));
  EXPECT_EQ(result.fate, Fate::Returned) << result.detail;
  EXPECT_GT(result.elapsed_ns, 0);
  for (int i = 0; i < kElements; ++i) EXPECT_EQ(get(*y_, i), static_cast<float>(2 * i));
  EXPECT_TRUE(p->is_alive());
  EXPECT_EQ(p->jail(), GetParam());
  EXPECT_EQ(p->call_empty().fate, Fate::Returned);
}

INSTANTIATE_TEST_SUITE_P(Jails, Players, testing::Values(JailLevel::Namespace, JailLevel::Landlock),
                         [](const auto& level) { return std::string(name_of(level.param)); });

}  // namespace
}  // namespace kw::device
