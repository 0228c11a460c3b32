// Tables of small host functions with the plans or refusals that they must give; for tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "import/plan_draft.h"

namespace kw::import {

/// Kernels that the host functions of the test tables launch.
inline constexpr std::string_view kTableKernels =
    "__global__ void k(const float* x, float* y, int n) { y[0] = x[n]; }\n"
    "__global__ void k2(const float* x, float* y, int n, int m) { y[0] = x[n] * m; }\n"
    "__global__ void kf(const float* x, float* y, int n, float s) { y[0] = x[n] * s; }\n"
    "__global__ void kb(const float* x, float* y, int n, bool b) { y[0] = b ? x[n] : 0; }\n"
    "__global__ void kd(const float* x, float* y, int n, float s = 2.0f) { y[0] = x[n] * s; }\n";

/// One source with the expected draft. `expected` has the lines of the plan, each with its line
/// end. If it begins with `!`, no plan may be drafted, and the rest of `expected` must be part of
/// the message about what is missing.
struct DraftCase {
  std::string_view source;
  std::string_view expected;
};

/// The plan's lines without `// kw: `, or `! ` and everything that is missing.
inline std::string drafted_lines(const std::string& source,
                                 const task::Definition* task = nullptr) {
  const PlanDraft draft = draft_plan(source, "f.cu", task);
  std::string lines;
  for (const Finding& finding : draft.missing)
    lines += (lines.empty() ? "! " : "; ") + finding.place + ": " + finding.text;
  if (!lines.empty()) return lines;
  for (const std::string_view line : split_lines(draft.source))
    if (line.starts_with("// kw: ")) lines += std::string(line.substr(7)) + "\n";
  return lines;
}

inline void expect_drafts(std::span<const DraftCase> cases, std::string_view before,
                          std::string_view behind) {
  for (const auto& [source, expected] : cases) {
    const std::string lines = drafted_lines(std::string(kTableKernels) + std::string(before) +
                                            std::string(source) + std::string(behind));
    if (expected.starts_with('!')) {
      EXPECT_TRUE(lines.starts_with("! ") && lines.contains(expected.substr(1))) << source << "\n"
                                                                                 << lines;
    } else {
      EXPECT_EQ(lines, expected) << source;
    }
  }
}

/// Expects drafts from functions `solve(x, y, n, m)`, of which each case's source gives the body.
inline void expect_bodies(std::span<const DraftCase> cases) {
  expect_drafts(cases, "void solve(const float* x, float* y, int n, int m) {\n", "\n}\n");
}

}  // namespace kw::import
