// Tests of kw soak on a GPU, on the stand-in for a GPU.
// SPDX-License-Identifier: Apache-2.0
#include "stand_in.h"

namespace kw::program {
namespace {

class GpuSoak : public StandIn {};

TEST_F(GpuSoak, ChecksFreshInputsThereAndSaysHowTheErrorGrows) {
  const Ran ran = kw({"soak", "right.cu", "--task", "twice", "--time", "1s", "--grow", "n",
                      "--target", "cuda", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto soaked = ran.json();
  EXPECT_EQ(soaked["verdict"]["outcome"], "correct");
  EXPECT_GE(soaked["judgements"], 1);
  ASSERT_EQ(soaked["workloads"].size(), 2u) << "show and check; what is timed is left out";
  for (const auto& w : soaked["workloads"]) {
    EXPECT_EQ(w["judgements"], soaked["judgements"]);
    EXPECT_EQ(w["worst_rel_l2"], 0) << "doubling rounds nothing";
  }
  const auto& growth = soaked["growth"];
  ASSERT_FALSE(growth.empty());
  for (std::size_t i = 0; i < growth.size(); ++i) {
    EXPECT_EQ(growth[i]["outcome"], "correct");
    EXPECT_EQ(growth[i]["value"], 1009 << i);
  }
}

TEST_F(GpuSoak, AWorkloadTooLargeForTheExactReferenceGrowsBesideTheSmallOnes) {
  std::string yaml = w_.read("twice/task.yaml");
  const std::string nominal = "flops: n, items";
  yaml.replace(yaml.find(nominal), nominal.size(), "flops: \"1000000 * n\", items");
  w_.write("twice/task.yaml", yaml);
  w_.write(
      "twice/shapes.yaml",
      "show: [ { name: small, n: 500 } ]\n"
      "check: [ { name: large, n: 1009 } ]\n"
      "time: [ { name: on_gpu, n: 16384, for: [cuda] }, { name: on_cpu, n: 999, for: [cpu] } ]\n");
  w_.write("twice/reference_fast.cu",
           "// kw: launch twice_truth grid(ceil_div(n, 256)) block(256) args(n, x, y)\n"
           "extern \"C\" __global__ void twice_truth(int n, const double* x, double* y) {\n"
           "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
           "  if (i < n) y[i] = 2 * x[i];\n"
           "}\n");
  const Ran ran = kw({"soak", "right.cu", "--task", "twice", "--time", "1s", "--grow", "n",
                      "--target", "cuda", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const auto soaked = ran.json();
  ASSERT_FALSE(soaked["growth"].empty());
  EXPECT_EQ(soaked["growth"][0]["value"], 1009);
  EXPECT_EQ(soaked["growth"][0]["outcome"], "correct");
}

TEST_F(GpuSoak, AWrongAnswerEndsItLongBeforeTheTimeIsOver) {
  std::string source = sleeper(0);
  const std::string right = "y[i] = 2 * x[i]";
  source.replace(source.find(right), right.size(), "y[i] = n > 1000 ? x[i] : 2 * x[i]");
  w_.write("wrong.cu", source);
  const Ran ran =
      kw({"soak", "wrong.cu", "--task", "twice", "--time", "600s", "--target", "cuda", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto soaked = ran.json();
  EXPECT_EQ(soaked["verdict"]["outcome"], "wrong_result");
  EXPECT_EQ(soaked["judgements"], 1);
}

}  // namespace
}  // namespace kw::program
