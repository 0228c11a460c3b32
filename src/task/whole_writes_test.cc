// Tests of calls that write a range of an array.
// SPDX-License-Identifier: Apache-2.0
#include "task/whole_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "task/test_draft.h"

namespace kw::task {
namespace {

/// What becomes of a statement of a function with two arrays of each of two types, and of a matrix.
std::string written_as(const std::string& statement) {
  const std::string head =
      "void f(int n, int m, const float* x, float* y, const int* a, int* h, unsigned char* u, "
      "float g[n][m]) {\n  ";
  const std::string text = with_plain_writes(head + statement + "\n}\n", "");
  EXPECT_TRUE(text.starts_with(head) && text.ends_with("\n}\n")) << text;
  return text.substr(head.size(), text.size() - head.size() - 3);
}

TEST(WholeWrites, AreLoops) {
  const auto loop = [](const std::string& count, const std::string& assignment) {
    return "for (long element = 0; element < " + count + "; ++element) " + assignment + ";";
  };
  EXPECT_EQ(written_as("memset(h, 0, 256 * sizeof(int));"), loop("256", "h[element] = 0"));
  EXPECT_EQ(written_as("memset(h, 0, n * sizeof *h);"), loop("n", "h[element] = 0"));
  EXPECT_EQ(written_as("memset(h, 0xff, sizeof(h[0]) * n * m);"), loop("n * m", "h[element] = -1"));
  EXPECT_EQ(written_as("std::memset(y + n, 0, sizeof(float) * (n + 1));"),
            loop("(n + 1)", "y[n + element] = 0"));
  EXPECT_EQ(written_as("memset(&y[n], 0, sizeof *y);"), loop("1", "y[n + element] = 0"));
  EXPECT_EQ(written_as("memset(u, 7, n + 1);"), loop("n + 1", "u[element] = 7"));
  EXPECT_EQ(written_as("if (n) memcpy(y, x + m, n * sizeof(*y));"),
            "if (n) " + loop("n", "y[element] = x[m + element]"));
  EXPECT_EQ(written_as("std::fill(y, y + n, -1.5f);"), loop("n", "y[element] = -1.5f"));
  EXPECT_EQ(written_as("std::fill(y + n, y + n + m, 0);"),
            loop("(n + m) - (n)", "y[n + element] = 0"));
  EXPECT_EQ(written_as("std::fill_n(h, n, std::numeric_limits<int>::max());"),
            loop("n", "h[element] = std::numeric_limits<int>::max()"));
  EXPECT_EQ(written_as("std::copy(x, x + n, y);"), loop("n", "y[element] = x[element]"));
  EXPECT_EQ(written_as("std::copy_n(a, n, h);"), loop("n", "h[element] = a[element]"));
  EXPECT_EQ(written_as("memset(g, 0, m * n * sizeof(float));"),
            "for (long element_of_0 = 0; element_of_0 < n; ++element_of_0) for (long element = 0; "
            "element < m; ++element) g[element_of_0][element] = 0;");
  EXPECT_EQ(written_as("int element = 0; memset(h, 0,\n n * sizeof *h);"),
            "int element = 0; for (long element_2 = 0; element_2 < n; ++element_2) h[element_2] = "
            "0;\n");
}

TEST(WholeWrites, StayWhereTheirExtentOrValueIsUnclear) {
  for (const char* const call :
       {"memset(h, 0, n);", "memset(h, 1, n * sizeof(int));", "memset(y, -1, n * sizeof(float));",
        "memset(h, 0, n * sizeof(char));", "memset(h, 0, sizeof(h));", "memset(t, 0, n);",
        "memset(g, 0, n * sizeof(float));", "memcpy(y, a, n * sizeof(float));",
        "memmove(y, y + 1, n * sizeof(float));", "std::fill(y, x + n, 0);",
        "std::fill_n(y, n, rand());", "std::fill_n(y, n > 3 ? n : 3, 0);",
        "int r = (memset(h, 0, n * sizeof(int)), 0);", "memset(h, 0, n / 2 * sizeof(int));"})
    EXPECT_EQ(written_as(call), call);
  const std::string own =
      "void fill(float* p, float* q, float v) { *p = v; }\n"
      "void f(int n, float* y) { fill(y, y + n, 0); }\n";
  EXPECT_EQ(with_plain_writes(own, "f"), own);
}

TEST(WholeWrites, MakeOutputs) {
  EXPECT_EQ(tensors_of(draft("#include <string.h>\nvoid f(const int *a, int *h, int n) {\n"
                             "  memset(h, 0, 256 * sizeof(int));\n"
                             "  for (int i = 0; i < n; i++) h[a[i] & 255]++;\n}\n")),
            "a in [n]; h out [256]");
  EXPECT_EQ(tensors_of(draft("void f(int n, int m, const float* x, float* c) {\n"
                             "  memset(c, 0, sizeof *c * n * m);\n"
                             "  for (int i = 0; i < n; ++i) {\n    float* row = c + i * m;\n"
                             "    for (int j = 0; j < m; ++j) row[j] += x[i];\n  }\n}\n")),
            "x in [n]; c out [n, m]");
  EXPECT_EQ(tensors_of(draft("void f(int n, int m, const float* x, float* c) {\n"
                             "  memset(c, 0, sizeof *c * n);\n"
                             "  for (int i = 0; i < n; ++i)\n"
                             "    for (int j = 0; j < m; ++j) c[i * m + j] += x[i];\n}\n")),
            "x in [n]; c inout [n, m]");
  EXPECT_EQ(tensors_of(draft("void f(int n, int m, const float* x, float c[n][m]) {\n"
                             "  memset(c, 0, sizeof(float) * n * m);\n"
                             "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m; ++j) "
                             "c[i][j] += x[i];\n}\n")),
            "x in [n]; c out [n, m]");
}

}  // namespace
}  // namespace kw::task
