// Tests with loops whose iterations write to separate memory, and loops that only seem to.
// SPDX-License-Identifier: Apache-2.0
#include "propose/independence.h"

#include <gtest/gtest.h>

namespace kw::propose {
namespace {

bool is_independent(std::string_view body, std::string_view header = "int i = 0; i < n; ++i",
                    std::vector<std::string> sums = {}) {
  const lex::Tokens head = lex::tokenize(header), inside = lex::tokenize(body);
  return has_independent_iterations(
      {{head.data(), head.size()}, {inside.data(), inside.size()}, std::move(sums)});
}

TEST(Independence, OfLoopsThatWriteApart) {
  EXPECT_TRUE(is_independent("y[i] = a * x[i] + y[i];"));
  EXPECT_TRUE(is_independent("sum += x[i];", "int i = 0; i < n; ++i", {"sum"}));
  EXPECT_TRUE(is_independent("for (int j = 0; j < m; ++j) y[j * n + i] = x[i * m + j];"));
  EXPECT_TRUE(is_independent("y[static_cast<std::size_t>(i) * pitch] = 0;"));
  EXPECT_TRUE(is_independent("y[n - 1 - i] = x[i];"));
}

TEST(Independence, FollowsPointersAndScalarsOfTheIteration) {
  EXPECT_TRUE(is_independent(R"({
    const Real* in = x + static_cast<std::size_t>(i) * pitch;
    Real* out = y + static_cast<std::size_t>(i) * pitch;
    Real sum = 0;
    for (int c = 0; c < cols; ++c) {
      sum += in[c];
      out[c] = sum;
    }
  })"));
  EXPECT_FALSE(is_independent("{ Real* out = y; out[0] = x[i]; }"));
  EXPECT_TRUE(is_independent(R"({
    Real scores[64];
    for (int j = 0; j < m; ++j) scores[j] = x[i * m + j];
    for (int j = 0; j < m; ++j) y[i * m + j] = scores[m - 1 - j];
  })"));
}

TEST(Independence, NotOfScattersNorOfPlacesThatIterationsShare) {
  EXPECT_FALSE(is_independent("++h[x[i]];"));
  EXPECT_FALSE(is_independent("{ const int bin = x[i]; h[bin] += 1; }"));
  EXPECT_FALSE(
      is_independent("{ const int b = static_cast<int>(std::floor(g[i])); u[b + i] = 1; }"));
  EXPECT_FALSE(is_independent("y[0] += x[i];"));
  EXPECT_FALSE(is_independent("for (int j = 0; j < m; ++j) y[j] += x[i * m + j];"));
  EXPECT_FALSE(is_independent("y[i / 2] = x[i];"));
  EXPECT_FALSE(is_independent("y[i % 3] = x[i];"));
  EXPECT_FALSE(is_independent("{ Real* next = u + ((i + 1) % 3) * level; next[5] = 1; }"));
}

TEST(Independence, NotWhereAnIterationNeedsAnother) {
  EXPECT_FALSE(is_independent("y[i] = y[i - 1] + x[i];"));
  EXPECT_FALSE(is_independent("{ last = 2 * x[i]; y[i] = last; }")) << "declared outside";
  EXPECT_FALSE(is_independent("{ best = best > x[i] ? best : x[i]; }"));
  EXPECT_FALSE(is_independent("for (j = 0; j < m; ++j) y[i * m + j] = 0;"))
      << "all threads would count with one j";
  EXPECT_FALSE(is_independent("for (int j = i; j < n; ++j) y[j] += x[i];"));
  EXPECT_FALSE(is_independent("*p++ = x[i];"));
  EXPECT_TRUE(is_independent("for (int c = 1; c < m; ++c) y[i * m + c] += y[i * m + c - 1];"))
      << "inside one row";
  EXPECT_FALSE(is_independent("y[i * m] = y[(i - 1) * m];"));
}

TEST(Independence, BelievesThatACallWritesWhereItsArgumentsPoint) {
  EXPECT_TRUE(
      is_independent("{ const std::ptrdiff_t row = i * sx; update(next + row, now, sx); }"));
  EXPECT_FALSE(is_independent("step(u, t);"));
}

TEST(Independence, IsDoubtedWhereTheTextIsOdd) {
  EXPECT_FALSE(is_independent("y[i] = 0;", "auto& v : all"));
  for (const char* text : {"y[", "=", "++", "y]", "*", "{ int", "int a[", "f(", "for (", "y[i] ="})
    is_independent(text);
}

}  // namespace
}  // namespace kw::propose
