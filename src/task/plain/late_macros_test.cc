// Tests of macros below code that has their names.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

constexpr std::string_view kLoop =
    "void f(int n, const float* x, float* y) {\n  for (int i = 0; i < n; ++i) y[i] = h(x[i]) + S;\n"
    "}\n";

TEST(PlainLateMacros, AMacroKeepsOneMeaning) {
  const std::string helper = "#define S 3\nstatic float h(float x) { return x * S; }\n#undef S\n";
  EXPECT_EQ(error_of(helper + "#define S 2\n" + std::string(kLoop), "f"),
            "f.c:2:38 S: macro below");
  EXPECT_EQ(error_of(helper + "#define S 3\n" + std::string(kLoop), "f"), "fine");
}

TEST(PlainLateMacros, WordsOfCodeThatIsNotNeededDoNotCount) {
  EXPECT_EQ(
      error_of("static float g(float S) { return S; }\nstatic float h(float x) { return x; }\n"
               "#define S 2\n" +
                   std::string(kLoop),
               "f"),
      "fine");
}

TEST(PlainLateMacros, DraftsKeepTheLinesAroundMacros) {
  const std::string text =
      draft(
          "#ifdef __SSE2__\n#define V 4\n#else\n#define V 2\n#endif\n"
          "#define TWICE(a) \\\n  ((a) + (a))\n#define W 1\n#undef W\n#define W 2\n#undef V2\n"
          "void f(int n, const float* x, float* y) {\n"
          "  for (int i = 0; i < n; ++i) y[i] = TWICE(x[i]) + V + W;\n}\n")
          .files.at("reference.cpp");
  EXPECT_TRUE(
      text.contains("#ifdef __SSE2__\n#define V 4\n#else\n#define V 2\n#endif\n"
                    "#define TWICE(a) \\\n  ((a) + (a))\n#define W 1\n#undef W\n"
                    "#define W 2\n"))
      << text;
  EXPECT_FALSE(text.contains("#undef V2"));
}

}  // namespace
}  // namespace kw::task
