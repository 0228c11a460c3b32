// Tests of drafting tasks from C functions.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "task/load.h"
#include "task/resolve.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

TEST(Draft, UnderstandsSaxpy) {
  const auto saxpy = draft(
      "#include <math.h>\n"
      "void saxpy(int n, float a, const float *restrict x, float *y) {\n"
      "  for (int i = 0; i < n; i++) y[i] = a * x[i] + 0.5f * y[i];\n}\n");
  EXPECT_EQ(tensors_of(saxpy), "x in [n]; y inout [n]");
  EXPECT_NE(
      saxpy.files.at("reference.cpp")
          .find("template <class Real>\nvoid reference(int n, Real a, const Real* x, Real* y) {\n"
                "  for (int i = 0; i < n; i++) y[i] = a * x[i] + Real(0.5) * y[i];\n}"),
      std::string::npos)
      << saxpy.files.at("reference.cpp");
  EXPECT_EQ(saxpy.notes, kOfTheWords);
}

TEST(Draft, RemembersWhoseCodeItIs) {
  const char* const body =
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n";
  const auto code_of = [&](const Draft& draft) {
    const auto definition = parse_task({"draft", draft.files});
    return definition ? definition->code : place_and_about(definition.error());
  };
  EXPECT_EQ(code_of(draft(body)), "f.c");
  EXPECT_EQ(code_of(draft_from_source(body, "../src/my \"fast\" one\\.c", "", "").value()),
            "my \"fast\" one\\.c");
  EXPECT_EQ(code_of(draft_skeleton("empty").value()), "") << "nobody's";
}

TEST(Draft, UnderstandsAStencil) {
  const auto* const flat =
      "void jacobi(int n, int m, const double* in, double* out) {\n"
      "  for (int i = 1; i < n - 1; ++i)\n"
      "    for (int j = 1; j < m - 1; ++j) {\n"
      "      const int c = i * m + j;\n"
      "      out[c] = 0.25 * (in[(i - 1) * m + j] + in[(i + 1) * m + j] + in[c - 1] + in[c + 1]);\n"
      "    }\n}\n";
  EXPECT_EQ(tensors_of(draft(flat)), "in in [n, m]; out inout [n, m]");
  const auto* const array =
      "void jacobi(int n, int m, const float in[n][m], float out[n][m]) {\n"
      "  for (int i = 1; i < n - 1; ++i)\n"
      "    for (int j = 1; j < m - 1; ++j) out[i][j] = in[i - 1][j] + in[i][j + 1];\n}\n";
  const auto drafted = draft(array);
  EXPECT_EQ(tensors_of(drafted), "in in [n, m]; out inout [n, m]");
  EXPECT_NE(drafted.files.at("reference.cpp").find("View<const Real, 2> in{in_data, in_inner};"),
            std::string::npos);
}

TEST(Draft, UnderstandsMatrixVector) {
  EXPECT_EQ(tensors_of(draft("void mv(int m, int n, const float* a, const float* x, float* y) {\n"
                             "  for (int i = 0; i < m; ++i) {\n"
                             "    float s = 0;\n"
                             "    for (int j = 0; j < n; ++j) s += a[(size_t)i * n + j] * x[j];\n"
                             "    y[i] = s;\n  }\n}\n")),
            "a in [m, n]; x in [n]; y out [m]");
}

TEST(Draft, UnderstandsRowDistances) {
  EXPECT_EQ(tensors_of(draft("void mm(int n, int ld, const float* a, float* b) {\n"
                             "  for (int i = 0; i < n; ++i)\n"
                             "    for (int j = 0; j < n; ++j) b[i * n + j] = a[i * ld + j];\n}\n")),
            "a in [n, n] pitch ld; b out [n, n]");
}

TEST(Draft, UnderstandsThreeDimensions) {
  EXPECT_EQ(
      tensors_of(draft("void f(int a, int b, int c, const float* x, float* y) {\n"
                       "  for (int i = 0; i < a; ++i)\n"
                       "    for (int j = 0; j < b; ++j)\n"
                       "      for (int k = 0; k < c; ++k)\n"
                       "        y[(i * b + j) * c + k] = x[i * b * c + j * c + k] * 2;\n}\n")),
      "x in [a, b, c]; y out [a, b, c]");
}

TEST(Draft, UnderstandsReductions) {
  EXPECT_EQ(tensors_of(draft("void dot(int n, const float* x, const float* y, float* out) {\n"
                             "  float s = 0;\n"
                             "  for (int i = 0; i < n; ++i) s += x[i] * y[i];\n"
                             "  *out = s;\n}\n")),
            "x in [n]; y in [n]; out out [1]");
  EXPECT_EQ(tensors_of(draft("#include <math.h>\n"
                             "static float square(float x) { return x * x; }\n"
                             "void norms(int rows, int cols, const float* x, float* y) {\n"
                             "  for (int r = 0; r < rows; ++r) {\n"
                             "    float s = 0.0f;\n"
                             "    for (int c = 0; c < cols; ++c) s += square(x[r * cols + c]);\n"
                             "    y[r] = sqrtf(s);\n  }\n}\n")),
            "x in [rows, cols]; y out [rows]");
}

TEST(Draft, KnowsAPlainLoopAndASureBranchByTheirOtherForms) {
  const char* const kHead = "void relu(int n, const float* x, float* y) {\n  int i = 0;\n";
  for (const char* loop : {
           "while (i < n) { y[i] = x[i] > 0 ? x[i] : 0; i++; }",
           "while (i < n) { y[i] = x[i]; i += 1; }",
           "while (i < n) { if (x[i] > 0) y[i] = x[i]; else y[i] = 0; ++i; }",
           "for (i = 0; i < n; i++) { if (x[i] > 0) { y[i] = x[i]; } else { y[i] = 0; } }",
           "for (i = 0; i < n; i++)\n"
           "  if (x[i] > 1) y[i] = 1; else if (x[i] < 0) y[i] = 0; else y[i] = x[i];",
       }) {
    const auto drafted = draft(std::string(kHead) + loop + "\n}\n");
    EXPECT_EQ(tensors_of(drafted), "x in [n]; y out [n]") << loop;
    EXPECT_EQ(drafted.notes, kOfTheWords) << loop;
  }
  for (const char* loop : {
           "while (i < n) { if (x[i] > 0) y[i] = x[i]; i++; }",
           "while (i < n) { if (x[i] < 0) break; y[i] = x[i]; i++; }",
           "i = 1; while (i < n) { y[i] = x[i]; i++; }",
           "for (i = 0; i < n; i++) { if (x[i] > 0) y[i] = x[i]; else y[i] = y[0]; }",
           "y[0] = 1; for (i = 0; i < n; i++) { if (x[i] > 0) y[i] = x[i]; }",
           "for (i = 0; i < n; i++) if (x[i] > 1) y[i] = 1; else if (x[i] < 0) y[i] = 0;",
       })
    EXPECT_EQ(tensors_of(draft(std::string(kHead) + loop + "\n}\n")), "x in [n]; y inout [n]")
        << loop;
}

TEST(Draft, SumsGetValuesWhoseRoundingsShow) {
  const auto product = draft(
      "void mv(int n, const float* A, const float* p, float* q) {\n"
      "  for (int i = 0; i < n; i++) {\n    q[i] = 0;\n"
      "    for (int j = 0; j < n; j++) q[i] += A[i * n + j] * p[j];\n  }\n}\n");
  EXPECT_EQ(tensors_of(product), "A in [n, n]; p in [n]; q out [n]");
  EXPECT_NE(product.files.at("task.yaml").find("kind: normal, mean: 0"), std::string::npos);
  EXPECT_EQ(product.files.at("task.yaml").find("uniform"), std::string::npos);
  const auto lone = draft(
      "void sum(int n, const float* x, float* y) {\n  y[0] = 0;\n"
      "  for (int i = 0; i < n; i++) y[0] += x[i];\n}\n");
  EXPECT_NE(
      lone.files.at("task.yaml").find("kind: integers, lo: \"-max(1, min(8, 2097152 / (n)))\""),
      std::string::npos);
}

TEST(Draft, TimedInputsOfSumsHavePlantedLines) {
  const auto timed_of = [](std::string_view source) {
    const auto definition = parse_task({"draft", draft(source).files});
    std::string text;
    for (const auto& [name, values] : definition->timed.values)
      text += name + " over " + std::to_string(static_cast<int>(values.numbers.at("over"))) + " " +
              std::to_string(static_cast<int>(values.numbers.at("axes"))) + ";";
    return text;
  };
  EXPECT_EQ(
      timed_of("void product(int m, int n, int k, const float* a, const float* b, float* c) {\n"
               "  for (int i = 0; i < m; ++i)\n"
               "    for (int j = 0; j < n; ++j) {\n"
               "      float s = 0;\n"
               "      for (int p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j];\n"
               "      c[i * n + j] = s;\n    }\n}\n"),
      "a over 1 1;b over 0 1;");
  EXPECT_EQ(timed_of("void add(int n, const float* x, float* y) {\n"
                     "  for (int i = 0; i < n; ++i) y[i] += x[i];\n}\n"),
            "")
      << "nothing is summed over";
  EXPECT_EQ(timed_of("void inverses(int m, int n, const float* x, float* y) {\n"
                     "  for (int i = 0; i < m; ++i) {\n    float s = 0;\n"
                     "    for (int j = 0; j < n; ++j) s += 1 / x[i * n + j];\n"
                     "    y[i] = s;\n  }\n}\n"),
            "")
      << "zeros would give infinities";
}

TEST(Draft, ScalarsDiffer) {
  const auto scalars_of = [](std::string_view source) {
    const auto definition = parse_task({"draft", draft(source).files});
    std::string text;
    for (const auto& scalar : definition->scalars)
      if (is_real(scalar.dtype)) text += fmt::format("{}={:g} ", scalar.name, scalar.real);
    return text;
  };
  EXPECT_EQ(scalars_of("void f(int n, float a, float b, float c, float* y) {\n"
                       "  for (int i = 0; i < n; ++i) y[i] = a * y[i] * y[i] + b * y[i] + c;\n}\n"),
            "a=0.75 b=-1.25 c=1.5 ");
  EXPECT_EQ(
      scalars_of("void f(int n, float a, float b, float c, float* y) {\n"
                 "  for (int i = 0; i < n; ++i) y[i] = a * y[i] + (1 - a) * c + (1.0f - b);\n}\n"),
      "a=0.875 b=0.6875 c=0.75 ")
      << "what 1 is short of is a share";
  EXPECT_EQ(scalars_of("#include <math.h>\n"
                       "void f(int n, float a, float eps, float* y) {\n"
                       "  for (int i = 0; i < n; ++i) y[i] = a / sqrtf(y[i] * y[i] + eps);\n}\n"),
            "a=0.75 eps=1.25 ")
      << "a root of a negative number is none";
}

TEST(Draft, ShapesDifferAndAreLargeForEachTarget) {
  const auto sizes_of = [](std::string_view source, Target target) {
    const auto definition = parse_task({"draft", draft(source).files});
    std::string text;
    for (const WorkloadSpec& spec : definition->workloads) {
      if (spec.group != Group::Time || !spec.is_for(target)) continue;
      const auto workload = resolve(*definition, spec);
      for (const auto& [name, size] : workload->dims) text += fmt::format("{}={} ", name, size);
    }
    return text;
  };
  const char* const sweep =
      "void f(int t, int n, float* x, float* y) {\n  for (int s = 0; s < t; ++s)\n"
      "    for (int i = 0; i < n; ++i)\n      for (int j = 0; j < n; ++j)\n"
      "        y[i * n + j] += x[i * n + j];\n}\n";
  EXPECT_EQ(sizes_of(sweep, Target::Cpu), "n=997 t=20 ") << "steps are no size of an array";
  EXPECT_EQ(sizes_of(sweep, Target::Cuda), "n=11117 t=20 ");
  const char* const product =
      "void f(int m, int n, int k, const float* a, const float* b, float* c) {\n"
      "  for (int i = 0; i < m; ++i)\n    for (int j = 0; j < n; ++j)\n"
      "      for (int p = 0; p < k; ++p) c[i * n + j] += a[i * k + p] * b[p * n + j];\n}\n";
  EXPECT_EQ(sizes_of(product, Target::Cuda), "k=1087 m=1061 n=1069 ");
}

TEST(Draft, MarksWhatItGuesses) {
  const auto drafted = draft(
      "void f(int n, int m, const float* x, float* y) {\n"
      "  helper(x, y);\n  y[0] = x[index[3]];\n}\n");
  EXPECT_EQ(tensors_of(drafted), "x in [n * m]; y inout [1]");
  EXPECT_EQ(drafted.notes.size(), 3u) << "two guesses, and the words";
  EXPECT_NE(drafted.files.at("task.yaml").find("# CHECK: its size could not be determined"),
            std::string::npos);
}

TEST(Draft, SaysWhatItCannotDraft) {
  EXPECT_EQ(error_of(""), "f.c function");
  EXPECT_EQ(error_of("void f(int n, float* x);"), "f.c function");
  EXPECT_EQ(error_of("\nfloat* f(int n, float* x) { return x; }"), "f.c:2:1 returned value");
  EXPECT_EQ(error_of("void f(int n, float** x) { g(x); }"), "f.c:1:30 x as a whole");
  EXPECT_EQ(error_of("void f(struct s* x) { }"), "f.c:1:8 struct s");
  EXPECT_EQ(error_of("void f(int n, float&& x) { x = 1; }"), "f.c:1:20 x");
  EXPECT_EQ(error_of("void f(int n, const float* x) { }"), "f output");
  EXPECT_EQ(error_of("void f(float* x) { g(x); }"), "f x");
  EXPECT_EQ(error_of("void f(int n, float* x) { x[0] = n; } void g(int n, float* x) { x[0] = n; }"),
            "f.c --function");
  EXPECT_EQ(error_of("void first(int n, float* x) { x[0] = n; }", "frist"), "f.c frist -> first");
  EXPECT_EQ(error_of("template <class... T> void f(T*... x) { }"), "f.c:1:1 template");
}

// The reference would not compile if a pointer to the file's own type were none to the parameter's.
TEST(Draft, TypesOfTheFileAreThoseOfTheParameters) {
  const auto drafted = draft(
      "typedef unsigned char pixel;\ntypedef long index;\ntypedef unsigned int uint32_t;\n"
      "typedef float real;\n"
      "void pick(int n, const index* at, const pixel* x, real* y) {\n"
      "  for (int i = 0; i < n; ++i) { const index* p = at + i; y[i] = x[i] + *p; }\n}\n");
  const std::string& reference = drafted.files.at("reference.cpp");
  EXPECT_NE(reference.find("typedef int64_t index;\ntypedef uint8_t pixel;\n"), std::string::npos)
      << reference;
  EXPECT_NE(reference.find("(int n, const int64_t* at, const uint8_t* x, Real* y)"),
            std::string::npos)
      << reference;
  EXPECT_EQ(reference.find("uint32_t;"), std::string::npos) << "a header declares it";
  EXPECT_NE(drafted.files.at("task.yaml").find("dtype: u8"), std::string::npos);
}

// No argument would tell the type of a template.
TEST(Draft, HelpersWithoutRealArgumentsCanBeCalled) {
  const auto drafted = draft(
      "static int wrap(int i, int n) { return i < 0 ? i + n : i; }\n"
      "static int level(int i) { return i * 0.5; }\n"
      "static float half(float x) { return x / 2; }\n"
      "void f(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = half(x[wrap(level(i) - 1, n)]);\n}\n",
      "f");
  EXPECT_THAT(drafted.files.at("reference.cpp"),
              testing::HasSubstr("\n\nstatic int wrap(int i, int n) { return i < 0 ? i + n : i; }\n"
                                 "\ntemplate <class Real = double>\n"
                                 "static int level(int i) { return i * Real(0.5); }\n"
                                 "\ntemplate <class Real>\n"
                                 "static Real half(Real x) { return x / 2; }\n"));
}

TEST(Draft, SkeletonIsACompleteTask) {
  const auto drafted = draft_skeleton("mine");
  ASSERT_TRUE(drafted.has_value()) << describe(drafted.error());
  EXPECT_EQ(tensors_of(*drafted), "x in [n]; y out [n]");
  EXPECT_FALSE(draft_skeleton("int").has_value());
  EXPECT_FALSE(draft_skeleton("../x").has_value());
}

RC_GTEST_PROP(DraftProperty, SurvivesAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "void", "f", "(", ")", "{", "}", "int", "n", "const", "float", "*", "x", "[", "]", "i", "=",
      "0", ";", "for", "<", "++", "+", ",", "y", "\n", "\"", "/*", "#define n 3\n"));
  std::string source;
  for (const auto& word : words) source += word + " ";
  (void)draft_from_source(source, "f.c", "", "");
  source =
      "void f(int n, const float* x, float* y) { for (int i = 0; i < n; ++i) {" + source + "}}";
  const auto drafted = draft_from_source(source, "f.c", "f", "");
  if (drafted) RC_ASSERT(parse_task({"draft", drafted->files}).has_value());
}

}  // namespace
}  // namespace kw::task
