// Tests of what drafted files have from standard headers.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "task/test_draft.h"

namespace kw::task {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A function that begins with `best` and takes the least of each row, behind `head`.
std::string least_of_rows(const std::string& head, const std::string& best) {
  return head + "void f(const float *a, float *b, int n, int m) {\n" +
         "  for (int i = 0; i < n; i++) {\n    float best = " + best + ";\n" +
         "    for (int j = 0; j < m; j++)\n      if (a[i * m + j] < best) best = a[i * m + j];\n" +
         "    b[i] = best;\n  }\n}\n";
}

TEST(DraftHeaders, AreThoseOfTheCode) {
  const auto floats = draft(least_of_rows("#include <float.h>\n", "FLT_MAX"));
  EXPECT_THAT(floats.files.at("reference.cpp"), HasSubstr("#include <float.h>\n"));
  EXPECT_THAT(floats.files.at("reference.cpp"), HasSubstr("Real best = Real(FLT_MAX);"));
  EXPECT_THAT(floats.files.at("baselines/naive.cu"), HasSubstr("#include <float.h>\n"));
  EXPECT_THAT(floats.files.at("baselines/naive.cu"), HasSubstr("float best = FLT_MAX;"));
  const auto many =
      draft(least_of_rows("#include <algorithm>\n#include <climits>\n#include <math.h>\n"
                          "#include <cmath>\n#include \"mine.h\"\n#include <omp.h>\n"
                          "#include <algorithm>\nusing namespace std;\nusing std::min;\n",
                          "INT_MAX"));
  EXPECT_THAT(many.files.at("reference.cpp"),
              HasSubstr("#include <cstring>\n#include <algorithm>\n#include <climits>\n"
                        "#include <math.h>\nusing namespace std;\nusing std::min;\n"));
  EXPECT_THAT(many.files.at("baselines/naive.cu"),
              HasSubstr("\n#include <climits>\n#include <math.h>\n#include <cmath>\n"));
  EXPECT_THAT(many.files.at("baselines/naive.cu"), Not(HasSubstr("algorithm")));
  const auto ambiguous = draft(
      least_of_rows(
          "using namespace std;\nstatic float max(float a, float b) { return a > b ? a : b; }\n",
          "max(a[0], 1.0f)"),
      "f");
  EXPECT_THAT(ambiguous.files.at("reference.cpp"), Not(HasSubstr("using")));
  const auto own =
      draft(least_of_rows("#include <cfloat>\n#define M 1\n", "FLT_MAX; double most = 0"));
  EXPECT_THAT(own.files.at("baselines/yours.cpp"), HasSubstr("#include <cfloat>\n"));
}

TEST(DraftHeaders, LimitsKeepTheValuesOfTheCodesTypes) {
  const auto drafted =
      draft(least_of_rows("#include <limits>\n", "std::numeric_limits<float>::max()"));
  EXPECT_THAT(drafted.files.at("reference.cpp"),
              HasSubstr("Real best = Real(std::numeric_limits<float>::max());"));
  EXPECT_THAT(drafted.files.at("baselines/naive.cu"), HasSubstr("float best = 3.402823466e+38f;"));
  const auto doubles = draft(
      "#include <limits>\nvoid f(int n, const double* x, double* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[i] < std::numeric_limits<double>::max();\n}\n");
  EXPECT_THAT(doubles.files.at("reference.cpp"), HasSubstr("x[i] < Real(1.7976931348623157e+308);"))
      << "without the type double, in which a truth might be rounded";
  const auto constant = [](std::string_view call) {
    const auto tokens = lex::tokenize(call);
    const auto limit = limit_call_at(tokens, 0);
    return limit ? limit_constant(*limit) : "none";
  };
  EXPECT_EQ(constant("std::numeric_limits<int>::max()"), "2147483647");
  EXPECT_EQ(constant("numeric_limits<int>::min()"), "(-2147483647 - 1)");
  EXPECT_EQ(constant("std::numeric_limits<unsigned int>::max()"), "4294967295u");
  EXPECT_EQ(constant("std::numeric_limits<unsigned char>::lowest()"), "0");
  EXPECT_EQ(constant("std::numeric_limits<double>::infinity()"), "INFINITY");
  EXPECT_EQ(constant("std::numeric_limits<float>::digits"), "none");
}

TEST(DraftHeaders, KernelsHaveNoLibrary) {
  const auto kernels = [](const std::string& value) {
    const auto drafted = draft(
        "#include <algorithm>\n#include <cmath>\nvoid f(int n, const float* x, float* y) {\n"
        "  for (int i = 0; i < n; ++i) y[i] = " +
        value + ";\n}\n");
    const auto found = drafted.files.find("baselines/naive.cu");
    return found == drafted.files.end() ? "none" : found->second;
  };
  EXPECT_THAT(kernels("std::max(x[i], std::sqrt(x[i]))"),
              HasSubstr("y[i] = max(x[i], sqrt(x[i]));"));
  EXPECT_EQ(kernels("std::clamp(x[i], 0.0f, 1.0f)"), "none");
}

TEST(DraftedHeaders, WordsLikeMathFunctionsAreWhatTheCodeSays) {
  const std::string text =
      draft(
          "#include <math.h>\nstatic float erf(float x) { return x / (1 + x * x); }\n"
          "void f(int n, const float* log, float* y) {\n  for (int i = 0; i < n; ++i) {\n"
          "    int round = i % 3;\n    y[i] = erf(log[i]) + expf(log[i]) + round;\n  }\n}\n",
          "f")
          .files.at("reference.cpp");
  EXPECT_TRUE(text.contains("static Real own_erf(Real x)")) << text;
  EXPECT_TRUE(text.contains("y[i] = own_erf(log[i]) + std::exp(log[i]) + round;")) << text;
  EXPECT_TRUE(text.contains("int round = i % 3;")) << text;
}

}  // namespace
}  // namespace kw::task
