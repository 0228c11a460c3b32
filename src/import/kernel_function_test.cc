// Tests of kernels that are loops over independent elements, and of kernels that are not.
// SPDX-License-Identifier: Apache-2.0
#include "import/kernel_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/draft.h"
#include "task/load.h"

namespace kw::import {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The C function with blanks in a row reduced to one.
std::string plain(const std::string& source, std::string_view wanted = {}) {
  const auto text = plain_function(source, "k.cu", wanted);
  if (!text) return text.error().where + ": " + text.error().what;
  std::string out;
  for (const char c : *text)
    if ((c != ' ' && c != '\n') || (!out.empty() && out.back() != ' ')) out += c == '\n' ? ' ' : c;
  return out;
}

/// Expects that a task can be drafted from the kernel and that the C text has no CUDA words.
void expect_task(const std::string& source) {
  const auto text = plain_function(source, "k.cu", {});
  ASSERT_TRUE(text) << text.error().what;
  const auto draft = task::draft_from_source(*text, "k.cu", {}, "mine");
  ASSERT_TRUE(draft) << draft.error().what << "\n" << *text;
  const std::string reference = draft->files.at("reference.cpp");
  for (const char* word : {"blockIdx", "threadIdx", "blockDim", "gridDim", "__global__",
                           "__device__", "__ldg", "__expf"})
    EXPECT_THAT(reference, Not(HasSubstr(word)));
}

TEST(PlainFunction, MakesOneElementPerThreadALoop) {
  const std::string source =
      "__global__ void f(const float* __restrict__ x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 2.0f * x[i];\n}\n";
  EXPECT_EQ(plain(source),
            "void f(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) { y[i] = 2.0f * "
            "x[i]; } } ");
  expect_task(source);
}

TEST(PlainFunction, KnowsItsOtherForms) {
  for (const char* body :
       {"int i = threadIdx.x + blockDim.x * blockIdx.x; if (i >= n) return; y[i] = x[i];",
        "const int i = blockIdx.x * 256 + threadIdx.x; if (i >= n) { return; } y[i] = x[i];",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) "
        "y[i] = x[i];",
        "int i = blockIdx.x * blockDim.x + threadIdx.x; int step = gridDim.x * blockDim.x; "
        "for (; i < n; i += step) y[i] = x[i];",
        "int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "while (i < n) { y[i] = x[i]; i += blockDim.x * gridDim.x; }",
        "int i = (int)(blockIdx.x * (size_t)blockDim.x) + threadIdx.x; if (i < n) { y[i] = x[i]; "
        "}"}) {
    const std::string source =
        "__global__ void f(const float* x, float* y, int n) { " + std::string(body) + " }";
    EXPECT_THAT(plain(source), HasSubstr("for (int i = 0; i < n; ++i) {")) << body;
    expect_task(source);
  }
}

TEST(PlainFunction, KnowsTwoIndices) {
  const std::string source =
      "__global__ void f(const float* x, float* y, int rows, int cols) {\n"
      "  int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int r = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (r < rows && c < cols) y[r * cols + c] = x[r * cols + c];\n}\n";
  EXPECT_THAT(plain(source),
              HasSubstr("for (int r = 0; r < rows; ++r) { for (int c = 0; c < cols; ++c) {"));
  expect_task(source);
}

TEST(PlainFunction, TakesHelpersConstantsAndFastForms) {
  const std::string source =
      "#define HALF 0.5f\nconstexpr float kScale = 3.0f;\n"
      "__device__ __forceinline__ float act(float v) { return HALF * v * kScale; }\n"
      "template <typename T> __global__ void f(const T* x, T* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = act(__expf(__ldg(&x[i]))) * kScale;\n}\n";
  const std::string text = plain(source);
  EXPECT_THAT(text, HasSubstr("static float act(float v) {"));
  EXPECT_THAT(text, HasSubstr("act(expf((x[i]))) * kScale"));
  EXPECT_THAT(text, HasSubstr("#define kScale (3.0f)"));
  expect_task(source);
}

TEST(PlainFunction, NamesAllThatStandsInTheWay) {
  EXPECT_THAT(plain("__global__ void f(const float* x, float* y) {\n"
                    "  __shared__ float s[32];\n"
                    "  s[threadIdx.x] = x[threadIdx.x];\n"
                    "  __syncthreads();\n"
                    "  atomicAdd(y, s[0]);\n}\n"),
              testing::AllOf(HasSubstr("k.cu:2:3: 'f' cannot become a reference"),
                             HasSubstr("__shared__ (line 2), threadIdx (line 3), __syncthreads "
                                       "(line 4), atomicAdd (line 5)"),
                             HasSubstr("give a plain C function with --from")));
  EXPECT_THAT(plain("__global__ void f(float* y) { y[0] = 1; }"),
              HasSubstr("which elements its threads take is not plain"));
  EXPECT_THAT(plain("__device__ float r(float v) { return __shfl_sync(~0u, v, 0); }\n"
                    "__global__ void f(float* y, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i < n) y[i] = r(y[i]);\n}\n"),
              HasSubstr("__shfl_sync (line 1)"));
}

TEST(PlainFunction, SaysThatThereIsNoKernel) {
  EXPECT_EQ(plain("void f(float* y) { y[0] = 1; }"), "k.cu: no kernel with a body in this file");
}

TEST(PlainFunction, RefusesAFunctionThatLaunches) {
  EXPECT_THAT(plain("__global__ void k(float* y) { y[0] = 0; }\n"
                    "void go(float* y) { dim3 g(1); k<<<g, 1>>>(y); cudaDeviceSynchronize(); }\n",
                    "go"),
              HasSubstr("dim3 (line 2), <<< >>> (line 2), cudaDeviceSynchronize (line 2)"));
}

TEST(PlainFunction, TakesAFunctionOfTheHostByName) {
  const std::string source =
      "__global__ void k(float* y) { __syncthreads(); }\n"
      "void cpu(const float* x, float* y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n";
  EXPECT_THAT(plain(source, "cpu"),
              testing::AllOf(HasSubstr("void cpu("), Not(HasSubstr("__sync"))));
  EXPECT_THAT(plain(source, "cpo"), HasSubstr("did you mean 'cpu'?"));
  EXPECT_TRUE(has_kernels(source));
  EXPECT_FALSE(has_kernels("void f() { /* __global__ */ }"));
}

}  // namespace
}  // namespace kw::import
