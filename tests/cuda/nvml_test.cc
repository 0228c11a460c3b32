// Tests of facts from the management library, by its stand-in, and of which processes count as
// foreign.
// SPDX-License-Identifier: Apache-2.0
#include "device/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace kw::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kDevice = "gpu-e0e1e2e3e4e5e6e7e8e9eaebecedeeef";
const std::string kLibrary = std::string(KW_BINARY_DIR) + "/emulated/lib/libnvidia-ml.so.1";

class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }

 private:
  int pid_;
};

TEST(Nvml, TellsClockPowerHeatAndWhatHoldsTheClockDown) {
  const auto nvml = Nvml::open(kDevice, kLibrary);
  ASSERT_NE(nvml, nullptr);
  const GpuMoment moment = nvml->look();
  EXPECT_EQ(moment.sm_clock_hz, 1755e6);
  EXPECT_DOUBLE_EQ(moment.power_w, 412.5);
  EXPECT_EQ(moment.temperature_c, 61);
  EXPECT_THAT(moment.throttled_by, ElementsAre("power cap"));
  EXPECT_THAT(moment.foreign, IsEmpty()) << "this process is ours";
}

TEST(Nvml, CountsMemoryErrorsThatCouldNotBeCorrected) {
  const auto nvml = Nvml::open(kDevice, kLibrary);
  ASSERT_NE(nvml, nullptr);
  EXPECT_EQ(nvml->uncorrected_errors(), 0u);
  ::setenv("KW_EMULATED_MEMORY_ERRORS", "3", 1);
  EXPECT_EQ(nvml->uncorrected_errors(), 3u);
  ::unsetenv("KW_EMULATED_MEMORY_ERRORS");
}

TEST(Nvml, ProcessesThatWeStartedAreOurs) {
  const Child child;
  const std::string others = std::to_string(child.pid()) + "," + std::to_string(::getppid());
  ::setenv("KW_EMULATED_PROCESSES", others.c_str(), 1);
  const auto nvml = Nvml::open(kDevice, kLibrary);
  ASSERT_NE(nvml, nullptr);
  const auto foreign = nvml->look().foreign;
  ::unsetenv("KW_EMULATED_PROCESSES");
  ASSERT_EQ(foreign.size(), 1u) << "who started this process is somebody else";
  EXPECT_TRUE(foreign[0].ends_with("(" + std::to_string(::getppid()) + ")")) << foreign[0];
}

TEST(Nvml, IdsOfAnotherNamespaceSayNothing) {
  const auto look = [](int pid) {
    return GpuProcess{.pid = pid, .name = pid == 9 ? "" : "python3", .is_ours = pid == 7};
  };
  EXPECT_THAT(foreign_of({7, 8, 9}, 7, look), ElementsAre("python3 (8)"));
  EXPECT_THAT(foreign_of({8, 9}, 7, look), IsEmpty());
}

TEST(Nvml, IsNullForADeviceThatTheLibraryDoesNotKnow) {
  EXPECT_EQ(Nvml::open("gpu-00000000000000000000000000000000", kLibrary), nullptr);
  EXPECT_EQ(Nvml::open("cpu-x", kLibrary), nullptr);
  EXPECT_EQ(Nvml::open(kDevice, "/nowhere/libnvidia-ml.so.1"), nullptr);
}

}  // namespace
}  // namespace kw::device
