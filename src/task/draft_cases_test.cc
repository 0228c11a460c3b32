// Tests of what drafted workloads hold besides plain noise.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "task/test_draft.h"

namespace kw::task {
namespace {

/// The names of the special check workloads with the inputs that they change: "zeros x; …".
std::string cases_of(const Draft& drafted) {
  std::string text;
  for (const DraftedCase& one : drafted.sizes.cases) {
    text += (text.empty() ? "" : "; ") + one.name;
    for (const auto& [input, values] : one.values) text += " " + input;
  }
  const auto definition = parse_task({"draft", drafted.files});
  return definition ? text : place_and_about(definition.error());
}

TEST(DraftedCases, ALargestNumberBeforeAnExponentialIsNeeded) {
  const Draft softmax = draft(
      "#include <math.h>\n"
      "void softmax(int n, int m, const double* x, double* y) {\n"
      "  for (int i = 0; i < n; ++i) {\n"
      "    double most = x[i * m], sum = 0;\n"
      "    for (int j = 1; j < m; ++j) if (x[i * m + j] > most) most = x[i * m + j];\n"
      "    for (int j = 0; j < m; ++j) { y[i * m + j] = exp(x[i * m + j] - most);\n"
      "      sum += y[i * m + j]; }\n"
      "    for (int j = 0; j < m; ++j) y[i * m + j] /= sum;\n  }\n}\n");
  ASSERT_EQ(cases_of(softmax), "far_from_zero x");
  EXPECT_EQ(softmax.sizes.cases[0].values.at("x"), "{ kind: normal, mean: 1000, std: 3 }");
}

TEST(DraftedCases, ACallMayFindTheLargestNumber) {
  EXPECT_EQ(cases_of(draft("#include <math.h>\n"
                           "void lse(int n, int m, const float x[n][m], float y[n]) {\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    float most = x[i][0], sum = 0;\n"
                           "    for (int j = 0; j < m; ++j) most = fmaxf(most, x[i][j]);\n"
                           "    for (int j = 0; j < m; ++j) sum += expf(x[i][j] - most);\n"
                           "    y[i] = most + logf(sum);\n  }\n}\n")),
            "far_from_zero x");
}

TEST(DraftedCases, ALargestNumberMayGrowBesideTheSum) {
  EXPECT_EQ(cases_of(draft("#include <math.h>\n"
                           "void f(int n, int m, const float* x, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    float last = x[i * m], sum = 0;\n"
                           "    for (int j = 0; j < m; ++j) {\n"
                           "      float next = fmaxf(last, x[i * m + j]);\n"
                           "      sum = sum * expf(last - next) + expf(x[i * m + j] - next);\n"
                           "      last = next;\n    }\n"
                           "    y[i] = last + logf(sum);\n  }\n}\n")),
            "far_from_zero x");
}

TEST(DraftedCases, OtherExponentialsStayNearZero) {
  EXPECT_EQ(cases_of(draft("#include <math.h>\n"
                           "void f(int n, float a, const float* x, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) y[i] = expf(x[i] - a);\n}\n")),
            "");
}

TEST(DraftedCases, SumsThatAreComparedWithSmallNumbersAreSometimesZero) {
  const char* const before =
      "#include <math.h>\n"
      "void f(int n, int m, const double *x, double *s) {\n"
      "  for (int i = 0; i < n; i++) {\n"
      "    double eps = 0.1, sum = 0;\n"
      "    for (int j = 0; j < m; j++) sum += x[i * m + j] * x[i * m + j];\n";
  for (const char* const what :
       {"s[i] = sum <= 0.1 ? 1.0 : sum;", "s[i] = eps < sum ? sum : 1.0;",
        "if (sqrt(sum) > 1e-6) s[i] = 1 / sum; else s[i] = 0;", "s[i] = 1 / fmax(sum, 1e-12);",
        "s[i] = sum == 0 ? 0 : 1 / sum;", "s[i] = 1 / sqrt(sum / m + 1e-5);",
        "sum += (double)(1e-5); s[i] = 1 / (sum + 1e-5);"})
    EXPECT_EQ(cases_of(draft(std::string(before) + what + "\n  }\n}\n")),
              "zero_rows x; zero_columns x; zeros x")
        << what;
  for (const char* const what : {"s[i] = sum;", "s[i] = sum <= 40.0 ? 1.0 : sum;",
                                 "s[i] = sum > 0 ? sum : 0;", "s[i] = sum + 0.5;"})
    EXPECT_EQ(cases_of(draft(std::string(before) + what + "\n  }\n}\n")), "") << what;
}

TEST(DraftedCases, NoiseItselfIsOnBothSidesOfANumber) {
  EXPECT_EQ(cases_of(draft("void f(int n, const float* x, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) y[i] = x[i] < 0.1f ? 0 : x[i];\n}\n")),
            "");
}

TEST(DraftedCases, StepsSpanAFewUnitsAtEachSize) {
  const Draft plane = draft(
      "void f(int w, int h, double x0, double y0, double dx, double dy, double* out) {\n"
      "  for (int i = 0; i < h; i++)\n    for (int j = 0; j < w; j++) {\n"
      "      double x = x0 + j * dx, y = (i + 0.5) * dy + y0;\n"
      "      out[i * w + j] = x * x - y;\n    }\n}\n");
  ASSERT_EQ(plane.sizes.steps.size(), 2U);
  const auto definition = parse_task({"draft", plane.files});
  ASSERT_TRUE(definition) << place_and_about(definition.error());
  const std::string& shapes = plane.files.at("shapes.yaml");
  std::size_t lines = 0;
  for (std::size_t at = shapes.find("w: "); at != std::string::npos;
       at = shapes.find(", w: ", at + 1)) {
    const auto number = [&](const std::string& name) {
      return std::strtod(shapes.c_str() + shapes.find(name + ": ", at) + name.size() + 2, nullptr);
    };
    EXPECT_NEAR(number("w") * number("dx"), 3, 0.01);
    EXPECT_NEAR(number("h") * number("dy"), 2.5, 0.01);
    EXPECT_EQ(number("x0"), -1.875);
    EXPECT_LT(number("y0"), -1);
    ++lines;
  }
  EXPECT_GT(lines, 6U);
}

TEST(DraftedCases, WhatIsMoreThanAStepStaysWhatItIs) {
  EXPECT_TRUE(draft("void f(int n, double dx, const double* x, double* y) {\n"
                    "  for (int i = 0; i < n; i++) y[i] = x[i] / (dx * dx) + i * dx;\n}\n")
                  .sizes.steps.empty());
}

TEST(DraftedCases, WorkloadsOfSpecialCasesMayBeLeftOut) {
  DraftChoices choices;
  choices.has_cases = false;
  const auto drafted = draft_from_source(
      "void f(int n, int m, const float x[n][m], float y[n]) {\n"
      "  for (int i = 0; i < n; i++) {\n    float s = 0;\n"
      "    for (int j = 0; j < m; j++) s += x[i][j];\n    y[i] = s < 0.1f ? 1 : s;\n  }\n}\n",
      "f.c", "", "", choices);
  ASSERT_TRUE(drafted);
  EXPECT_EQ(cases_of(*drafted), "");
}

TEST(DraftedCases, ColumnsThatBecomeOrthogonalAreLong) {
  const Draft columns = draft(
      "#include <math.h>\n"
      "void qr(int m, int n, double a[m][n], double r[n][n], double q[m][n]) {\n"
      "  for (int k = 0; k < n; k++) {\n    double s = 0;\n"
      "    for (int i = 0; i < m; i++) s += a[i][k] * a[i][k];\n    r[k][k] = sqrt(s);\n"
      "    for (int i = 0; i < m; i++) q[i][k] = a[i][k] / r[k][k];\n"
      "    for (int j = k + 1; j < n; j++) {\n      r[k][j] = 0;\n"
      "      for (int i = 0; i < m; i++) r[k][j] += q[i][k] * a[i][j];\n"
      "      for (int i = 0; i < m; i++) a[i][j] = a[i][j] - q[i][k] * r[k][j];\n"
      "    }\n  }\n}\n");
  EXPECT_EQ(columns.sizes.longer + " > " + columns.sizes.shorter, "m > n");
  const auto definition = parse_task({"draft", columns.files});
  ASSERT_TRUE(definition) << place_and_about(definition.error());
  for (const WorkloadSpec& spec : definition->workloads)
    EXPECT_GT(spec.dims.at("m"), spec.dims.at("n")) << spec.name;
}

TEST(DraftedCases, ABonusMattersBesideWhatItIsAddedTo) {
  const Draft pairs = draft(
      "int most(int a, int b) { return a > b ? a : b; }\n"
      "void score(int n, const int seq[n], int table[n][n]) {\n"
      "  for (int i = n - 2; i >= 0; i--)\n    for (int j = i + 1; j < n; j++)\n"
      "      table[i][j] = table[i + 1][j - 1] + (seq[i] == seq[j] ? 1 : 0) > table[i][j]\n"
      "          ? table[i + 1][j - 1] + (seq[i] == seq[j] ? 1 : 0) : table[i][j];\n}\n",
      "score");
  EXPECT_NE(pairs.files.at("task.yaml").find("values: { kind: integers, lo: 0, hi: 2 }"),
            std::string::npos)
      << pairs.files.at("task.yaml");
  const Draft walk = draft(
      "void paths(int n, int d[n][n]) {\n"
      "  for (int k = 0; k < n; k++)\n    for (int i = 0; i < n; i++)\n"
      "      for (int j = 0; j < n; j++)\n"
      "        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];\n}\n");
  EXPECT_EQ(walk.files.at("task.yaml").find("lo: 0, hi: 2 }"), std::string::npos);
}

TEST(DraftedCases, AFactorOfElementsIsNoStep) {
  EXPECT_TRUE(draft("void f(int n, float a, const float* x, float* y) {\n"
                    "  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];\n}\n")
                  .sizes.steps.empty());
}

TEST(DraftedCases, LinesArePlantedOnlyAlongWhatIsSummed) {
  const Draft nearest = draft(
      "void assign(const float* points, const float* centres, int* labels, int n, int k, int d) {\n"
      "  for (int i = 0; i < n; i++) {\n    float best = 1e30f;\n    int at = 0;\n"
      "    for (int c = 0; c < k; c++) {\n      float sum = 0;\n"
      "      for (int j = 0; j < d; j++) {\n"
      "        float t = points[i * d + j] - centres[c * d + j];\n        sum += t * t;\n      }\n"
      "      if (sum < best) { best = sum; at = c; }\n    }\n    labels[i] = at;\n  }\n}\n");
  EXPECT_NE(nearest.files.at("task.yaml").find("centres: { kind: planted, std: 1, over: 1 }"),
            std::string::npos)
      << nearest.files.at("task.yaml");
}

/// The line of task.yaml that names the family.
std::string family_in(const Draft& drafted) {
  const std::string& yaml = drafted.files.at("task.yaml");
  const std::size_t at = yaml.find("family: ");
  return yaml.substr(at + 8, yaml.find('\n', at) - at - 8);
}

TEST(DraftedCases, NeighboursThatReplaceElementsAreAStencil) {
  EXPECT_EQ(family_in(draft("void f(int t, int n, double a[n], double b[n]) {\n"
                            "  for (int s = 0; s < t; s++)\n    for (int i = 1; i < n - 1; i++)\n"
                            "      a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;\n}\n")),
            "stencil");
  EXPECT_EQ(family_in(draft("void f(int t, int n, double a[n], const double b[n]) {\n"
                            "  for (int s = 0; s < t; s++)\n    for (int i = 1; i < n; i++)\n"
                            "      a[i] = a[i] - 0.5 * (b[i] - b[i - 1]);\n}\n")),
            "stencil");
}

TEST(DraftedCases, ARecurrenceThroughLocalsIsAScan) {
  EXPECT_EQ(family_in(draft("void f(int w, int h, const double x[w][h], double y[w][h]) {\n"
                            "  double before, older;\n  for (int i = 0; i < w; i++) {\n"
                            "    before = 0; older = 0;\n    for (int j = 0; j < h; j++) {\n"
                            "      y[i][j] = x[i][j] + 0.5 * before - 0.25 * older;\n"
                            "      older = before;\n      before = y[i][j];\n    }\n  }\n}\n")),
            "scan");
}

/// "k:window s:stride": the dims that are neither sizes nor numbers of steps.
std::string small_dims(const Draft& drafted) {
  std::string text;
  for (const DraftedDim& dim : drafted.sizes.dims)
    if (dim.use == DimUse::Window || dim.use == DimUse::Stride || dim.use == DimUse::Place)
      text += (text.empty() ? "" : " ") + dim.name +
              (dim.use == DimUse::Window   ? ":window"
               : dim.use == DimUse::Stride ? ":stride"
                                           : ":place");
  return text;
}

TEST(DraftedCases, AnIndexThatIsAParameterIsSmall) {
  EXPECT_EQ(small_dims(draft("void f(int n, int from, const float* x, float* y) {\n"
                             "  for (int i = 0; i < n; i++) y[i] = x[i] - x[from];\n}\n")),
            "from:place");
  EXPECT_EQ(small_dims(draft("void f(int n, const float* x, float* y) {\n"
                             "  for (int i = 0; i < n; i++) y[i] = x[i] - x[n];\n}\n")),
            "");
}

TEST(DraftedCases, WindowsAndTheirStepsAreSmall) {
  const Draft one = draft(
      "void f(int n, int k, const float* x, const float* w, float* y) {\n"
      "  for (int i = 0; i < n - k + 1; i++) {\n    float s = 0;\n"
      "    for (int j = 0; j < k; j++) s += x[i + j] * w[j];\n    y[i] = s;\n  }\n}\n");
  EXPECT_EQ(small_dims(one), "k:window");
  const auto definition = parse_task({"draft", one.files});
  ASSERT_TRUE(definition.has_value());
  for (const WorkloadSpec& spec : definition->workloads) {
    EXPECT_GE(spec.dims.at("k"), 2) << spec.name;
    EXPECT_LT(spec.dims.at("k"), spec.dims.at("n")) << spec.name;
  }
  EXPECT_EQ(small_dims(draft(
                "void f(int h, int w, int kh, int kw, int s, const float* x, const float* k,\n"
                "       float* y) {\n"
                "  int oh = (h - kh) / s + 1, ow = (w - kw) / s + 1;\n"
                "  for (int i = 0; i < oh; i++)\n    for (int j = 0; j < ow; j++) {\n"
                "      float t = 0;\n      for (int a = 0; a < kh; a++)\n"
                "        for (int b = 0; b < kw; b++)\n"
                "          t += x[(i * s + a) * w + j * s + b] * k[a * kw + b];\n"
                "      y[i * ow + j] = t;\n    }\n}\n")),
            "kh:window kw:window s:stride");
  EXPECT_EQ(small_dims(draft("void f(int n, int m, const float* x, float* y) {\n"
                             "  for (int i = 0; i < n - 1; i++)\n"
                             "    for (int j = 0; j < m; j++) y[i * m + j] = x[i * m + j] / n;\n"
                             "}\n")),
            "")
      << "a number is subtracted, and a real number divided";
}

TEST(DraftedCases, TheSecondGateBearsAnotherOrder) {
  const auto definition =
      parse_task({"draft", draft("void f(int n, const double* x, double* y) {\n"
                                 "  for (int i = 0; i < n; i++) y[i] = x[i] / 9.0;\n}\n")
                               .files});
  ASSERT_TRUE(definition);
  EXPECT_EQ(definition->task.gate.rms_factor, 32);
}

TEST(DraftedCases, ClampsThatNoiseDoesNotReachAreReached) {
  const Draft relu6 = draft(
      "void relu6(int n, const float* x, float* y) {\n  for (int i = 0; i < n; ++i) {\n"
      "    float v = x[i];\n    if (v < 0) v = 0;\n    if (v > 6.0f) v = 6.0f;\n    y[i] = v;\n"
      "  }\n}\n");
  ASSERT_EQ(cases_of(relu6), "beyond_limits x");
  EXPECT_EQ(relu6.sizes.cases[0].values.at("x"), "{ kind: uniform, lo: -12, hi: 12 }");
  const Draft clip = draft(
      "#include <math.h>\nvoid clip(int n, const float* x, const float* z, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = z[i] + fminf(fmaxf(x[i], -10.0f), 10.0f);\n}\n");
  ASSERT_EQ(cases_of(clip), "beyond_limits x");
  EXPECT_EQ(clip.sizes.cases[0].values.at("x"), "{ kind: uniform, lo: -20, hi: 20 }");
  EXPECT_EQ(cases_of(draft("void f(int n, const float* x, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) y[i] = x[i] > 1 ? 1 : x[i];\n}\n")),
            "");
}

TEST(DraftedCases, LimitsMayBeMacrosAndOfIntegers) {
  EXPECT_EQ(cases_of(draft("#define LIMIT (6.0f)\nvoid f(int n, const float* x, float* y) {\n"
                           "  for (int i = 0; i < n; ++i) y[i] = x[i] > LIMIT ? LIMIT : x[i];\n"
                           "}\n")),
            "beyond_limits x");
  const Draft gain = draft(
      "void gain(int n, int g, const short* x, short* y) {\n  for (int i = 0; i < n; ++i) {\n"
      "    int v = x[i] * g;\n    if (v > 32767) v = 32767;\n"
      "    if (v < -32768) v = -32768;\n    y[i] = v;\n  }\n}\n");
  ASSERT_EQ(cases_of(gain), "beyond_limits x");
  EXPECT_EQ(gain.sizes.cases[0].values.at("x"), "{ kind: integers, lo: -32768, hi: 32767 }");
}

TEST(DraftedCases, AScalarThatIsToldFromZeroIsZeroOnce) {
  const Draft axpby = draft(
      "void axpby(int n, float a, float b, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) { if (b == 0.0f) y[i] = a * x[i];\n"
      "    else y[i] = a * x[i] + b * y[i]; }\n}\n");
  EXPECT_EQ(cases_of(axpby), "b_is_0");
  EXPECT_TRUE(axpby.files.at("shapes.yaml").contains("b_is_0, n: 255, scalars: { b: 0 }"));
}

}  // namespace
}  // namespace kw::task
