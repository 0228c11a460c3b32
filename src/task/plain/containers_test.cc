// Tests of vectors, spans and arrays as parameters.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/error_for_test.h"
#include "task/plain/plain.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

Result<PlainSource> plain_containers(std::string_view source) {
  return plain_source(source, "f.c", "");
}

/// The source as it is rewritten, or "PLACE ABOUT" of the refusal.
std::string containers_text(std::string_view source) {
  const auto plain = plain_containers(source);
  return plain ? plain->source : place_and_about(plain.error());
}

TEST(PlainContainers, BecomePointersAndSizes) {
  const char* const saxpy =
      "void saxpy(float a, const std::vector<float>& x, std::vector<float> &y) {\n"
      "  for (std::size_t i = 0; i < x.size(); ++i) y[i] = a * x.at(i) + y[i];  // x.size()\n}\n";
  EXPECT_EQ(containers_text(saxpy),
            "void saxpy(float a, const float* x, int x_size, float* y) {\n"
            "  for (std::size_t i = 0; i < x_size; ++i) y[i] = a * x[i] + y[i];  // x.size()\n}\n");
  EXPECT_EQ(tensors_of(draft(saxpy)), "x in [x_size]; y inout [x_size]");
  EXPECT_EQ(draft(saxpy).notes.size(), 3u) << "one for each container, and the words";
  EXPECT_EQ(tensors_of(draft("void f(int n, std::span<const double> x, std::span<double> y) {\n"
                             "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n")),
            "x in [n]; y out [n]")
      << "a size that the code does not ask for is not passed";
}

TEST(PlainContainers, KeepTheTypeOfASizeWhereItMatters) {
  const std::string head = "void f(const std::vector<int>& x, std::vector<int>& y) {\n  ";
  const auto body = [&](const std::string& statement) {
    const std::string text = containers_text(head + statement + "\n}\n");
    const std::size_t begin = text.find('{');
    return begin == std::string::npos ? text : text.substr(begin + 4, text.size() - begin - 7);
  };
  EXPECT_EQ(body("y[0] = -1 < x.size();"), "y[0] = -1 < (size_t)x_size;");
  EXPECT_EQ(body("auto n = x.size();"), "auto n = (size_t)x_size;");
  EXPECT_EQ(body("int n = x.size(), m = x.size();"), "int n = x_size, m = x_size;");
  EXPECT_EQ(body("y[0] = static_cast<int>(x.size()) / 2;"), "y[0] = static_cast<int>(x_size) / 2;");
  EXPECT_EQ(body("y[x.size() - 1] = x.back() + x.front();"),
            "y[x_size - 1] = x[x_size - 1] + x[0];");
  EXPECT_EQ(body("y[(0 - 1) % x.size()] = x.empty();"),
            "y[(0 - 1) % (size_t)x_size] = (x_size == 0);");
}

TEST(PlainContainers, ShareSizesThatTheCodeComparesOrGives) {
  EXPECT_EQ(tensors_of(draft("void f(const std::vector<float>& x, std::vector<float>& y, int n) {\n"
                             "  assert(x.size() == y.size() && (int)y.size() == n);\n"
                             "  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i];\n}\n")),
            "x in [n]; y out [n]");
  EXPECT_EQ(tensors_of(draft("void f(const std::vector<float>& x, std::vector<float>& y) {\n"
                             "  if (x.size() != y.size()) { throw 1; }\n"
                             "  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i];\n}\n")),
            "x in [x_size]; y out [x_size]");
  EXPECT_EQ(tensors_of(draft("void f(const std::vector<float>& x, std::vector<float>& y) {\n"
                             "  y.resize(x.size());\n"
                             "  for (size_t i = 0; i < y.size(); ++i) y[i] = x[i];\n}\n")),
            "x in [x_size]; y out [x_size]");
  EXPECT_EQ(tensors_of(draft("void f(const std::vector<float>& x, const std::vector<float>& w,\n"
                             "       std::vector<float>& y) {\n"
                             "  const size_t n = x.size();\n  y.resize(n);\n"
                             "  for (size_t i = 0; i < n; ++i) y[i] = x[i] * w[0];\n}\n")),
            "x in [x_size]; w in [1]; y out [x_size]");
  EXPECT_EQ(containers_text("void f(int n, std::vector<float>& y) {\n"
                            "  y.assign(2 * n, 0.5f);\n  std::fill(y.begin(), y.end(), n);\n}\n"),
            "void f(int n, float* y) {\n"
            "  for (int y_at = 0; y_at < (2 * n); ++y_at) y[y_at] = 0.5f;\n"
            "  for (int y_at_2 = 0; y_at_2 < (2 * n); ++y_at_2) y[y_at_2] = n;\n}\n");
}

TEST(PlainContainers, WalkByIndex) {
  const char* const source =
      "void f(const std::vector<float>& x, std::vector<float>& y) {\n"
      "  float s = 0;\n"
      "  for (float v : x) s += v;\n"
      "  for (auto v : x) { s += v; }\n"
      "  for (auto& v : y) v *= s;\n}\n";
  EXPECT_EQ(containers_text(source),
            "void f(const float* x, int x_size, float* y, int y_size) {\n"
            "  float s = 0;\n"
            "  for (int v_at = 0; v_at < x_size; ++v_at) { float v = x[v_at]; s += v; }\n"
            "  for (int v_at_2 = 0; v_at_2 < x_size; ++v_at_2) { float v = x[v_at_2]; s += v; }\n"
            "  for (int v_at_3 = 0; v_at_3 < y_size; ++v_at_3) y[v_at_3] *= s;\n}\n");
  EXPECT_EQ(tensors_of(draft(source)), "x in [x_size]; y inout [y_size]");
}

TEST(PlainContainers, OfContainersBecomeRows) {
  EXPECT_EQ(tensors_of(draft("using Matrix = std::vector<std::vector<double>>;\n"
                             "void mm(const Matrix& a, const Matrix& b, Matrix& c) {\n"
                             "  for (size_t i = 0; i < a.size(); ++i)\n"
                             "    for (size_t j = 0; j < b[0].size(); ++j) {\n"
                             "      c[i][j] = 0;\n"
                             "      for (size_t k = 0; k < b.size(); ++k)\n"
                             "        c[i][j] += a[i][k] * b[k][j];\n    }\n}\n")),
            "a in [a_size, b_size]; b in [b_size, b_cols]; c out [a_size, b_cols]");
  EXPECT_EQ(tensors_of(draft("void f(std::vector<std::vector<float>>& a) {\n"
                             "  for (auto& row : a) for (float& v : row) v *= 2;\n}\n")),
            "a inout [a_size, a_cols]");
  EXPECT_EQ(tensors_of(draft("void f(int n, const std::vector<std::array<float, 3>>& p,\n"
                             "       const std::array<float, 3>& w, std::vector<float>& y) {\n"
                             "  for (int i = 0; i < n; ++i) {\n    const auto& q = p[i];\n"
                             "    y[i] = 0;\n    for (float c : w) y[i] += c * q[1];\n  }\n}\n")),
            "p in [n, 3]; w in [3]; y out [n]");
}

TEST(PlainContainers, LocalReferencesAndPointersAreWhatTheyStandFor) {
  EXPECT_EQ(
      containers_text("void f(int n, std::vector<float>& x, const std::vector<int>& at) {\n"
                      "  float* const p = x.data();\n"
                      "  for (int i = 0; i < n; ++i) { float& v = x[at[i]]; v += p[i]; }\n}\n"),
      "void f(int n, float* x, const int* at) {\n  \n"
      "  for (int i = 0; i < n; ++i) {  x[at[i]] += x[i]; }\n}\n");
  EXPECT_EQ(containers_text("void f(std::vector<float>& x) {\n"
                            "  int i = 0;\n  float& v = x[i];\n  ++i;\n  v = 1;\n}\n"),
            "f.c:3:14 v: reference");
}

TEST(PlainContainers, AreRefusedWhereTheirSizeChangesOrTheyArePassedOn) {
  const auto error = [](const std::string& body) {
    const auto plain = plain_containers(
        "void f(int n, const std::vector<float>& x, std::vector<float>& y) { " + body + " }");
    return plain ? "fine: " + plain->source : plain.error().about;
  };
  EXPECT_EQ(error("y.push_back(1);"), "y.push_back");
  EXPECT_EQ(error("y[0] = 1; y.resize(n);"), "y.resize");
  EXPECT_EQ(error("y.resize(n, 1.0f);"), "y.resize");
  EXPECT_EQ(error("if (n) y.assign(n, 0);"), "y.assign");
  EXPECT_EQ(error("y[0] = std::accumulate(x.begin(), x.end(), 0.0f);"), "x.begin");
  EXPECT_EQ(error("y[0] = norm(x);"), "x as a whole");
  EXPECT_EQ(error("y = x;"), "x as a whole");
  EXPECT_EQ(error("for (int i = 0; i < n; ++i) { float x = 1; y[i] = x; }"), "x twice");
  EXPECT_THAT(plain_containers("void f(std::vector<float> x) { x[0] = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "x: copy"));
  EXPECT_THAT(plain_containers("void f(std::vector<float>* x) { (*x)[0] = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "x: pointer to a container"));
  EXPECT_THAT(plain_containers("#define N x.size()\nvoid f(std::vector<float>& x) { x[0] = N; }"),
              IsErrorAbout(ErrorCode::Unsupported, "macro N"));
}

RC_GTEST_PROP(PlainContainersProperty, SurviveAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "void", "f", "(", ")", "{", "}", "int", "n", "const", "float", "*", "x", "y", "[", "]", "=",
      "0", ";", "for", "<", ">", ">>", ",", ":", "::", "std", "vector", "array", "auto", "&", ".",
      "size", "at", "resize", "begin", "assert", "==", "using", "v"));
  std::string source;
  for (const auto& word : words) source += word + " ";
  (void)plain_containers(source);
  (void)plain_containers("void f(int n, std::vector<float>& x, std::vector<std::vector<int>> y) {" +
                         source + "}");
}

}  // namespace
}  // namespace kw::task
