// Tests of macros that index arrays.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

/// Shapes in the drafted task.yaml, such as "[n, n] [n, n]".
std::string shapes_of(std::string_view source) {
  const Draft drafted = draft(source);
  const std::string& yaml = drafted.files.at("task.yaml");
  std::string shapes;
  for (std::size_t at = yaml.find("shape: "); at != std::string::npos;
       at = yaml.find("shape: ", at + 1))
    shapes += (shapes.empty() ? "" : " ") + yaml.substr(at + 7, yaml.find('\n', at) - at - 7);
  return shapes;
}

TEST(PlainIndexMacros, AreWrittenOut) {
  const std::string loops =
      "void f(int n, const float* a, float* b) {\n"
      "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++) ";
  const std::string index =
      "#define IDX(i, j) ((i) * n + (j))\n" + loops + "b[IDX(j, i)] = a[IDX(i, j)];\n}\n";
  EXPECT_EQ(plain_function(index),
            "void f(int n, const float* a, float* b) { for (int i = 0; i < n; i++) for (int j = 0; "
            "j < n; j++) b[((j) * n + (i))] = a[((i) * n + (j))]; }");
  EXPECT_EQ(shapes_of(index), "[n, n] [n, n]");
  EXPECT_EQ(shapes_of("#define A(i, j) a[(i) * n + (j)]\n#define B(i, j) b[(i) * n + (j)]\n" +
                      loops + "B(j, i) = A(i, j);\n}\n"),
            "[n, n] [n, n]");
  EXPECT_EQ(shapes_of("#define AT(p, k) p[k]\n#define IDX(i, j) ((i) * n + (j))\n" + loops +
                      "AT(b, IDX(j, i)) = AT(a, IDX(i, j));\n}\n"),
            "[n, n] [n, n]")
      << "macros in arguments";
}

TEST(PlainIndexMacros, OtherMacrosStay) {
  const std::string rest =
      "void f(int n, const float* a, float* b) {\n"
      "  for (int i = 0; i < n; i++) b[i] = TWICE(a[i]);\n}\n";
  EXPECT_TRUE(
      plain_function("#define TWICE(x) ((x) + (x))\n" + rest).ends_with("b[i] = TWICE(a[i]); }"));
  EXPECT_TRUE(plain_function("#define TWICE(x) ({ (x) + (x); })\n" + rest)
                  .ends_with("b[i] = TWICE(a[i]); }"));
}

TEST(PlainIndexMacros, ThatNeverEndStay) {
  const auto plain = plain_source(
      "#define F(i) F(F(i))\nvoid f(int n, float* b) {\n"
      "  for (int i = 0; i < n; i++) b[F(i)] = 0;\n}\n",
      "f.c", "");
  ASSERT_TRUE(plain.has_value());
  EXPECT_TRUE(plain->source.contains("b[F(i)] = 0"));
  EXPECT_TRUE(plain->notes.empty());
}

}  // namespace
}  // namespace kw::task
