// Tests of reading loops: which of them stride, and what the contiguous dimension is called.
// SPDX-License-Identifier: Apache-2.0
#include "memory/walk.h"

#include <gtest/gtest.h>

#include "task/load.h"

namespace kw::memory {
namespace {

std::optional<std::string> strided(const std::string& body) {
  return strided_loop("void f(int nx, int nz, const float* u, float* v) {\n" + body + "}\n");
}

TEST(Walk, SeesAStrideWhereverTheVariableIsMultiplied) {
  EXPECT_EQ(strided("for (int z = 0; z < nz; ++z)\n"
                    "  for (int x = 0; x < nx; ++x) v[x * nz + z] = u[x * nz + z];\n"),
            "x");
  EXPECT_EQ(strided("for (int z = 0; z < nz; ++z)\n"
                    "  for (int x = 0; x < nx; ++x) {\n"
                    "    const long at = (x + 4) * sx + (z + 4);\n"
                    "    if (x < nx) v[at] = u[at - sx];\n"
                    "  }\n"),
            "x");
  EXPECT_EQ(strided("for (int z = 0; z < nz; ++z)\n"
                    "  for (int x = 0; x < nx; ++x) v[sx * x + z] = 1;\n"),
            "x");
  EXPECT_EQ(strided("for (int j = 0; j < n; ++j)\n"
                    "  for (int i = 0; i < n; ++i) tile[i][j] = other[i][j];\n"),
            "i");
}

TEST(Walk, SaysNothingOfContiguousMixedOrUnclearLoops) {
  EXPECT_EQ(strided("for (int x = 0; x < nx; ++x)\n"
                    "  for (int z = 0; z < nz; ++z) v[x * nz + z] = u[x * nz + z];\n"),
            std::nullopt);
  EXPECT_EQ(strided("for (int k = 0; k < n; ++k) c += a[i * n + k] * b[k * n + j];\n"),
            std::nullopt)
      << "one operand is contiguous";
  EXPECT_EQ(strided("for (int z = 0; z < nz; ++z) {\n"
                    "  const float* p = u + row + z;\n"
                    "  v[row + z] = p[sx] + p[-sx];\n"
                    "}\n"),
            std::nullopt);
  EXPECT_EQ(strided("for (int k = 0; k < 3; ++k) v[0] += 1;\n"), std::nullopt) << "unused";
  EXPECT_EQ(strided("*x = 3;\n"), std::nullopt);
}

TEST(Walk, LooksAtTheDeepestLoopsAlone) {
  EXPECT_EQ(strided("for (int p = 0; p < n; ++p) v[p * 3] = 0;\n"
                    "for (int x = 0; x < nx; ++x)\n"
                    "  for (int z = 0; z < nz; ++z) v[x * nz + z] = 1;\n"),
            std::nullopt);
}

TEST(Walk, SurvivesTextThatIsNoCode) {
  for (const char* text : {"", "for", "for (", "for (int i = 0", "for (;;)", "for (i = 0;;) {",
                           "for (int i = 0; i < n; ++i) v[(i", ")]}({["})
    EXPECT_EQ(strided_loop(text), std::nullopt) << text;
}

task::Definition task_of(const std::string& shape, const std::string& reference) {
  task::TaskFiles files{"tasks/t", {}};
  files.texts["task.yaml"] =
      "name: t\nfamily: stencil\nsummary: s\ndims: [nx, nz]\n"
      "scalars:\n  nx: { dtype: i32 }\n  nz: { dtype: i32 }\n"
      "tensors:\n  v: { dtype: f32, shape: [nx], role: in }\n"
      "  u: { dtype: f32, shape: " +
      shape +
      ", role: out }\n"
      "gate: { kind: relative, c: 4, scale: 1 }\n"
      "work:\n  floor: { bytes: nx, flops: nx }\n"
      "  nominal: { read_bytes: nx, write_bytes: nx, flops: nx, items: nx }\n";
  files.texts["shapes.yaml"] =
      "check: [ { name: a, nx: 9, nz: 9 } ]\n"
      "time: [ { name: b, nx: 9, nz: 9 } ]\n";
  files.texts["reference.cpp"] = reference;
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

TEST(Walk, NamesTheContiguousAxisAsTheReferenceDoes) {
  const std::string named =
      "template <class Real> void reference(const Real* v, Real* u, int nx, int nz) {\n"
      "  for (int x = 0; x < nx; ++x)\n    for (int z = 0; z < nz; ++z) u[x * nz + z] = v[x];\n}\n";
  EXPECT_EQ(contiguous_axis(task_of("[nx, \"nz + 8\"]", named)), "z");
  EXPECT_EQ(contiguous_axis(task_of("[nx, \"nz + 8\"]",
                                    "template <class Real> void reference(const Real* v, Real* u, "
                                    "int nx, int nz) { u[0] = v[0]; }\n")),
            "nz");
  EXPECT_EQ(contiguous_axis(task_of("[nx, 3]", named)), "");
}

}  // namespace
}  // namespace kw::memory
