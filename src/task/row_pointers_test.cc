// Tests of local pointers into arrays.
// SPDX-License-Identifier: Apache-2.0
#include "task/row_pointers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "task/test_draft.h"

namespace kw::task {
namespace {

constexpr const char* kRowsHead = "void f(const float *in, float *out, int rows, int cols) {\n";

std::string body_of(const std::string& body) {
  const std::string text = without_row_pointers(kRowsHead + body + "\n}\n", "");
  EXPECT_TRUE(text.starts_with(kRowsHead)) << text;
  return text.substr(std::string(kRowsHead).size(),
                     text.size() - std::string(kRowsHead).size() - 3);
}

TEST(RowPointers, AreTheRowsOfTheirArrays) {
  for (const char* const rows :
       {"const float* x = in + r * cols;\n float* y = out + r * cols;",
        "const float *x = &in[r * cols];\n float *restrict y = &out[r * cols];",
        "const float* x = in + (long)r * cols;\n float* const y = out + (size_t)r * cols;",
        "auto x = in + r * cols; auto* y = &out[r * cols];",
        "float *y = &out[r * cols]; const float* x0 = in; const float* x = x0 + r * cols;"}) {
    const auto drafted =
        draft(std::string(kRowsHead) + "  for (int r = 0; r < rows; r++) {\n    " + rows +
              "\n    for (int c = 0; c < cols; c++) y[c] = 2 * x[c];\n  }\n}\n");
    EXPECT_EQ(tensors_of(drafted), "in in [rows, cols]; out out [rows, cols]") << rows;
  }
  EXPECT_EQ(
      tensors_of(draft(std::string(kRowsHead) +
                       "  for (int r = 0; r < rows; r++) {\n"
                       "    const float* x = in + r * cols;\n    float* y = out + r * cols;\n"
                       "    float most = x[0], sum = 0;\n"
                       "    for (int c = 1; c < cols; c++) if (x[c] > most) most = x[c];\n"
                       "    for (int c = 0; c < cols; c++) { y[c] = x[c] - most; sum += y[c]; }\n"
                       "    for (int c = 0; c < cols; c++) y[c] /= sum;\n  }\n}\n")),
      "in in [rows, cols]; out out [rows, cols]")
      << "a condition on other arrays does not leave a row unwritten";
  EXPECT_EQ(tensors_of(draft(std::string(kRowsHead) +
                             "  for (int r = 0; r < rows; r++) {\n    int k = 0;\n"
                             "    if (in[r] > 0) k = cols;\n    out[r] = in[r];\n"
                             "    out[r] += out[k];\n  }\n}\n")),
            "in in [rows]; out inout [rows]")
      << "the condition decides which element is read";
  EXPECT_EQ(body_of("float* y = out + 2 * cols;\n*y = 1; y[rows > 1 ? 1 : 0] = *y; g(y, y + 3);"),
            "\nout[2 * cols] = 1; out[2 * cols + (rows > 1 ? 1 : 0)] = out[2 * cols]; "
            "g(out + 2 * cols, out + 2 * cols + 3);");
}

TEST(RowPointers, StayWhereTheyOrTheirOffsetsMove) {
  for (const char* const body :
       {"float* y = out; for (int i = 0; i < rows; ++i) *y++ = 0;",
        "float* y = out + rows; y += cols; y[0] = 1;", "float* y = out + rows; rows = 2; y[0] = 1;",
        "float* y = out + start(rows); y[0] = 1;", "float* y = out + rows; y = out; y[0] = 1;",
        "float* y = out + rows; *++y = 0;", "float* y = out; float* z = y + 1; z++; *z = 2; y = z;",
        "double* y = out + rows; y[0] = 1;", "float* y = out + rows; { float y = 1; out[0] = y; }",
        "float y = out[rows]; out[0] = y;", "float* y = out + rows; if (y != out) y[0] = 1;"})
    EXPECT_EQ(body_of(body), body);
  const std::string macro =
      std::string("#define Y(i) y[i]\n") + kRowsHead + "  float* y = out + rows;\n  Y(0) = 1;\n}\n";
  EXPECT_EQ(without_row_pointers(macro, ""), macro);
}

}  // namespace
}  // namespace kw::task
