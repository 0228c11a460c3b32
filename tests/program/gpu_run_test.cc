// Tests of whole runs on the stand-in for a GPU: a search with its certificate, notes about other
// users of the GPU, and two targets compared.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "stand_in.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class GpuRun : public StandIn {
 protected:
  static constexpr int kTries = 5;

  void SetUp() override {
    StandIn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    know_ceilings();
    w_.write("twice/baselines/naive.cu", sleeper(40));
    w_.write("twice/candidates/001_quick.cu", sleeper(8));
  }
  Ran optimize(const Words& more = {}) const {
    Words words{"optimize", "twice",  "--target", "cuda",  "--attempts",
                "1",        "--time", "10s",      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    Ran ran = kw(words);
    for (int i = 0; i < kTries && (is_too_busy(ran.err) || ran.json()["best"].is_null()); ++i)
      ran = kw(words);
    return ran;
  }
};

TEST_F(GpuRun, EndsWithAWinThatWasConfirmedAndNamesWhoElseIsOnTheGpu) {
  be("slowdown 1\nprocesses " + std::to_string(::getpid()) + "\n");
  const Ran ran = optimize();
  ASSERT_THAT(ran.code, AnyOf(0, 1)) << ran.err;
  const auto best = ran.json()["best"];
  ASSERT_TRUE(best.is_object()) << ran.out;
  EXPECT_EQ(best["name"], "001_quick");
  EXPECT_EQ(best["confirmed"], ran.code == 0);
  if (ran.code == 0) {
    EXPECT_EQ(best["speedup"]["is_faster"], true);
    EXPECT_GT(best["speedup"]["low"],
              1.5);  // 40 ms of sleep against 8 ms, plus overhead of the machine
    EXPECT_LT(best["speedup"]["high"], 8);
  } else {  // on a busy machine time stamps and events disagree
    EXPECT_EQ(best["verdict"]["outcome"], "unmeasurable") << ran.out;
  }
  EXPECT_THAT(kw({"explain", "twice-1", "1"}).out,
              HasSubstr("(" + std::to_string(::getpid()) + ")"));
}

TEST_F(GpuRun, StandsBesideThatOfTheProcessor) {
  w_.write("twice/candidates/001_right.cpp",
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
           "}\n");
  ASSERT_TRUE(optimize().json()["best"].is_object());
  const Ran cpu = kw({"optimize", "twice", "--attempts", "1", "--time", "10s"});
  ASSERT_THAT(cpu.code, AnyOf(0, 1)) << cpu.err;
  const Ran both = kw({"compare", "--targets", "cpu,cuda", "twice", "--svg", "both.svg", "--json"});
  ASSERT_EQ(both.code, 0) << both.err;
  const auto compared = both.json();
  ASSERT_EQ(compared["targets"].size(), 2u) << both.out;
  EXPECT_EQ(compared["targets"][0]["kernel"], "001_right");
  EXPECT_EQ(compared["targets"][1]["kernel"], "001_quick");
  EXPECT_EQ(compared["targets"][1]["device"], "Emulated GPU");
  // The GPU kernel sleeps for eight milliseconds.
  EXPECT_LT(compared["targets"][1]["items_per_s"], 16384 / 0.008);
  EXPECT_LT(compared["gain"], 1) << "which no processor does";
  // The table has separate lines for the CPU's best kernel and for the sequential reference.
  EXPECT_EQ(compared["reference"]["kernel"], "reference");
  EXPECT_EQ(compared["reference"]["target"], "cpu");
  EXPECT_EQ(compared["reference"]["workloads"][0]["name"], "on_cpu");
  EXPECT_LT(compared["reference"]["items_per_s"], compared["targets"][0]["items_per_s"]);
  EXPECT_THAT(w_.read("both.svg"), AllOf(HasSubstr("cpu: 001_right"), HasSubstr("cuda: 001_quick"),
                                         HasSubstr("cuda roofline")));
  const Ran table = kw({"compare", "--targets", "cpu,cuda", "twice"});
  EXPECT_THAT(table.out,
              AllOf(HasSubstr("cpu   001_right of "), HasSubstr("on Emulated GPU"),
                    HasSubstr("cpu   reference, the task's sequential code, on "),
                    HasSubstr("not timed in pairs with the other kernels"),
                    HasSubstr("in items a second, below the goal of 5x"),
                    HasSubstr("of the roofline as mean of the timed workloads, below the goal of "),
                    HasSubstr("not from paired calls")));
}

}  // namespace
}  // namespace kw::program
