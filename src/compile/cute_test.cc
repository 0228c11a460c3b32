// Tests of kernels with CuTe under NVRTC: precompiled headers, and TMA with wgmma from device code
// alone.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda_unit_for_test.h"

namespace kw::compile {
namespace {

class Cute : public CudaCompilerTest {
 protected:
  void SetUp() override {
    CudaCompilerTest::SetUp();
    if (IsSkipped() || (!toolkit().cutlass.empty() && !toolkit().include.empty())) return;
    const char* missing =
        "no CUTLASS or no headers of CUDA; scripts/install-cutlass, install-nvrtc";
    std::cerr << "not tested: " << missing << "\n";
    GTEST_SKIP() << missing;
  }
};

TEST_F(Cute, KnobsShareOnePrecompiledHeader) {
  limits.cpu_seconds = 60;
  limits.wall_ns = 200'000'000'000;
  BuildUnit unit = cuda_unit(
      "extern \"C\" __global__ void scale(float* x, float a, int n) {\n"
      "  using namespace cute;\n"
      "  auto all = make_tensor(make_gmem_ptr(x), make_shape(n));\n"
      "  auto tile = local_tile(all, Shape<Int<TILE>>{}, int(blockIdx.x));\n"
      "  for (int i = threadIdx.x; i < TILE; i += int(blockDim.x)) tile(i) = a * tile(i);\n"
      "}\n");
  unit.dialect = "cute";
  unit.kernels = {"scale"};
  std::vector<std::string> digests;
  for (const char* tile : {"TILE=256", "TILE=1024"}) {
    unit.defines = {tile};
    const CompileResult result = build(unit);
    ASSERT_TRUE(result.ok()) << result.evidence;
    std::cerr << tile << ": " << result.elapsed_ns * 1e-9 << " s\n";
    digests.push_back(result.object.at(0).sha256);
  }
  EXPECT_NE(digests[0], digests[1]);
  // Line numbers count from the candidate's first line, although its headers were compiled before.
  unit.files.back().text = "\nextern \"C\" __global__ void scale() { cute::no_such_thing(); }\n";
  const auto findings = build(unit).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(findings[0].place.starts_with("candidate.cu:2:")) << findings[0].place;
}

TEST_F(Cute, TmaAndWgmmaCompileWithMapsAsParameters) {
  limits.cpu_seconds = 120;
  limits.wall_ns = 300'000'000'000;
  const auto source = platform::read_file(KW_SOURCE_DIR "/tests/cuda/cute/gemm.cu");
  ASSERT_TRUE(source.has_value());
  BuildUnit unit = cuda_unit(*source);
  unit.dialect = "cute";
  unit.kernels = {"cute_gemm"};
  unit.defines = {"STAGES=4", "BM=128", "BN=128", "BK=64", "THREADS=384"};
  const CompileResult result = build(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  std::cerr << "gemm: " << result.elapsed_ns * 1e-9 << " s\n";
  const KernelFacts* kernel = result.object.at(0).kernel("cute_gemm");
  ASSERT_NE(kernel, nullptr);
  ASSERT_EQ(kernel->parameters.size(), 6u);
  EXPECT_EQ(kernel->parameters[0].bytes, 128);
  EXPECT_EQ(kernel->parameters[1].bytes, 128);
  EXPECT_EQ(kernel->max_threads, 384);
  EXPECT_EQ(kernel->spill_bytes, 0);
}

}  // namespace
}  // namespace kw::compile
