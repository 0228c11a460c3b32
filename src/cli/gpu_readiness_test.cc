// Tests of what kw doctor prints about the GPU: three lines, with one command that fits the
// machine.
// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace kw::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GpuSurroundings complete() {
  GpuSurroundings around;
  around.has_card = around.has_driver = around.answers = true;
  around.has_nvrtc = around.has_compiler = around.has_jail = around.has_wheels = true;
  around.is_root = true;
  around.nvrtc_installer = "/opt/kw/install-nvrtc";
  return around;
}

TEST(GpuReadiness, IsCompleteWithNothingMissing) {
  const GpuReadiness ready = gpu_readiness(complete());
  EXPECT_TRUE(ready.can_judge);
  EXPECT_THAT(ready.missing, IsEmpty());
  EXPECT_EQ(ready.command, "");
}

TEST(GpuReadiness, IsMendedByOneCommandForNvrtc) {
  GpuSurroundings around = complete();
  around.has_nvrtc = false;
  EXPECT_EQ(gpu_readiness(around).command, "/opt/kw/install-nvrtc");
  around.has_wheels = false;
  EXPECT_EQ(gpu_readiness(around).command, "apt-get install python3-pip && /opt/kw/install-nvrtc");
  around.is_root = false;
  EXPECT_THAT(gpu_readiness(around).command, HasSubstr("sudo apt-get install python3-pip"));
  around.has_wheels = true;
  around.nvrtc_installer = "";
  EXPECT_EQ(gpu_readiness(around).command, "pip install nvidia-cuda-nvrtc");
}

TEST(GpuReadiness, NeedsACompilerForReferences) {
  GpuSurroundings around = complete();
  around.has_compiler = around.has_nvrtc = false;
  const GpuReadiness ready = gpu_readiness(around);
  EXPECT_EQ(ready.missing.size(), 2u);
  EXPECT_EQ(ready.command, "apt-get install g++ && /opt/kw/install-nvrtc");
}

TEST(GpuReadiness, AsksForTheDriverOrTheContainersFlag) {
  GpuSurroundings around = complete();
  around.has_driver = around.answers = false;
  EXPECT_THAT(gpu_readiness(around).command, HasSubstr("apt-get install nvidia-driver"));
  around.system = "ubuntu";
  EXPECT_EQ(gpu_readiness(around).command, "ubuntu-drivers install");
  around.is_in_container = true;
  EXPECT_THAT(gpu_readiness(around).command, HasSubstr("--gpus all"));
  around = complete();
  around.answers = false;
  around.why_no_answer = "libcuda.so.1 was not found";
  EXPECT_THAT(gpu_readiness(around).missing, ElementsAre(HasSubstr("libcuda.so.1 was not found")));
  EXPECT_THAT(gpu_readiness(around).command, HasSubstr("nvidia-smi"));
}

TEST(GpuReadiness, SaysWhatCanBeDoneWithoutAGpu) {
  GpuSurroundings around = complete();
  around.has_card = around.has_driver = around.answers = false;
  const GpuReadiness ready = gpu_readiness(around);
  EXPECT_FALSE(ready.can_judge);
  EXPECT_THAT(ready.missing, ElementsAre("an NVIDIA GPU"));
  EXPECT_THAT(ready.command, HasSubstr("--carrier bundle"));
  around.has_nvrtc = false;
  EXPECT_THAT(gpu_readiness(around).command, HasSubstr("install-nvrtc"))
      << "without it nothing can be compiled for elsewhere";
}

TEST(GpuReadiness, TakesThreeLines) {
  for (const bool is_complete : {true, false}) {
    GpuSurroundings around = complete();
    around.has_nvrtc = is_complete;
    const std::string text = three_lines(gpu_readiness(around));
    EXPECT_EQ(std::ranges::count(text, '\n'), 3) << text;
    EXPECT_THAT(text, HasSubstr(is_complete ? "GPU: can judge now" : "GPU: cannot judge now"));
  }
}

}  // namespace
}  // namespace kw::cli
