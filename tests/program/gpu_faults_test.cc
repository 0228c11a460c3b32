// Tests of faults of a GPU, on the stand-in: no GPU, an old driver, a slice, too little memory, a
// GPU that is lost while it works, and a bundle for another architecture.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <optional>

#include "bundle_files.h"
#include "platform/locks.h"
#include "stand_in.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class GpuFaults : public StandIn {
 protected:
  /// The only line that kw judge prints if nothing can be judged.
  std::string refusal() {
    const Ran ran = kw({"judge", "right.cu", "--task", "twice", "--until", "check"});
    expect_one_line(ran, 3);
    return ran.err;
  }
};

constexpr const char* kDevice = "gpu-e0e1e2e3e4e5e6e7e8e9eaebecedeeef";
constexpr const char* kForever =
    "// kw: launch twice_kernel grid(1) block(32) args(n, x, y)\n"
    "extern \"C\" __global__ void twice_kernel(int n, const float* x, float* y) {\n"
    "  for (long k = 0; k < (1l << 40); ++k) __nanosleep(1000000);\n"
    "  if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x];\n"
    "}\n";

TEST_F(GpuFaults, WithoutAGpuTheDriverSaysSoAndWhatWorksIsNamed) {
  be("devices 0\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("the NVIDIA driver finds no GPU"),
                               HasSubstr("--until compile --arch sm_90a")));
}

TEST_F(GpuFaults, ADriverThatIsTooOldNamesTheOneThatIsNeeded) {
  be("driver 12020\n");
  EXPECT_THAT(refusal(), HasSubstr("speaks CUDA 12.2, needed is 12.4 (driver 550) or newer"));
}

TEST_F(GpuFaults, ADriverOlderThanTheCompilersCudaIsToldBeforeAnythingRuns) {
  const Ran asked = w_.shell("\"" + (platform::Path(KW_BINARY_DIR) / "emulated/bin/nvcc").string() +
                             "\" --version");
  int made_by = 0;
  if (const auto at = asked.out.find("release "); at != std::string::npos)
    std::sscanf(asked.out.c_str() + at, "release %d", &made_by);
  if (made_by < 13) GTEST_SKIP() << "the drivers that kw accepts are as old as this nvcc";
  be("driver 12080\n");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("the NVIDIA driver is too old for these kernels"),
                               HasSubstr("it speaks CUDA 12.8"),
                               ContainsRegex("built by CUDA 1[3-9]"), HasSubstr("KW_NVRTC")));
}

TEST_F(GpuFaults, ASliceOfAGpuIsNamedAndJudgedOn) {
  be("name NVIDIA H100 80GB HBM3 MIG 1g.10gb\n");
  EXPECT_THAT(kw({"doctor"}).out,
              AllOf(HasSubstr("NVIDIA H100 80GB HBM3 MIG 1g.10gb"), HasSubstr("a MIG slice")));
  const Ran ran = check("right.cu");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["machine"], "NVIDIA H100 80GB HBM3 MIG 1g.10gb");
}

TEST_F(GpuFaults, AWorkspaceForWhichThereIsNoRoomIsTheCandidatesVerdict) {
  be("most 67108864\n");
  w_.write("large.cu",
           "// kw: workspace room f32 [33554432]\n"
           "// kw: launch twice_kernel grid(ceil_div(n, 256)) block(256) args(n, x, y, room)\n"
           "extern \"C\" __global__ void twice_kernel(int n, const float* x, float* y, float*) {\n"
           "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
           "  if (i < n) y[i] = 2 * x[i];\n"
           "}\n");
  const Ran ran = check("large.cu");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto verdict = ran.json()["verdict"];
  EXPECT_EQ(verdict["stage"], "launch");
  EXPECT_EQ(verdict["outcome"], "out_of_resources");
  EXPECT_THAT(verdict["evidence"], AllOf(HasSubstr("no room for the workspace 'room'"),
                                         HasSubstr("CUDA_ERROR_OUT_OF_MEMORY (2)")));
  EXPECT_EQ(check("right.cu").code, 0) << "nobody else is blamed";
}

TEST_F(GpuFaults, WorkloadsForWhichTheRefereeLacksMemoryAreSkippedAndSaidToBe) {
  be("free 2148532224\n");  // 1 MiB above the memory that is left to other programs
  const Ran ran = check("right.cu");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto skipped = ran.json()["skipped"];
  ASSERT_FALSE(skipped.empty()) << ran.out;
  EXPECT_EQ(skipped[0]["name"], "on_gpu");
  EXPECT_THAT(skipped[0]["reason"], HasSubstr("are free"));
}

TEST_F(GpuFaults, MemoryThatTheRefereeItselfLacksIsAnErrorInOneLine) {
  be("most 1048576\n");
  EXPECT_THAT(refusal(), ContainsRegex("cannot allocate [0-9]+ bytes for .*OUT_OF_MEMORY"));
}

TEST_F(GpuFaults, ADriverThatDoesNotStartSaysWithWhichError) {
  lose(999);
  EXPECT_THAT(refusal(), HasSubstr("the NVIDIA driver does not start: CUDA_ERROR_UNKNOWN (999)"));
  bring_back();
  EXPECT_EQ(check("right.cu").code, 0);
}

TEST_F(GpuFaults, ARunWhoseGpuIsLostLosesNothingAndGoesOnWhenItIsBack) {
  know_ceilings();
  w_.write("twice/baselines/naive.cu", sleeper(40));
  w_.write("twice/candidates/001_slow.cu", sleeper(120));
  w_.write("twice/candidates/002_forever.cu", kForever);
  const auto start = [&] {
    return w_.start_audible(
        {"optimize", "twice", "--target", "cuda", "--attempts", "2", "--outstanding", "1"}, "err",
        env());
  };
  platform::Process process = start();
  ASSERT_TRUE(wait_until([&] {
    if (!process.is_running() && is_too_busy(w_.read("err"))) process = start();
    const auto run = w_.run();
    return (!run.is_null() && run["attempts"] == 1) || !process.is_running();
  })) << w_.read("err");
  lose(999);
  const Ran ran = ended(process.wait(kPatience));
  const std::string said = w_.read("err");
  EXPECT_EQ(ran.code, 3) << said;
  EXPECT_THAT(said, AllOf(ContainsRegex("\nkw: [^\n]*the GPU is lost to this process[^\n]*999"),
                          HasSubstr("nothing of the run is lost; go on with: kw resume twice-1"),
                          testing::Not(HasSubstr("too little memory"))));
  const auto run = w_.run();
  EXPECT_EQ(run["state"], "stopped");
  EXPECT_EQ(run["attempts"], 1);
  const auto first = kw({"explain", "twice-1", "1", "--json"}).json();
  expect_one_line(kw({"resume", "twice-1"}), 3);
  EXPECT_EQ(w_.run()["attempts"], 1) << "it is still lost";
  bring_back();
  const Ran resumed = kw({"resume", "twice-1", "--json"});
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_EQ(w_.run()["attempts"], 2);
  EXPECT_EQ(kw({"explain", "twice-1", "1", "--json"}).json(), first);
  const auto second = kw({"explain", "twice-1", "2", "--json"}).json();
  EXPECT_EQ(second["evaluation"]["verdict"]["outcome"], "timed_out");
}

TEST_F(GpuFaults, WhoeverMeasuresOnTheGpuIsWaitedFor) {
  std::optional<platform::Lease> held(std::move(
      platform::Lease::acquire(kDevice, platform::LeaseMode::Exclusive, "a test").value()));
  platform::Process process =
      w_.start_audible({"judge", "right.cu", "--task", "twice", "--until", "check"}, "err", env());
  const std::string words = "kw: waiting: cuda is in use by a test";
  EXPECT_TRUE(wait_until([&] { return w_.read("err").find(words) != std::string::npos; }))
      << w_.read("err");
  EXPECT_TRUE(process.is_running());
  held.reset();
  EXPECT_EQ(ended(process.wait(kPatience)).code, 0) << w_.read("err");
}

TEST_F(GpuFaults, ABundleForAnotherArchitectureIsRefusedWithTheReason) {
  w_.write("twice/baselines/naive.cu", sleeper(10));
  const Ran ran = kw({"optimize", "twice", "--target", "cuda", "--arch", "sm_90a", "--carrier",
                      "bundle", "--attempts", "1"});
  ASSERT_EQ(ran.code, 3) << ran.err;
  const auto body = body_of(w_.read("runs/twice.sm_90a.bundle"));
  for (const auto& evaluation : body["evaluations"])
    for (const auto& unit : evaluation["request"]["units"])
      EXPECT_EQ(unit["arch"], unit["target"] == "cpu" ? "x86-64" : "sm_90a")
          << "the GPU may sit beside another processor";
  be("capability 75\n");
  const Ran refused = worker({"--bundle", "runs/twice.sm_90a.bundle", "--out", "results"});
  expect_one_line(refused, 2);
  EXPECT_THAT(refused.err, HasSubstr("were built for sm_90a, and this Emulated GPU is sm_75; write "
                                     "the bundle with --arch sm_75"));
  EXPECT_EQ(w_.read("results"), "");
}

}  // namespace
}  // namespace kw::program
