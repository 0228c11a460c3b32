// Tests of which sums are moved into local variables, and which must stay in memory.
// SPDX-License-Identifier: Apache-2.0
#include "propose/accumulators.h"

#include <gtest/gtest.h>

namespace kw::propose {
namespace {

TEST(Accumulators, TakeEveryFormOfASum) {
  const auto loop = [](const std::string& statement) {
    return "  for (int j = 0; j < n; ++j) " + statement + "\n";
  };
  const auto changed = [&](const std::string& place, const std::string& statement) {
    return "  {\n  auto kw_sum0 = " + place + ";\n" + loop(statement) + "  " + place +
           " = kw_sum0;\n  }\n";
  };
  EXPECT_EQ(with_accumulators(loop("y[i] += a[j];")), changed("y[i]", "kw_sum0 += a[j];"));
  EXPECT_EQ(with_accumulators(loop("y[i] -= a[j] - b;")),
            changed("y[i]", "kw_sum0 += -(a[j] - b);"));
  EXPECT_EQ(with_accumulators(loop("y[i] *= a[j];")), changed("y[i]", "kw_sum0 *= a[j];"));
  EXPECT_EQ(with_accumulators(loop("c[i * n + k] = c[i * n + k] + a[j] * b[j];")),
            changed("c[i * n + k]", "kw_sum0 += a[j] * b[j];"));
  EXPECT_EQ(with_accumulators(loop("y[i][0] = y[i][0] - a[j] + b;")),
            changed("y[i][0]", "kw_sum0 += - a[j] + b;"));
  EXPECT_EQ(with_accumulators(loop("if (a[j] > 0) y[i] += a[j];")),
            changed("y[i]", "if (a[j] > 0) kw_sum0 += a[j];"));
}

TEST(Accumulators, LeaveAloneWhatIsNoSumAtOnePlace) {
  for (const char* loop :
       {"for (int j = 0; j < n; ++j) y[j] += a[i];",            // another place each time
        "for (int j = 0; j < n; ++j) { y[k] += a[j]; ++k; }",   // another place each time
        "for (int j = 0; j < n; ++j) y[i] += y[j];",            // read elsewhere
        "for (int j = 0; j < n; ++j) y[i] = y[i] + a[j] > 0;",  // no sum
        "for (int j = 0; j < n; ++j) y[i] = a[j];",             // no sum
        "for (int j = 0; j < n; ++j) y[f()] += a[j];",          // f() may change
        "for (int j = 0; j < n; ++j) { y[i] += a[j]; if (y[i] > 9) break; }",
        "for (int j = 0; j < n; ++j) { if (a[j] < 0) return; y[i] += a[j]; }",
        "for (int j = 0; j < n; ++j) { float* r = y + j; r[0] += a[j]; }",
        "for (int j = 0; j < n; ++j) { int k = b[j]; y[k] += a[j]; }",  // a histogram
        "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) y[i + j] += a[j];",
        "for (int j = 0; j < n; y[i] += a[j], ++j) ;", "for (;;) y[i] +=", "y[i] += a[j];"})
    EXPECT_EQ(with_accumulators(loop), loop);
}

TEST(Accumulators, OneLoopMayHaveSeveral) {
  EXPECT_EQ(with_accumulators("for (int j = 0; j < n; ++j) { y[i] += a[j]; z[0] += b[j]; }"),
            "{\nauto kw_sum0 = y[i];\nauto kw_sum1 = z[0];\n"
            "for (int j = 0; j < n; ++j) { kw_sum0 += a[j]; kw_sum1 += b[j]; }\n"
            "y[i] = kw_sum0;\nz[0] = kw_sum1;\n}");
}

TEST(Accumulators, EachLoopHasItsOwn) {
  const std::string text = with_accumulators(
      "for (int i = 0; i < n; ++i) {\n  for (int j = 0; j < n; ++j) { y[i] += a[j]; }\n"
      "  for (int j = 0; j < n; ++j) z[i] += b[j];\n}\n");
  EXPECT_EQ(text,
            "for (int i = 0; i < n; ++i) {\n  {\n  auto kw_sum0 = y[i];\n"
            "  for (int j = 0; j < n; ++j) { kw_sum0 += a[j]; }\n  y[i] = kw_sum0;\n  }\n"
            "  {\n  auto kw_sum1 = z[i];\n  for (int j = 0; j < n; ++j) kw_sum1 += b[j];\n"
            "  z[i] = kw_sum1;\n  }\n}\n");
}

}  // namespace
}  // namespace kw::propose
