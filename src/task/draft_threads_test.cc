// Tests of what drafts make of OpenMP and of pragmas for vectors.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "task/c/threads.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string own_code_of(const Draft& draft) {
  const auto found = draft.files.find("baselines/yours.cpp");
  return found == draft.files.end() ? "none" : found->second;
}

TEST(DraftThreads, TheTruthHasNoPragmasAndTheBaselineHasThem) {
  const auto drafted = draft(
      "void total(int n, const float* x, float* y) {\n"
      "  float s = 0;\n"
      "  #pragma omp parallel for reduction(+:s) \\\n"
      "      schedule(static)\n"
      "  for (int i = 0; i < n; ++i) s += x[i];  // all of it\n"
      "\n"
      "  y[0] = s;\n}\n");
  EXPECT_THAT(drafted.files.at("reference.cpp"),
              HasSubstr("{\n  Real s = 0;\n  for (int i = 0; i < n; ++i) s += x[i];  // all of it\n"
                        "\n  y[0] = s;\n}\n"));
  EXPECT_EQ(own_code_of(drafted),
            "// The code of f.c as it was given, with its own types and pragmas.\n"
            "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
            "extern \"C\" void total(int n, const float* x, float* y) {\n"
            "  float s = 0;\n"
            "  #pragma omp parallel for reduction(+:s) \\\n"
            "      schedule(static)\n"
            "  for (int i = 0; i < n; ++i) s += x[i];  // all of it\n"
            "\n"
            "  y[0] = s;\n}\n");
}

TEST(DraftThreads, NoFormOfAPragmaReachesTheTruthOrTheKernel) {
  for (const char* const pragma :
       {"#pragma omp simd\n", "# pragma GCC ivdep\n", "#pragma acc loop\n", "#pragma ivdep\n",
        "#pragma clang loop vectorize(enable)\n", "_Pragma(\"omp simd\") ", "VECTORS ",
        "PRAGMA(omp simd) ", "#pragma omp \\\n  simd\n", "#pragma unroll\n"}) {
    const auto drafted = draft(std::string("#define VECTORS _Pragma(\"omp simd\")\n"
                                           "#define PRAGMA(words) _Pragma(#words)\n"
                                           "void f(int n, int m, const float* x, float* y) {\n"
                                           "  for (int i = 0; i < n; ++i) {\n    ") +
                               pragma +
                               "    for (int j = 0; j < m; ++j) y[i * m + j] = 2 * x[i * m + j];\n"
                               "  }\n}\n");
    EXPECT_EQ(tensors_of(drafted), "x in [n, m]; y out [n, m]") << pragma;
    for (const char* const file : {"reference.cpp", "baselines/naive.cu", "spec.md"})
      EXPECT_THAT(drafted.files.at(file),
                  AllOf(Not(HasSubstr("ragma")), Not(HasSubstr("omp")), Not(HasSubstr("ivdep"))))
          << pragma << " in " << file;
  }
}

TEST(DraftThreads, TheOwnCodeKeepsHelpersTypesAndPromises) {
  const auto drafted = draft(
      "#include \"mine.h\"\n#define WIDE 4\ntypedef double real;\n"
      "#pragma omp declare simd\n"
      "static real half(real v) { return 0.5 * v; }\n"
      "int main(void) { return 0; }\n#pragma omp end declare target\n"
      "void f(int n, int m, const real x[restrict n][m], real *restrict y) {\n"
      "#pragma omp parallel for\n"
      "  for (int i = 0; i < n; ++i) y[i] = half(x[i][0]) * WIDE;\n}\n",
      "f");
  EXPECT_THAT(own_code_of(drafted),
              AllOf(HasSubstr("#define WIDE 4\ntypedef double real;\n\n#pragma omp declare simd\n"
                              "static real half(real v) { return 0.5 * v; }\n\n"),
                    HasSubstr("void f(int n, int m, const double* x_data, double* __restrict y) {\n"
                              "  const double (*x)[m] = (const double (*)[m])x_data;\n"
                              "#pragma omp parallel for\n"
                              "  for (int i = 0; i < n; ++i) y[i] = half(x[i][0]) * WIDE;\n}\n"),
                    Not(HasSubstr("mine.h")), Not(HasSubstr("declare target"))));
  EXPECT_THAT(drafted.files.at("reference.cpp"), Not(HasSubstr("main")));
}

// The reference, at the tensors' type, is timed in any case.
TEST(DraftThreads, TheOwnCodeIsABaselineWhereItDiffersFromTheReference) {
  const auto of = [](const std::string& parameters, const std::string& body) {
    return own_code_of(draft("void f(int n, " + parameters + ") {\n  " + body + "\n}\n"));
  };
  EXPECT_EQ(of("const float* x, float* y", "for (int i = 0; i < n; ++i) y[i] = x[i];"), "none");
  EXPECT_EQ(
      of("const float* x, float* y", "#pragma acc loop\nfor (int i = 0; i < n; ++i) y[i] = x[i];"),
      "none")
      << "processors ignore it";
  EXPECT_THAT(of("const float* x, float* y",
                 "double s = 0; for (int i = 0; i < n; ++i) s += x[i];\n  y[0] = s;"),
              HasSubstr("double s = 0;"));
  EXPECT_THAT(
      of("const float* restrict x, float* restrict y", "for (int i = 0; i < n; ++i) y[i] = x[i];"),
      HasSubstr("(int n, const float* __restrict x, float* __restrict y)"));
  EXPECT_EQ(own_code_of(draft_skeleton("mine").value()), "none");
  EXPECT_EQ(own_code_of(draft("void g(int n, float* y) {\n"
                              "#pragma omp parallel for\n"
                              "  for (int i = 0; i < n; ++i) y[i] = 0;\n}\n"
                              "void f(int n, const float* x, float* y) {\n"
                              "  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n",
                              "f")),
            "none")
      << "the pragma is another function's";
}

TEST(DraftThreads, WhatAsksForThreadsIsRefusedUnlessItIsForOpenMpAlone) {
  const auto body = [](const std::string& code) {
    return "void f(int n, const float* x, float* y) {\n" + code +
           "\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n";
  };
  EXPECT_EQ(error_of(body("  int t = omp_get_thread_num();")), "f.c:2:11 omp_get_thread_num");
  EXPECT_EQ(error_of(body("  omp_lock_t lock;")), "f.c:2:3 omp_lock_t");
  EXPECT_EQ(error_of("static int mine(void) { return omp_get_num_threads(); }\n" +
                         body("  int t = mine();"),
                     "f"),
            "f.c:1:32 omp_get_num_threads");
  EXPECT_EQ(error_of("int main(void) { return omp_get_num_procs(); }\n" + body(""), "f"), "fine")
      << "a function that is not used";
  const auto guarded =
      draft(body("#ifdef _OPENMP\n  omp_set_num_threads(4);\n#else\n  int alone = 1;\n#endif"));
  EXPECT_THAT(guarded.files.at("reference.cpp"),
              AllOf(HasSubstr("int alone"), Not(HasSubstr("omp_")), Not(HasSubstr("#if"))));
  const auto both =
      draft(body("#if defined(_OPENMP)\n  omp_set_num_threads(4);\n#else\n  int alone = 1;\n"
                 "#endif\n#pragma omp parallel for"));
  EXPECT_THAT(own_code_of(both),
              AllOf(HasSubstr("#include <omp.h>\n"), HasSubstr("omp_set_num_threads(4);"),
                    Not(HasSubstr("alone"))));
}

RC_GTEST_PROP(DraftThreadsProperty, PlacesInTheSourceStayWhatTheyAre, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "x", "\n#pragma omp for", "\n#ifdef _OPENMP\n", "\n#else\n", "\n#endif\n", "_Pragma(\"omp\")",
      "\n", "\r\n", "(", ")", "/*", "*/", "\"", "\\\n", "\n#define P _Pragma(\"omp\")\n", "P",
      "\n#if !defined(_OPENMP)\n", "\n#elif X\n", "omp", "#"));
  std::string source;
  for (const auto& word : words) source += word + " ";
  for (const std::string& changed : {without_threads(source), with_threads(source)}) {
    RC_ASSERT(changed.size() == source.size());
    for (std::size_t i = 0; i < source.size(); ++i)
      RC_ASSERT(changed[i] == source[i] || (changed[i] == ' ' && source[i] != '\n'));
  }
  (void)has_thread_pragmas(source);
}

}  // namespace
}  // namespace kw::task
