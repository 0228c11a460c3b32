// Tests of target cuda on a machine without a GPU: the user is told what is missing and what works.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

constexpr const char* kTwice =
    "// kw: launch twice_kernel grid(ceil_div(n, 256)) block(256) args(n, x, y)\n"
    "extern \"C\" __global__ void twice_kernel(int n, const float* x, float* y) {\n"
    "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
    "  if (i < n) y[i] = 2 * x[i];\n"
    "}\n";

bool has_driver() { return std::filesystem::exists("/proc/driver/nvidia/version"); }

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    write_easy_task(w_, "twice");
    w_.write("twice.cu", kTwice);
  }
  Workspace w_;
};

TEST_F(Cuda, WithoutADriverJudgingIsAnEnvironmentErrorThatSaysWhatWorks) {
  if (has_driver()) GTEST_SKIP() << "this machine has an NVIDIA driver";
  for (const Words& words :
       {Words{"judge", "twice.cu", "--task", "twice"},
        Words{"judge", "twice.cu", "--task", "twice", "--target", "cuda", "--until", "check"},
        Words{"optimize", "twice", "--target", "cuda"}, Words{"device", "--target", "cuda"}}) {
    const Ran ran = w_.kw(words);
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("--until compile --arch sm_90a"));
    EXPECT_THAT(ran.err, HasSubstr("cuda"));
  }
}

TEST_F(Cuda, DoctorNamesEveryPartThatCudaNeeds) {
  const Ran ran = w_.kw({"doctor"});
  for (const char* part :
       {"GPU driver", "GPU", "nvrtc", "nvcc", "cute", "ncu", "compute-sanitizer"})
    EXPECT_THAT(ran.out, HasSubstr(part));
}

}  // namespace
}  // namespace kw::program
