// Tests of sizes and counts of work that are read off a function.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/load.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

/// "family: flops" as the loader reads them.
std::string work_of(std::string_view source) {
  const auto definition = parse_task({"draft", draft(source).files});
  if (!definition) return place_and_about(definition.error());
  return definition->task.family + ": " + definition->work.flops.expr.text();
}

TEST(DraftExtents, HeedConditions) {
  const std::string head =
      "void f(int n, int m, const float* in, float* out) {\n"
      "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j) {\n      ";
  const std::string sum = "in[(i - 1) * m + j] + in[(i + 1) * m + j] + in[i * m + j + 1]";
  for (const std::string& body :
       {"if (i > 0 && i < n - 1 && j < m - 1) out[i * m + j] = " + sum +
            "; else out[i * m + j] = in[i * m + j];",
        "if (i == 0 || i == n - 1 || j == m - 1) out[i * m + j] = in[i * m + j]; else out[i * m + "
        "j] = " +
            sum + ";",
        "out[i * m + j] = !(i < 1 || i + 1 >= n || j + 2 > m) ? " + sum + " : 0;",
        "out[i * m + j] = 0;\n if (i == 0) continue; if (i >= n - 1 || j >= m - 1) continue;\n "
        "out[i * m + j] = " +
            sum + ";",
        "if (i == 0 || i == n - 1 || j == m - 1) {\n out[i * m + j] = 0;\n continue;\n }\n "
        "out[i * m + j] = " +
            sum + ";",
        "if (i < 1 || i + 1 >= n || j + 1 >= m) { if (j > 2) { out[i * m + j] = 1; continue; } "
        "else "
        "{ out[i * m + j] = 0; continue; } } out[i * m + j] = " +
            sum + ";",
        "if (i == 0) { out[i * m + j] = 1; continue; } else if (i == n - 1) { out[i * m + j] = 2; "
        "continue; } else if (j >= m - 1) continue; out[i * m + j] = " +
            sum + ";",
        "if (i > 0 && i < n - 1 && j < m - 1) out[i * m + j] = 0; else { out[i * m + j] = 1; "
        "continue; }\n out[i * m + j] = " +
            sum + ";"}) {
    const auto drafted = draft(head + body + "\n    }\n}\n");
    EXPECT_TRUE(tensors_of(drafted).starts_with("in in [n, m]; out "))
        << tensors_of(drafted) << body;
  }
}

TEST(DraftExtents, CoverWhatIsReached) {
  const auto input = [](const std::string& body) {
    const std::string text = tensors_of(
        draft("void f(int n, int m, int k, const float* x, float* y) {\n  " + body + "\n}\n"));
    return text.substr(0, text.find(';'));
  };
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[i + 1];"), "x in [n + 1]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[2 * i];"), "x in [2 * n - 1]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[i];\n"
                  "for (int i = 0; i < m; ++i) y[i] = x[i];"),
            "x in [max(n, m)]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[i] + x[3];"), "x in [max(n, 4)]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[n - 1 - i];"), "x in [n]");
  EXPECT_EQ(input("for (int i = n - 1; i >= 0; --i) y[i] = x[i];"), "x in [n]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j < m; ++j) y[i * m + j] = x[i * m + j + 1];"),
            "x in [n + 1, m]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j <= i; ++j) y[i * n + j] = x[i * n + j];"),
            "x in [n, n]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j < k; ++j) y[i] += x[i + j];"),
            "x in [n + k - 1]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n for (int j = 0; j < m; ++j)\n"
                  "for (int d = -2; d <= 2; ++d) {\n const int r = i + d;\n"
                  "if (r >= 0 && r < n) y[i * m + j] += x[r * m + j];\n}"),
            "x in [n, m]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j < m; ++j) y[i * m + j] = x[i * m + m - 1 - j];"),
            "x in [n, m]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j < m; ++j) y[i * m + j] = x[(n - 1 - i) * m + (m - 1 - j)];"),
            "x in [n, m]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n for (int j = 0; j < m; ++j)\n"
                  "for (int d = 0; d < k; ++d)\n"
                  "y[(i * m + j) * k + d] = x[(i * m + m - 1 - j) * k + k - 1 - d];"),
            "x in [n, m, k]");
  EXPECT_EQ(input("for (int i = 0; i < n; ++i)\n"
                  "for (int j = 0; j < m; ++j) y[i * m + j] = x[i * m + m - j];"),
            "x in [n + 1, m]")
      << "it reaches the next row";
  EXPECT_EQ(input("for (int i = 0; i < n; ++i) y[i] = x[i * m] + x[n * m + k];"),
            "x in [m * n + k + 1]");
}

TEST(DraftExtents, RefuseWhatLiesOutside) {
  EXPECT_EQ(error_of("void f(int n, const float* x, float* y) {\n"
                     "  for (int i = 0; i < n; ++i)\n    y[i] = x[i] - x[i - 1];\n}\n"),
            "f.c:3:19 x: index -1");
  EXPECT_EQ(error_of("void f(int n, const float x[n], float y[n]) {\n"
                     "  for (int i = 0; i < n; ++i) y[i] = x[i + 1];\n}\n"),
            "f.c:2:38 x: index n of n");
  EXPECT_EQ(error_of("void f(int n, int m, const float x[n][m], float y[n][m]) {\n"
                     "  for (int i = 0; i < n; ++i)\n"
                     "    for (int j = 0; j < m; ++j) y[i][j] = x[i][j - 1];\n}\n"),
            "f.c:3:43 x: index -1");
  EXPECT_EQ(error_of("void f(int n, const float* x, float* y) {\n"
                     "  for (int i = 0; i < n; ++i) {\n"
                     "    if (i == 0) { y[i] = 0; }\n    y[i] = x[i - 1];\n  }\n}\n"),
            "f.c:4:12 x: index -1")
      << "the branch goes on to what follows it";
  EXPECT_EQ(tensors_of(draft("void f(int n, const float* x, float* y) {\n"
                             "  for (int i = 0; i < n; ++i) {\n"
                             "    if (n > 5) if (i == n - 1) { y[i] = 0; continue; }\n"
                             "    y[i] = x[i + 1];\n  }\n}\n")),
            "x in [n + 1]; y inout [n]")
      << "the inner branch is not always reached";
  const auto drafted = draft(
      "void f(int n, const int* is_inner, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    y[i] = 0;\n"
      "    if (is_inner[i]) y[i] = x[i - 1] + x[i + 1];\n  }\n}\n");
  EXPECT_EQ(tensors_of(drafted), "is_inner in [n]; x in [n + 1]; y out [n]");
  EXPECT_THAT(drafted.notes, testing::Contains(testing::HasSubstr(
                                 "x: x[i - 1] reaches index -1, which lies before the first "
                                 "element unless a condition keeps it off")));
}

TEST(DraftExtents, KeepBordersAndStepsUnwritten) {
  const auto role_of = [](const std::string& body) {
    const std::string text =
        tensors_of(draft("void f(int n, const float* x, float y[n]) {\n  " + body + "\n}\n"));
    return text.substr(text.find("y ") + 2);
  };
  EXPECT_EQ(role_of("for (int i = 0; i < n; ++i) y[i] = x[i];"), "out [n]");
  EXPECT_EQ(role_of("for (int i = n - 1; i >= 0; i--) y[i] = x[i];"), "out [n]");
  EXPECT_EQ(role_of("for (int i = 0; i < n; i += 2) y[i] = x[i];"), "inout [n]");
  EXPECT_EQ(role_of("for (int i = 0; i < n - 1; ++i) y[i + 1] = x[i];"), "inout [n]");
  EXPECT_EQ(role_of("for (int i = 0; i < 3; ++i) y[i] = x[i];"), "inout [n]");
}

TEST(DraftWork, CountsTheNestAndNamesTheFamily) {
  EXPECT_EQ(work_of("void gemm(int M, int N, int K, float alpha, const float* A, const float* B, "
                    "float beta, float* C) {\n"
                    "  for (int i = 0; i < M; ++i)\n    for (int j = 0; j < N; ++j) {\n"
                    "      float acc = 0.0f;\n"
                    "      for (int k = 0; k < K; ++k) acc += A[i * K + k] * B[k * N + j];\n"
                    "      C[i * N + j] = alpha * acc + beta * C[i * N + j];\n    }\n}\n"),
            "matmul: 3 * M * N + 2 * K * M * N");
  EXPECT_EQ(
      work_of("void gemm(int n, float s, const float A[n][n], const float B[n][n], "
              "float C[n][n]) {\n"
              "  for (int i = 0; i < n; i++) {\n"
              "    for (int j = 0; j < n; j++) C[i][j] *= s;\n"
              "    for (int k = 0; k < n; k++)\n"
              "      for (int j = 0; j < n; j++) C[i][j] += s * A[i][k] * B[k][j];\n  }\n}\n"),
      "matmul: 3 * n * n * n + n * n");
  EXPECT_EQ(work_of("void mv(int m, int n, const float* a, const float* x, float* y) {\n"
                    "  for (int i = 0; i < m; ++i) {\n    y[i] = 0;\n"
                    "    for (int j = 0; j < n; ++j) y[i] = y[i] + a[i * n + j] * x[j];\n  }\n}\n"),
            "reduction: 2 * m * n");
  EXPECT_EQ(work_of("void syrk(int n, int m, const float* a, float* c) {\n"
                    "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j <= i; ++j)\n"
                    "      for (int k = 0; k < m; ++k)\n"
                    "        c[i * n + j] += a[i * m + k] * a[j * m + k];\n}\n"),
            "matmul: m * n * n + m * n")
      << "a triangle has n (n + 1) / 2 elements";
  EXPECT_EQ(work_of("void conv(int n, int k, const float* x, const float* w, float* y) {\n"
                    "  for (int i = 0; i < n; ++i) {\n    float s = 0;\n"
                    "    for (int d = 0; d < k; ++d) s += x[i + d] * w[d];\n"
                    "    y[i] = s;\n  }\n}\n"),
            "convolution: 2 * k * n");
  EXPECT_EQ(work_of("#include <math.h>\n"
                    "void softmax(int rows, int cols, const float* x, float* y) {\n"
                    "  for (int r = 0; r < rows; ++r) {\n    float m = x[r * cols], s = 0;\n"
                    "    for (int c = 1; c < cols; ++c) m = fmaxf(m, x[r * cols + c]);\n"
                    "    for (int c = 0; c < cols; ++c) s += expf(x[r * cols + c] - m);\n"
                    "    for (int c = 0; c < cols; ++c)\n"
                    "      y[r * cols + c] = expf(x[r * cols + c] - m) / s;\n  }\n}\n"),
            "normalization: -rows + 7 * cols * rows");
  EXPECT_EQ(work_of("void sums(int n, const float* x, float* y) {\n  float s = 0;\n"
                    "  for (int i = 0; i < n; ++i) {\n    s += x[i];\n    y[i] = s;\n  }\n}\n"),
            "scan: n");
  EXPECT_EQ(work_of("void sums(int n, const float* x, float* y) {\n  y[0] = x[0];\n"
                    "  for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];\n}\n"),
            "scan: n - 1");
  EXPECT_EQ(work_of("void turn(int n, int m, const float* x, float* y) {\n"
                    "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j)\n"
                    "      y[j * n + i] = x[i * m + j];\n}\n"),
            "transpose: 0");
  EXPECT_EQ(work_of("void count(int n, const unsigned char* x, int h[256]) {\n"
                    "  for (int i = 0; i < n; ++i) h[x[i]]++;\n}\n"),
            "histogram: n");
  EXPECT_EQ(work_of("static float square(float v) { return v * v; }\n"
                    "void f(int n, const float* x, float* y) {\n"
                    "  for (int i = 0; i < n; ++i) {\n    const int at = n - 1 - i;\n"
                    "    y[i] = -square(x[at]) + 1.0f;\n  }\n}\n"),
            "elementwise: 2 * n");
}

TEST(DraftWork, HeedsConditions) {
  const std::string sweep =
      "out[i * m + j] = 0.25f * (in[(i - 1) * m + j] + in[(i + 1) * m + j] + in[i * m + j - 1] + "
      "in[i * m + j + 1]);";
  EXPECT_EQ(work_of("void jacobi(int n, int m, const float* in, float* out) {\n"
                    "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j)\n"
                    "      if (i > 0 && i < n - 1 && j > 0 && j < m - 1) " +
                    sweep + "\n      else out[i * m + j] = in[i * m + j];\n}\n"),
            "stencil: max(0, -8 * n + 4 * m * n - 8 * m + 16)");
  EXPECT_EQ(
      work_of("void jacobi(int t, int n, int m, float* in, float* out) {\n"
              "  for (int s = 0; s < t; ++s)\n"
              "  for (int i = 1; i < n - 1; ++i)\n    for (int j = 1; j < m - 1; ++j)\n      " +
              sweep + "\n}\n"),
      "stencil: max(0, 16 * t - 8 * n * t - 8 * m * t + 4 * m * n * t)");
  EXPECT_EQ(work_of("void elu(int n, float a, const float* x, float* y) {\n"
                    "  for (int i = 0; i < n; ++i)\n    if (x[i] > 0) y[i] = x[i];\n"
                    "    else y[i] = a * (expf(x[i]) - 1);\n}\n"),
            "elementwise: 3 * n")
      << "the costlier side";
}

TEST(DraftWork, TellsWhatItCouldNotCount) {
  const auto drafted = draft(
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n    float s = x[i];\n"
      "    while (s > 1) s *= 0.5f;\n    y[i] = s;\n  }\n}\n");
  EXPECT_THAT(drafted.notes, testing::Contains("work: a loop whose bounds could not be read counts "
                                               "as one turn"));
}

TEST(DraftWork, OfLoopsThatDataMayEndIsThatOfAllTurns) {
  const auto escape = [](const std::string& loop) {
    return draft(
        "void escape_time(int w, int h, int max_iter, int* image) {\n"
        "  for (int j = 0; j < h; ++j)\n    for (int i = 0; i < w; ++i) {\n"
        "      double x = i, y = j;\n      int it = 0;\n      " +
        loop + "\n      image[j * w + i] = it;\n    }\n}\n");
  };
  const std::string body = "{ x = x * x - y * y; y = x * y; ";
  for (const std::string& loop :
       {"while (x * x + y * y <= 4 && it < max_iter) " + body + "it++; }",
        "while (it < max_iter && x * x + y * y <= 4) " + body + "++it; }",
        "while ((it < max_iter) && (x * x + y * y <= 4.0)) " + body + "it += 1; }",
        "for (it = 0; it < max_iter && x * x + y * y <= 4; ++it) " + body + "}",
        "while (x * x + y * y <= 4 && it++ < max_iter) " + body + "}"}) {
    const auto drafted = escape(loop);
    EXPECT_EQ(tensors_of(drafted), "image out [h, w]") << loop;
    const auto definition = parse_task({"draft", drafted.files});
    ASSERT_TRUE(definition.has_value()) << loop;
    EXPECT_THAT(definition->work.flops.expr.text(), testing::HasSubstr("* h * max_iter * w"))
        << loop;
    EXPECT_EQ(definition->work.floor_bytes.expr.text(), "4 * h * w") << "what is written, alone";
    EXPECT_THAT(drafted.notes, testing::Contains("work: a loop that data may end earlier counts "
                                                 "with all turns that it may have"));
    for (const WorkloadSpec& spec : definition->workloads) {
      EXPECT_GE(spec.dims.at("max_iter"), 20);
      EXPECT_LE(spec.dims.at("max_iter"), 50);
    }
  }
  for (const std::string& loop : {"while (x * x + y * y <= 4) " + body + "it++; }",
                                  "while (x < 4 || it < max_iter) " + body + "it++; }",
                                  "while (x < 4 && it < max_iter) " + body + "it++; it++; }"})
    EXPECT_THAT(escape(loop).notes, testing::Contains("work: a loop whose bounds could not be read "
                                                      "counts as one turn"))
        << loop;
}

TEST(DraftWork, OfRowsBetweenOffsetsIsThatOfAllTheirElements) {
  EXPECT_EQ(work_of("void rows(int n, int width, int nonzeros, const int* begin, const int* at,\n"
                    "          const double* a, const double* x, double* y) {\n"
                    "  for (int i = 0; i < n; ++i) {\n    double sum = 0;\n"
                    "    for (int k = begin[i]; k < begin[i + 1]; ++k) sum += a[k] * x[at[k]];\n"
                    "    y[i] = 2 * sum;\n  }\n}\n"),
            "elementwise: 2 * nonzeros + n");
  EXPECT_EQ(work_of("void sums(int n, int width, const int* used, const float* x, float* y) {\n"
                    "  for (int i = 0; i < n; ++i) {\n    float sum = 0;\n"
                    "    for (int j = 0; j < used[i]; ++j) sum += x[i * width + j];\n"
                    "    y[i] = sum;\n  }\n}\n"),
            "elementwise: (n * width) / 2")
      << "half of the largest number";
}

}  // namespace
}  // namespace kw::task
