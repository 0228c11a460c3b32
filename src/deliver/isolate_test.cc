// Tests of moving sources into a namespace: where includes are put, and which functions lose C
// linkage.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/isolate.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"

namespace kw::deliver {
namespace {

using testing::HasSubstr;
using testing::Not;

Isolated isolated(const char* source) {
  return isolate(source, task::CandidateHeader(), "twice").value();
}

TEST(Isolate, LinkageGoesOfWhatIsDefinedHereAlone) {
  const std::string code =
      isolated(
          "extern \"C\" double lgamma_r(double, int*);\n"
          "extern \"C\" void twice(int n);\n"
          "extern \"C\" int helper(int);\n"
          "extern \"C\" int helper(int v) { return v; }\n"
          "extern \"C\" { void cblas_sgemm(int); }\n"
          "extern \"C\" { void twice(int n) {} }\n"
          "const char* text = \"extern \\\"C\\\" void twice()\";  // extern \"C\" void twice();\n")
          .code;
  EXPECT_THAT(code, HasSubstr("extern \"C\" double lgamma_r"));
  EXPECT_THAT(code,
              HasSubstr("\nextern \"C++\" void twice(int n);\nextern \"C++\" int helper(int);\n"
                        "extern \"C++\" int helper(int v) {"));
  EXPECT_THAT(code, HasSubstr("extern \"C\" { void cblas_sgemm(int); }"));
  EXPECT_THAT(code, HasSubstr("extern \"C++\" { void twice(int n) {} }"));
  EXPECT_THAT(code, HasSubstr("\"extern \\\"C\\\" void twice()\""));
}

TEST(Isolate, IncludesComeFirstWhereverTheyStood) {
  const Isolated parts = isolated(
      "// kw: tune B = 1, 2\n#include <math.h>\nint a;\n#if B\nint b;\n#include <odd.h>\n#endif\n"
      "#include \"iface.h\"\n#define LOCAL 1\n");
  EXPECT_EQ(parts.includes,
            "#include <math.h>\n#if __has_include(<odd.h>)\n#include <odd.h>\n#endif\n"
            "#include \"iface.h\"\n");
  EXPECT_THAT(parts.code, Not(HasSubstr("#include")));
  EXPECT_THAT(parts.code, Not(HasSubstr("kw:")));
  EXPECT_THAT(parts.code, HasSubstr("#if B\nint b;\n\n#endif\n"));
  EXPECT_TRUE(parts.macros.contains("LOCAL"));
}

TEST(Isolate, OrdinarySourcesKeepTheirHeadAsItIs) {
  const Isolated parts = isolated(
      "// Mine.\n#define _GNU_SOURCE\n#ifdef __linux__\n#include <sched.h>\n#endif\nint a;\n");
  EXPECT_EQ(parts.includes,
            "// Mine.\n#define _GNU_SOURCE\n#ifdef __linux__\n#include <sched.h>\n#endif\n");
  EXPECT_EQ(parts.code, "int a;\n");
}

TEST(Isolate, LeavesIncludesInCommentsAndLiteralsWhereTheyAre) {
  const Isolated parts = isolated(
      "int a;\n/*\n#include <gone.h>\n*/\nauto s = R\"(\n#include <text.h>\n)\";\n"
      "#\\\n include <spliced.h>\n%:include <digraph.h>\n#include <math.h> /* two\n lines */\n");
  EXPECT_EQ(parts.includes,
            "#\\\n include <spliced.h>\n%:include <digraph.h>\n#include <math.h> /* two\n"
            " lines */\n");
  EXPECT_THAT(parts.code, HasSubstr("/*\n#include <gone.h>\n*/\n"));
  EXPECT_THAT(parts.code, HasSubstr("R\"(\n#include <text.h>\n)\";\n"));
}

TEST(Isolate, ACommentBehindAnIncludeIsNotCut) {
  const Isolated parts = isolated("#include <math.h> /* two\n lines */\nint a;\n");
  EXPECT_EQ(parts.includes, "#include <math.h> /* two\n lines */\n");
  EXPECT_EQ(parts.code, "int a;\n");
}

TEST(Isolate, GivesWhatABlockOfCLinkageDefinesNoLinkageOfC) {
  const auto code = [](std::string_view source) {
    const auto parts = isolate(source, {}, "twice");
    return parts ? parts->code : place_and_about(parts.error());
  };
  EXPECT_EQ(code("extern \"C\" { int state = 0; int helper(int v) { return v; } }\n"),
            "extern \"C++\" { int state = 0; int helper(int v) { return v; } }\n");
  EXPECT_EQ(
      code("extern \"C\" { void cblas(int); int helper(int v) { return v; } int state; extern "
           "int theirs; struct S { int a; }; }\n"),
      "extern \"C\" { void cblas(int); extern \"C++\" { int helper(int v) { return v; } } "
      "extern \"C++\" { int state; } extern int theirs; struct S { int a; }; }\n");
  EXPECT_EQ(code("extern \"C\" { void cblas(int); }\nextern \"C\" int theirs;\n"),
            "extern \"C\" { void cblas(int); }\nextern \"C\" int theirs;\n");
  EXPECT_EQ(code("extern \"C\" int mine = 3;\n"), "extern \"C++\" int mine = 3;\n");
}

TEST(Isolate, NamesTheMacrosThatDirectivesUse) {
  const auto parts = isolate(
      "#define FIRST 1\n#ifdef __AVX512F__\n#endif\n#include <cmath>\n"
      "#ifndef BLOCK\n#define BLOCK 8\n#endif\n#if defined(DEBUG) || !defined TRACE\n#endif\n"
      "#ifdef FIRST\n#endif\nvoid twice(int n) {}\n",
      {}, "twice");
  ASSERT_TRUE(parts) << describe(parts.error());
  EXPECT_EQ(parts->macros_before, (std::set<std::string>{"FIRST"}));
  EXPECT_EQ(parts->macros, (std::set<std::string>{"BLOCK", "DEBUG", "TRACE"}));
}

}  // namespace
}  // namespace kw::deliver
