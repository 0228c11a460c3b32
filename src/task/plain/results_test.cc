// Tests of numbers that a function returns.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/test_plain.h"

namespace kw::task {
namespace {

TEST(PlainResults, AreWrittenThroughAPointer) {
  const std::string dot =
      "double dot(int n, const double* a, const double* b) {\n  double s = 0;\n"
      "  for (int i = 0; i < n; ++i) s += a[i] * b[i];\n  return s;\n}\n";
  EXPECT_EQ(plain_text(dot),
            "void dot(int n, const double* a, const double* b, double* result) { double s = 0; "
            "for (int i = 0; i < n; ++i) s += a[i] * b[i]; result[0] = s; }");
  EXPECT_EQ(tensors_of(draft(dot)), "a in [n]; b in [n]; result out [1]");
  EXPECT_TRUE(plain_text("#include <stddef.h>\nextern \"C\" std::size_t count(int n, const int* "
                         "result) { return result[n - 1], n; }")
                  .ends_with("extern \"C\" void count(int n, const int* result, std::size_t* "
                             "result_2) { result_2[0] = ( result[n - 1], n); }"));
  EXPECT_EQ(plain_text("static inline unsigned long f(const int x[], int n) { return x[n]; }", "f"),
            "static inline void f(const int x[], int n, unsigned long* result) "
            "{ result[0] = x[n]; }");
}

TEST(PlainResults, NeedNoJumpWhereNothingFollows) {
  const std::string pick =
      "float pick(int n, const float* a) {\n  float m = a[0];\n"
      "  if (n < 0) { m = 1; return m; }\n  if (n == 1) return m;\n"
      "  for (int i = 0; i < n; ++i) m = a[i] > m ? a[i] : m;\n"
      "  if (m > 3) { return 3; } else { m += 1; return m; }\n}\n";
  EXPECT_EQ(plain_text(pick),
            "void pick(int n, const float* a, float* result) { float m = a[0]; "
            "if (n < 0) { m = 1; result[0] = m; } else { if (n == 1) result[0] = m; else { "
            "for (int i = 0; i < n; ++i) m = a[i] > m ? a[i] : m; "
            "if (m > 3) { result[0] = 3; } else { m += 1; result[0] = m; } }} }");
  EXPECT_EQ(tensors_of(draft(pick)), "a in [n]; result out [1]");
  const std::string find =
      "int find(int n, const float* a, float v) {\n  for (int i = 0; i < n; ++i)\n"
      "    if (a[i] == v) return i;\n  return -1;\n}\n";
  EXPECT_EQ(plain_text(find),
            "void find(int n, const float* a, float v, int* result) { for (int i = 0; i < n; ++i) "
            "if (a[i] == v) { result[0] = i; return; } result[0] = -1; }");
  EXPECT_EQ(draft(find).doubtful_outputs, std::vector<std::string>{"result"});
  EXPECT_EQ(
      plain_text("int f(int n, const int* a) {\n  if (n == 1)\n#ifdef __SSE2__\n    return 1;\n"
                 "#else\n    return a[0];\n#endif\n  return a[1];\n}\n"),
      "void f(int n, const int* a, int* result) { if (n == 1) #ifdef __SSE2__ "
      "{ result[0] = 1; return; } #else { result[0] = a[0]; return; } #endif "
      "result[0] = a[1]; }")
      << "an else would stand in one of two texts only";
}

TEST(PlainResults, OtherFunctionsOfTheFileAreLeftOut) {
  EXPECT_EQ(plain_text("static double sq(double x) { return x * x; }\n"
                       "double f(int n, const double* x) { return sq(x[n - 1]); }\n"
                       "int main() {\n  return f(0, 0);\n}\n",
                       "f"),
            "static double sq(double x) { return x * x; } "
            "void f(int n, const double* x, double* result) { result[0] = sq(x[n - 1]); }");
}

TEST(PlainResults, RefusesOthersThanNumbers) {
  const std::string about = "f.c:1:1 returned value";
  EXPECT_EQ(plain_text("double* f(int n, double* x) { return x + n; }"), about);
  EXPECT_EQ(plain_text("void* f(int n, double* x) { return x + n; }"), about);
  EXPECT_EQ(plain_text("struct p f(int n, double* x) { return p{x[n]}; }"), about);
  EXPECT_EQ(plain_text("std::vector<double> f(int n) { return {}; }"), about);
  EXPECT_EQ(plain_text("auto f(int n, const double* x) { return x[n]; }"), about);
  EXPECT_EQ(plain_text("int f(int n, const int* x) { auto g = [](int v) { return v; };\n"
                       "  return g(x[n]); }"),
            "f.c:1:39 lambda");
  EXPECT_EQ(plain_text("int f(int n, const int* x) { return n ? x[n] + f(n - 1, x) : 0; }"),
            "f.c:1:5 f");
  EXPECT_EQ(plain_text("#define GIVE(x) return x\nint f(int n, const int* x) { GIVE(x[n]); }"),
            "f.c:2:5 GIVE");
  EXPECT_EQ(plain_text("int f(int n, const int* x) { struct g { int h() { return 1; } };\n"
                       "  return x[n]; }"),
            "f.c:1:30 struct");
  EXPECT_THAT(plain_source("double* f(int n, double* x) { return x + n; }", "f.c", ""),
              IsErrorAbout(ErrorCode::Unsupported, "returned value"));
}

}  // namespace
}  // namespace kw::task
