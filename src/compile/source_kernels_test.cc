// Tests of finding kernels in a source, and of the message about a kernel that the source lacks.
// SPDX-License-Identifier: Apache-2.0
#include "compile/source_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda_unit_for_test.h"

namespace kw::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(SourceKernels, FindsWhatIsDefined) {
  EXPECT_THAT(source_kernels(R"(
// __global__ void commented() {}
/* __global__ void blocked() {} */
const char* text = "__global__ void quoted() {}";
extern "C" __global__ void plain(int n) { if (n) { return; } }
extern "C" __global__ __launch_bounds__(256, (2 + 1)) void bounded(float* x);
template <int N>
__global__ void __launch_bounds__(N) templated(float* x) {}
namespace outer { namespace inner::more {
static __global__ void nested() {}
}
__global__ void one_level() {}
}
namespace { __global__ void hidden() {} }
extern "C" __global__ void bounded(float* x) {}
__device__ void no_kernel(int i) {}
)"),
              ElementsAre("plain", "bounded", "templated", "outer::inner::more::nested",
                          "outer::one_level", "hidden"));
  EXPECT_THAT(source_kernels("__global__"), IsEmpty());
  EXPECT_THAT(source_kernels("__global__ __launch_bounds__(("), IsEmpty());
  EXPECT_THAT(source_kernels("/* \" __global__ void k()"), IsEmpty());
}

TEST(SourceKernels, TheSeparatorOfDigitsOpensNoCharacter) {
  EXPECT_THAT(source_kernels("__global__ void __launch_bounds__(1'024) wide(float* x) {}\n"
                             "constexpr int kMask = 0xF'f00;\n"
                             "__global__ void masked() {}\n"),
              ElementsAre("wide", "masked"));
  EXPECT_THAT(source_kernels("char c = '{', d = u8'\\''; int n = f(1, '(');\n"
                             "__global__ void quoted() {}\n"),
              ElementsAre("quoted"));
}

TEST(SourceKernels, RawLiteralsAndSplicesAreReadAsCompilersReadThem) {
  EXPECT_THAT(source_kernels("auto a = R\"( \" )\"; __global__ void seen() {}\n"
                             "auto b = R\"(\n__global__ void quoted() {}\n)\";\n"
                             "// a comment \\\n__global__ void commented() {}\n"
                             "namespace n <% __glo\\\nbal__ void spliced() <% %> %>\n"
                             "__global__ void last() {}\n"),
              ElementsAre("seen", "n::spliced", "last"));
}

TEST(SourceKernels, ALargeSourceIsWalkedOnce) {
  constexpr int kMany = 40'000;
  std::string flat, nested;
  for (int i = 0; i < kMany; ++i) flat += "__global__ void k" + std::to_string(i) + "() {}\n";
  EXPECT_THAT(source_kernels(flat), SizeIs(kMany));
  for (int i = 0; i < kMany; ++i) nested += "namespace n{";
  nested += "__global__ void deep() {}" + std::string(kMany, '}');
  EXPECT_THAT(source_kernels(nested + flat), SizeIs(kMany)) << "none of a name without end";
  EXPECT_THAT(source_kernels(std::string(kMany, '{') + flat), SizeIs(kMany));
}

std::string about(const std::string& kernel, const std::string& source) {
  return missing_kernel(kernel, cuda_unit(source), "").about;
}

TEST(SourceKernels, TellsTheNearest) {
  const std::string two =
      "__global__ void reduce_rows() {}\nnamespace a { __global__ void scan() {} }\n";
  EXPECT_EQ(about("reduce_row", two), "reduce_row -> reduce_rows");
  EXPECT_EQ(about("reduce_row<3>", two), "reduce_row<3> -> reduce_rows");
  EXPECT_EQ(about("scan", two), "scan -> a::scan");
  EXPECT_EQ(about("gemm", two), "gemm: reduce_rows, a::scan");
  EXPECT_EQ(about("gemm", "int x;"), "gemm");
  EXPECT_EQ(about("reduce_rows<3>", two), "reduce_rows<3> -> reduce_rows");
}

TEST(SourceKernels, PointsAtTheNameInThePlan) {
  const auto place = [](const char* kernel, const char* source) {
    const Diagnostic d = missing_kernel(kernel, cuda_unit(source), "");
    return std::to_string(d.line) + ":" + std::to_string(d.column);
  };
  EXPECT_EQ(
      place("add", "// kw: launch add_all grid(1) block(1)\n// kw: launch  add grid(1) block(1)\n"),
      "2:16");
  EXPECT_EQ(place("add<4>", "// kw: launch add<N> grid(1) block(1)\n"), "1:15");
  EXPECT_EQ(place("add", "int launch;"), "0:0");
}

}  // namespace
}  // namespace kw::compile
