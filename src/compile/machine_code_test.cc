// Tests of machine code from freshly built cubins, read by a real nvdisasm or cuobjdump if there is
// one.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "compile/cuda_unit_for_test.h"
#include "compile/disassembler.h"

namespace kw::compile {
namespace {

using testing::ElementsAre;
using testing::Field;

/// A kernel that loads four floats at once, sums products in a loop that is not unrolled, and uses
/// shared memory.
constexpr const char* kSums =
    "extern \"C\" __global__ void sums(int n, const float4* x, float* y) {\n"
    "  __shared__ float s[128];\n"
    "  float sum = 0;\n"
    "#pragma unroll 1\n"
    "  for (int i = threadIdx.x; i < n; i += 128) {\n"
    "    const float4 v = __ldg(x + i);\n"
    "    sum = fmaf(v.x, v.y, fmaf(v.z, v.w, sum));\n"
    "  }\n"
    "  s[threadIdx.x] = sum;\n"
    "  __syncthreads();\n"
    "  y[threadIdx.x] = s[127 - threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void nothing() {}\n";

class RealDisassembler : public CudaCompilerTest {
 protected:
  void SetUp() override {
    CudaCompilerTest::SetUp();
    if (IsSkipped() || !toolkit().disassembler.empty()) return;
    const char* missing =
        "no nvdisasm or cuobjdump: scripts/install-nvrtc brings one, or set CUDA_PATH";
    std::cerr << "not tested: " << missing << "\n";
    GTEST_SKIP() << missing;
  }

  std::vector<KernelCode> code_of(const BuildUnit& unit) {
    const CompileResult built = build(unit);
    EXPECT_TRUE(built.ok()) << built.evidence;
    auto code = read_machine_code({toolkit().disassembler, level()}, built.object.at(0));
    if (!code) {
      ADD_FAILURE() << describe(code.error());
      return {};
    }
    return std::move(*code);
  }
};

TEST_F(RealDisassembler, OfAFreshCubinIsReadByARealDisassembler) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90a"}) {
    SCOPED_TRACE(arch);
    BuildUnit unit = cuda_unit(kSums);
    unit.arch = arch;
    unit.kernels = {"sums", "nothing"};
    auto code = code_of(unit);
    std::ranges::sort(code, {}, &KernelCode::symbol);
    ASSERT_THAT(code, ElementsAre(Field(&KernelCode::symbol, "nothing"),
                                  Field(&KernelCode::symbol, "sums")));
    EXPECT_EQ(code[0].loop_depth, 0);
    EXPECT_GE(code[0].all.instructions, 1);
    const KernelCode& sums = code[1];
    EXPECT_EQ(sums.all.of("LDG.128"), 1) << "one vector load";
    EXPECT_EQ(sums.all.of("BAR"), 1);
    EXPECT_EQ(sums.all.of("STS"), 1);
    EXPECT_EQ(sums.all.of("LDS"), 1);
    EXPECT_EQ(sums.loop_depth, 1);
    EXPECT_EQ(sums.loop.of("FFMA"), 2);
    EXPECT_EQ(sums.loop.of("LDG.128"), 1);
    EXPECT_EQ(sums.loop.of("STS"), 0);
  }
}

TEST_F(RealDisassembler, MatrixUnitsAndWhatSpillsAreSeen) {
  BuildUnit unit = cuda_unit(
      "#include <mma.h>\n"
      "using namespace nvcuda;\n"
      "extern \"C\" __global__ void product(const half* a, const half* b, float* c) {\n"
      "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n"
      "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;\n"
      "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;\n"
      "  wmma::fill_fragment(z, 0.0f);\n"
      "  wmma::load_matrix_sync(x, a, 16);\n"
      "  wmma::load_matrix_sync(y, b, 16);\n"
      "  wmma::mma_sync(z, x, y, z);\n"
      "  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);\n"
      "}\n"
      "extern \"C\" __global__ void local(int n, int* p) {\n"
      "  int all[64] = {};\n"
      "  for (int i = 0; i < 64; ++i) all[p[i] & 63] += i;\n"
      "  p[0] = all[n & 63];\n"
      "}\n");
  unit.kernels = {"product", "local"};
  const auto code = code_of(unit);
  ASSERT_EQ(code.size(), 2u);
  const bool is_product_first = code[0].symbol == "product";
  EXPECT_GE(code[is_product_first ? 0 : 1].all.of("HMMA"), 2);
  EXPECT_GE(code[is_product_first ? 1 : 0].all.of("STL"), 1) << "an indexed array is local memory";
}

}  // namespace
}  // namespace kw::compile
