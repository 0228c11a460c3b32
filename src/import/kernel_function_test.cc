// Tests of converting kernels to loops: kernels with independent elements, and kernels that must be
// refused.
// SPDX-License-Identifier: Apache-2.0
#include "import/kernel_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "task/draft.h"
#include "task/load.h"

namespace kw::import {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What becomes of the source: the C function, or why there is none.
Result<std::string> converted(const std::string& source, std::string_view wanted = {}) {
  return plain_function(source, "k.cu", wanted);
}

/// The converted C function, with runs of blanks reduced to one; "PLACE ABOUT" of why there is
/// none.
std::string plain(const std::string& source, std::string_view wanted = {}) {
  const auto text = plain_function(source, "k.cu", wanted);
  if (!text) return place_and_about(text.error());
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

std::string kernel(const std::string& body) {
  return "__device__ void bump(int& i) { i += 5; }\n"
         "__global__ void f(const float* x, float* y, float* z, int n, int m, float s) { " +
         body + " }";
}
const std::string kIndex = "int i = blockIdx.x * blockDim.x + threadIdx.x; ";
const std::string kStride =
    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ";

TEST(PlainFunction, EndsAnElementAndNotTheLoopWhereAThreadReturns) {
  for (const char* body : {"if (i >= n) return; if (x[i] < 0) { y[i] = 0; return; } y[i] = x[i];",
                           "if (i < n) { if (x[i] < 0) return; y[i] = x[i]; }"}) {
    const std::string text = plain(kernel(kIndex + body));
    EXPECT_THAT(text, AllOf(HasSubstr("continue;"), Not(HasSubstr("return")))) << body;
    expect_task(kernel(kIndex + body));
  }
  for (const char* body :
       {"if (i >= n) return; y[i] = 0; for (int j = 0; j < n; j++) { if (x[j] > x[i]) return; "
        "y[i] += x[j]; } y[i] *= 2;",
        "if (i < n) { switch (i % 3) { case 0: y[i] = 1; return; default: y[i] = 3; } y[i] += 1; }",
        "if (i < n) { float v = 0; do { v += 1; if (v > s) return; } while (v < 9); y[i] = v; }"}) {
    const std::string text = plain(kernel(kIndex + body));
    EXPECT_THAT(text, AllOf(HasSubstr("goto next_element;"), HasSubstr("next_element:;"),
                            Not(HasSubstr("return"))))
        << body;
    expect_task(kernel(kIndex + body));
  }
  EXPECT_THAT(plain(kernel(kStride + "{ if (x[i] < 0) continue; y[i] = x[i]; }")),
              HasSubstr("continue;"));
}

TEST(PlainFunction, RefusesElementsThatDependOnEachOther) {
  const std::vector<std::pair<std::string, const char*>> cases{
      {kStride + "{ if (x[i] > 9) break; y[i] = x[i]; }", "a break out of the loop"},
      {kStride + "{ if (x[i] > 9) return; y[i] = x[i]; }", "a return inside the loop"},
      {kIndex + "while (i < n) { if (x[i] < 0) continue; y[i] = x[i]; i += blockDim.x * "
                "gridDim.x; }",
       "a continue that skips"},
      {kIndex + "if (i < n) { y[i] = x[i]; i += n; if (i < m) y[i] = s; }", "the index 'i'"},
      {kIndex + "if (i < n) { int k = i++; y[k] = x[k]; }", "the index 'i'"},
      {kIndex + "if (i < n) { y[i] = x[i]; bump(i); }", "the index 'i'"},
      {kIndex + "if (i < n) { int* p = &i; *p = 3; y[i] = x[i]; }", "the index 'i'"},
      {kIndex + "if (i < n) { s += x[i]; y[i] = s; }", "a parameter 's'"},
      {kIndex + "if (i < n) { x += i; y[i] = *x; }", "a parameter 'x'"},
      {"float acc = 0; " + kStride + "{ acc += x[i]; y[i] = acc; }",
       "for the thread's next elements, 'acc'"},
      {"if (m == 0) return; " + kStride + "y[i] = x[i];", "a return before"},
      {"unsigned char i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];",
       "an index of the narrow type unsigned char"},
      {kIndex + "if (i < n) { y[i] = x[i]; z[i] = y[(i + 1) % n]; }", "a read of 'y'"},
      {kIndex + "if (i < n) { y[i] = x[i] + y[i + 1]; }", "a read of 'y'"},
      {kIndex + "if (i < n) { y[i] += x[i]; y[i + 1] += 1; }", "a read of 'y'"},
      {kIndex + "if (i < n) { y[i * m] = x[i]; z[i] = y[i * m + m]; }", "a read of 'y'"},
      {kIndex + "if (i < n) { y[i] = x[i]; const float* p = y; z[i] = p[0]; }", "a read of 'y'"},
      {kIndex + "if (i < n) y[i] = x[i]; z[0] = 1;", "statements after the loop"},
      {kIndex + "if (i < n) y[i] = x[i]; if (i < m) z[i] = y[i];", "statements after the loop"},
      {kIndex + "if (i < n) { auto g = [&](int k) { return x[k]; }; y[i] = g(i); }", "a lambda"},
  };
  for (const auto& [body, words] : cases)
    EXPECT_THAT(converted(kernel(body)), IsErrorAbout(ErrorCode::Unsupported, HasSubstr(words)))
        << body;
}

TEST(PlainFunction, TakesThreadsThatOwnRows) {
  for (const char* body :
       {"if (i < n) { for (int j = 0; j < m; ++j) y[i * m + j] = x[i * m + j]; "
        "for (int j = 1; j < m; ++j) y[i * m + j] += y[i * m + (j - 1)]; }",
        "if (i < n) { float* row = y + i * m; for (int j = 0; j < m; ++j) row[j] = x[j]; "
        "y[i * m] = 2 * y[i * m + 1]; }",
        "if (i < n) { y[i] = x[i]; y[i] = y[i] * s; z[i] = y[i]; }"})
    expect_task(kernel(kIndex + body));
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
  const auto refused = converted(
      "__global__ void f(const float* x, float* y) {\n"
      "  __shared__ float s[32];\n"
      "  s[threadIdx.x] = x[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  atomicAdd(y, s[0]);\n}\n");
  ASSERT_THAT(refused, IsErrorAbout(ErrorCode::Unsupported,
                                    HasSubstr("__shared__ (line 2), threadIdx (line 3), "
                                              "__syncthreads (line 4), atomicAdd (line 5)")));
  EXPECT_EQ(refused.error().where, "k.cu:2:3");
  EXPECT_THAT(converted("__global__ void f(float* y) { y[0] = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "index"));
  EXPECT_THAT(converted("__device__ float r(float v) { return __shfl_sync(~0u, v, 0); }\n"
                        "__global__ void f(float* y, int n) {\n"
                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (i < n) y[i] = r(y[i]);\n}\n"),
              IsErrorAbout(ErrorCode::Unsupported, HasSubstr("__shfl_sync (line 1)")));
}

TEST(PlainFunction, SaysThatThereIsNoKernel) {
  EXPECT_THAT(converted("void f(float* y) { y[0] = 1; }"),
              IsErrorAbout(ErrorCode::Missing, "kernel"));
}

TEST(PlainFunction, RefusesAFunctionThatLaunches) {
  EXPECT_THAT(
      converted("__global__ void k(float* y) { y[0] = 0; }\n"
                "void go(float* y) { dim3 g(1); k<<<g, 1>>>(y); cudaDeviceSynchronize(); }\n",
                "go"),
      IsErrorAbout(ErrorCode::Unsupported,
                   HasSubstr("dim3 (line 2), <<< >>> (line 2), cudaDeviceSynchronize (line 2)")));
}

TEST(PlainFunction, TakesAFunctionOfTheHostByName) {
  const std::string source =
      "__global__ void k(float* y) { __syncthreads(); }\n"
      "void cpu(const float* x, float* y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n";
  EXPECT_THAT(plain(source, "cpu"),
              testing::AllOf(HasSubstr("void cpu("), Not(HasSubstr("__sync"))));
  EXPECT_THAT(converted(source, "cpo"), IsErrorAbout(ErrorCode::NotFound, "cpo"));
  EXPECT_TRUE(has_kernels(source));
  EXPECT_FALSE(has_kernels("void f() { /* __global__ */ }"));
}

}  // namespace
}  // namespace kw::import
