// Tests of structs as parameters.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/error_for_test.h"
#include "task/plain/plain.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

std::string structs_text(std::string_view source) {
  const auto plain = plain_source(source, "f.c", "");
  return plain ? plain->source : place_and_about(plain.error());
}

/// What becomes of the function behind the definition of structs.
std::string structs_function(std::string_view definition, std::string_view function) {
  const std::string text = structs_text(std::string(definition) + std::string(function));
  return text.starts_with(definition) ? text.substr(definition.size()) : text;
}

constexpr std::string_view kBody =
    "typedef struct { double x, y; double w[2][3]; double m; } Body;\n";

TEST(PlainStructs, OfOneTypeBecomeRows) {
  const std::string source = std::string(kBody) +
                             "void step(int n, double dt, const Body* a, Body *restrict b) {\n"
                             "  for (int i = 0; i < n; i++) {\n"
                             "    b[i].x += dt * a[n - 1 - i].m;  // b[i].x\n"
                             "    b[i].w[1][i % 3] = a->y;\n  }\n}\n";
  EXPECT_EQ(structs_text(source),
            std::string(kBody) +
                "void step(int n, double dt, const double a[][9], double b[][9]) {\n"
                "  for (int i = 0; i < n; i++) {\n"
                "    b[i][0] += dt * a[n - 1 - i][8];  // b[i].x\n"
                "    b[i][2 + 1 * 3 + (i % 3)] = a[0][1];\n  }\n}\n");
  EXPECT_EQ(tensors_of(draft(source)), "a in [n, 9]; b inout [n, 9]");
  EXPECT_EQ(tensors_of(draft("struct Vec { float x, y; };\nstruct P { struct Vec at, v; };\n"
                             "void f(int n, const std::vector<P>& p, float* y) {\n"
                             "  for (int i = 0; i < n; ++i) y[i] = p[i].v.x;\n}\n")),
            "p in [n, 4]; y out [n]");
}

TEST(PlainStructs, OfSeveralTypesBecomeAnArrayForEachMember) {
  const char* const source =
      "struct Item { float v; int id; float w[3]; char unused; };\n"
      "void f(int n, const struct Item* a, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = a[i].v + a[a[i].id].w[2];\n}\n";
  EXPECT_THAT(structs_text(source),
              testing::HasSubstr("(int n, const float* a_v, const int* a_id, const float "
                                 "a_w[][3], float* y) {\n"
                                 "  for (int i = 0; i < n; ++i) y[i] = a_v[i] + a_w[a_id[i]][2];"));
  EXPECT_EQ(tensors_of(draft(source)), "a_v in [n]; a_id in [n]; a_w in [n, 3]; y out [n]");
}

TEST(PlainStructs, AloneBecomeAParameterForEachMember) {
  EXPECT_EQ(structs_function("struct Params { int n; float alpha; int unused; };\n",
                             "void f(struct Params p, const float* x, float* y) {\n"
                             "  for (int i = 0; i < p.n; ++i) y[i] = p.alpha * x[i];\n}\n"),
            "void f(int p_n, float p_alpha, const float* x, float* y) {\n"
            "  for (int i = 0; i < p_n; ++i) y[i] = p_alpha * x[i];\n}\n");
  const std::string matrix =
      "typedef struct Matrix { int rows, cols; double* data; } Matrix;\n"
      "void mv(const Matrix* m, const double* x, double* y) {\n"
      "  for (int i = 0; i < m->rows; ++i) {\n    double s = 0;\n"
      "    for (int j = 0; j < m->cols; ++j) s += (*m).data[i * m->cols + j] * x[j];\n"
      "    y[i] = s;\n  }\n}\n";
  EXPECT_EQ(tensors_of(draft(matrix)), "m_data in [m_rows, m_cols]; x in [m_cols]; y out [m_rows]");
  EXPECT_EQ(tensors_of(draft("struct Sums { float sum, last; };\n"
                             "void f(int n, const float* x, Sums& s) {\n"
                             "  s.sum = 0;\n  s.last = x[0];\n"
                             "  for (int i = 0; i < n; ++i) s.sum += x[i];\n}\n")),
            "x in [n]; s_sum out [1]; s_last out [1]");
  EXPECT_EQ(tensors_of(draft("struct Point { float x, y; };\n"
                             "struct Cloud { std::vector<Point> at; float** grid; float g; };\n"
                             "void f(int m, const Cloud& c, float* y) {\n"
                             "  for (size_t i = 0; i < c.at.size(); ++i) {\n"
                             "    y[i] = c.at[i].y * c.g;\n"
                             "    for (int j = 0; j < m; ++j) y[i] += c.grid[i][j];\n  }\n}\n")),
            "c_at in [c_at_size, 2]; c_grid in [c_at_size, m]; y out [c_at_size]");
}

TEST(PlainStructs, LocalNamesAreWhatTheyStandFor) {
  const auto body = [](const std::string& statements) {
    const std::string text = structs_function("struct P { float x, y; };\n",
                                              "void f(int n, P* b, float* y) {" + statements + "}");
    const std::size_t begin = text.find('{');
    return begin == std::string::npos ? text : text.substr(begin + 1, text.size() - begin - 2);
  };
  EXPECT_EQ(body("P* p = &b[n - 1]; p->x = (*p).y;"), " b[n - 1][0] = b[n - 1][1];");
  EXPECT_EQ(body("const P& p = b[n]; y[0] = p.x;"), " y[0] = b[n][0];");
  EXPECT_EQ(body("auto* p = b + n; p->x = 1;"), " b[n][0] = 1;");
  EXPECT_EQ(body("P t = b[n]; b[n] = b[0]; b[0] = t;"),
            "float t_x = b[n][0]; float t_y = b[n][1]; "
            "{ b[n][0] = b[0][0]; b[n][1] = b[0][1]; } { b[0][0] = t_x; b[0][1] = t_y; }");
  EXPECT_EQ(body("P t = {y[0], 2}, q;"), "f.c:2:32 t: struct");
  EXPECT_EQ(body("P t = {y[0]}; t.x += 1; P q; q.y = t.x; y[1] = q.y;"),
            "float t_x = y[0]; float t_y = 0; t_x += 1; float q_x; float q_y; q_y = t_x; "
            "y[1] = q_y;");
  EXPECT_EQ(body("const P d = {b[n].x - b[0].x, b[n].y,}; y[0] = d.x * d.y;"),
            "const float d_x = b[n][0] - b[0][0]; const float d_y = b[n][1]; y[0] = d_x * d_y;");
  EXPECT_EQ(body("P t = {b[0].y, b[n]};"), "f.c:2:47 b as a whole");
  EXPECT_EQ(body("int i = 0; P* p = &b[i]; ++i; p->x = 1;"), "f.c:2:43 p: struct");
  EXPECT_EQ(body("for (P* p = b; p < b + n; ++p) p->x = 1;"), "f.c:2:44 b as a whole");
}

TEST(PlainStructs, AreRefusedWhereTheyArePassedOn) {
  const auto error = [](std::string_view source) { return plain_source(source, "f.c", "f"); };
  EXPECT_THAT(error("struct C { float re, im; };\n"
                    "static C twice(C a) { a.re *= 2; return a; }\n"
                    "void f(int n, C* x) { x[n] = twice(x[0]); }"),
              IsErrorAbout(ErrorCode::Unsupported, "twice takes a struct"));
  EXPECT_THAT(error("struct C { float re, im; };\nvoid f(C* x, C* y) { memcpy(x, y, 8); }"),
              IsErrorAbout(ErrorCode::Unsupported, "x as a whole"));
  EXPECT_THAT(error("struct C { float re; float norm() { return re; } };\n"
                    "void f(C* x) { x[0].re = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "x: struct"));
  EXPECT_THAT(error("struct C { float re; };\nvoid f(C x[][8]) { x[0][1].re = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "x: dimensions"));
  EXPECT_THAT(error("struct C { float re; };\n#define RE x[0].re\nvoid f(C* x) { RE = 1; }"),
              IsErrorAbout(ErrorCode::Unsupported, "macro RE"));
  EXPECT_THAT(
      error("struct C { float re; int n; };\nvoid f(C* x) { int x_re = 1; x[0].re = x_re; }"),
      IsErrorAbout(ErrorCode::Unsupported, "x_re"));
  EXPECT_THAT(error("struct C { float w[2]; int n; };\nvoid f(C x, float* y) { x.w[0] = y[0]; }"),
              IsErrorAbout(ErrorCode::Unsupported, "x: copy"));
}

TEST(PlainStructs, LeaveOutFunctionsThatAreNotCalled) {
  EXPECT_EQ(structs_text("struct C { float x, y; };\nstatic void print(C* c) { c->x = 0; }\n"
                         "void f(int n, C* c) { c[n].x = 1; }\n"),
            "struct C { float x, y; };\n\nvoid f(int n, float c[][2]) { c[n][0] = 1; }\n");
}

TEST(PlainStructs, StructsOfStructsHaveAnEnd) {
  std::string source = "struct S0 { float x, y; };\n";
  for (int i = 1; i < 40; ++i)
    source += fmt::format("struct S{0} {{ struct S{1} a, b; }};\n", i, i - 1);
  EXPECT_EQ(error_of(source + "void f(int n, struct S39* s) {\n"
                              "  for (int i = 0; i < n; ++i) s[i].a.b = s[i].b.a;\n}\n"),
            "f.c:41:15 s: struct");
}

RC_GTEST_PROP(PlainStructsProperty, SurviveAnyText, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "void", "f", "(", ")", "{", "}", "int", "n", "const", "float", "*", "&", "b", "p", "S", "[",
      "]", "=", "0", ";", ",", ".", "->", "x", "w", "struct", "typedef", "using", "auto", "+"));
  std::string source;
  for (const auto& word : words) source += word + " ";
  (void)plain_source(source, "f.c", "");
  (void)plain_source("struct S { float x, w[2]; }; void f(int n, S* b, S p) {" + source + "}",
                     "f.c", "");
}

}  // namespace
}  // namespace kw::task
