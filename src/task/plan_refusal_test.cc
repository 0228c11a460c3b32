// Tests of launch plans that are refused: which place the error marks, and what it is about.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "task/plan_for_test.h"

namespace kw::task {
namespace {

struct Refusal {
  std::string lines;
  std::string complaint;             ///< "line:column about", as test::Attempt tells it.
  std::vector<double> numbers = {};  ///< Those of the sentence.
};

void expect_refusal(const test::Attempt& attempt, const Refusal& refusal) {
  EXPECT_EQ(attempt.complaint(), refusal.complaint) << refusal.lines;
  EXPECT_EQ(attempt.numbers(), refusal.numbers) << refusal.lines;
}

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) expect_refusal(test::attempt(refusal.lines), refusal);
}

const std::string kLaunch = "launch k grid(1) block(1) args(x)";

TEST(PlanRefusal, Directives) {
  expect_refusals({
      {"tune A = 1", "1:-6 launch"},
      {"lounch k grid(1) block(1)", "1:1 directive lounch -> launch"},
      {"launch", "1:7 missing kernel"},
      {"launch k grid(1)", "1:1 missing block"},
      {"launch k grid(1) blok(1)", "1:18 unknown blok -> block"},
      {"launch k grid(1) grid(1) block(1)", "1:18 repeated grid"},
      {"launch k grid(1, block(1)", "1:14 unclosed ("},
      {"launch k grid block(1)", "1:10 bad_form grid"},
      {"launch k pdl(1) grid(1) block(1)", "1:10 bad_form pdl"},
      {"launch k grid(1 +) block(1)", "1:18 bad_expression end, not a number, a name or '('"},
      {"launch k<1 grid(1) block(1)", "1:9 unclosed <"},
      {"launch k grid(1, 2, 3, 4) block(1)", "1:15 too_many numbers", {4, 3}},
      {"launch k grid(1) block(1) args(f16(1))", "1:32 unsupported f16"},
      {"workspace w f33 [4]\n" + kLaunch, "1:13 unknown f33 -> f32"},
      {"workspace w f32 4\n" + kLaunch, "1:11 bad_form workspace"},
      {"workspace f32 f32 [4]\n" + kLaunch, "1:11 bad_name f32"},
      {"workspace w f32 [4] clean\n" + kLaunch, "1:21 unexpected clean"},
      {"table t bf16 [i < 4 : i]\n" + kLaunch, "1:9 unsupported bf16"},
      {"table t i32 [i : 4]\n" + kLaunch, "1:7 bad_form table"},
      {"fill y 0\n" + kLaunch, "1:6 bad_form fill"},
      {"copy x y\n" + kLaunch, "1:6 bad_form copy"},
      {"copy x[0 : 2, 1] to y\n" + kLaunch, "1:15 misplaced range of x"},
      {"map A = x strides(4) box(4)\n" + kLaunch, "1:1 missing sizes"},
      {"map A = x sizes(4, 4) box(4, 4)\n" + kLaunch, "1:1 contradiction sizes"},
      {"map A = x sizes(4) box(4) swizzle(12)\n" + kLaunch, "1:35 unknown swizzle 12 -> 32"},
      {"for t = 0 ... 3\nend\n" + kLaunch, "1:13 bad_expression ., not a number, a name or '('"},
      {"for t in 3\nend\n" + kLaunch, "1:5 bad_form for"},
      {"for t = 0 .. 3\n" + kLaunch, "1:1 missing end"},
      {kLaunch + "\nend", "2:1 misplaced end"},
      {kLaunch + "\ntail", "2:1 misplaced tail"},
      {"when 1\nelse\nelse\nend\n" + kLaunch, "3:1 misplaced else"},
      {"when 1\ntune B = 2\nend\n" + kLaunch, "2:6 knob in a block"},
      {"dialect cutte\n" + kLaunch, "1:9 dialect cutte -> cute"},
      {"let A = 1\nlet A = m\n" + kLaunch, "2:5 twice A"},
      {"require 0\n" + kLaunch, "1:9 knobs"},
  });
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += "when 1\n";
  expect_refusals({{deep + kLaunch, "17:1 too_many blocks inside each other", {16}}});
  std::string many;
  for (int i = 0; i < 401; ++i) many += kLaunch + "\n";
  EXPECT_EQ(test::attempt(many).complaint(), "401:1 at most 400 lines");
}

TEST(PlanRefusal, OnlyDeviceCodeHasAPlan) {
  const auto header = parse_header("// kw: launch k grid(1) block(1)\nint x;\n", "a.cpp");
  ASSERT_FALSE(header.has_value());
  EXPECT_EQ(header.error()[0].about, "plan: launch");
}

TEST(PlanRefusal, Names) {
  expect_refusals({
      {"launch k grid(rowz) block(1)", "1:15 unknown rowz -> rows"},
      {"launch k grid(1) block(1) args(xx)", "1:32 unknown xx -> x"},
      {"launch k grid(1) block(1) args(keyz)", "1:32 unknown keyz -> keys"},
      {"launch k grid(u) block(1)", "1:15 wrong_kind u"},
      {"launch k grid(a) block(1)", "1:15 wrong_kind a"},
      {"launch k grid(1) block(1) args(n[1])", "1:32 wrong_kind n"},
      {"launch k<m> grid(1) block(1)", "1:10 unknown m"},
      {"let n = 3 + m\n" + kLaunch, "1:5 repeated n"},
      {"workspace u f32 [1]\n" + kLaunch, "1:1 repeated u"},
      {"for t = 0 .. 1\n  let u = t\nend\n" + kLaunch, "2:7 repeated u"},
      {"when 1\n  let q = m\nend\nlaunch k grid(q) block(1)", "4:15 unknown q"},
      {"join a\n" + kLaunch, "1:1 missing fork a"},
      {"fork a\nend\nfork a\nend\njoin a\n" + kLaunch, "3:1 repeated fork a"},
      {"when 1\n  fork a\n  end\nend\njoin a\n" + kLaunch, "2:3 missing join a"},
      {kLaunch + "\nfork a\nend", "2:1 missing join a"},
      {"fill x with 0\n" + kLaunch, "1:6 read_only x"},
      {"workspace w f32 [2 * m / 0]\n" + kLaunch, "1:24 bad_expression divides by zero"},
  });
}

TEST(PlanRefusal, LimitsOfTheDevice) {
  expect_refusals({
      {"launch k grid(0) block(1)", "1:15 empty grid x", {0}},
      {"launch k grid(4, m - m) block(1)", "1:18 empty grid y", {0}},
      {"launch k grid(1) block(0)", "1:24 empty block x", {0}},
      {"launch k grid(34) block(1) cluster(2, 0)", "1:39 empty cluster y", {0}},
      {"launch k grid(1, 65536) block(1)", "1:18 out_of_range grid y", {65536, 65535}},
      {"launch k grid(1 - m) block(1)", "1:15 empty grid x", {-15}},
      {"launch k grid(1) block(1025)", "1:24 out_of_range block x", {1025, 1024}},
      {"launch k grid(1) block(1, 1, 65)", "1:30 out_of_range block z", {65, 64}},
      {"launch k grid(1) block(32, 33)", "1:24 out_of_range threads of a block", {1056}},
      {"launch k grid(1) block(1) shared(232449)", "1:34 out_of_range shared", {232449, 232448}},
      {"launch k grid(1) block(1) shared(-1)", "1:34 out_of_range shared", {-1}},
      {"launch k grid(34) block(1) cluster(17)", "1:36 out_of_range cluster x", {17, 16}},
      {"launch k grid(8, 8) block(1) cluster(8, 4)", "1:38 out_of_range blocks of a cluster", {32}},
      {"launch k grid(9) block(1) cluster(2)", "1:35 no_multiple grid x", {9, 2}},
      {"launch k grid(1) block(1) carveout(101)", "1:36 out_of_range carveout", {101}},
      {"launch k grid(sms * 3) block(1024) cooperative",
       "1:15 out_of_range cooperative blocks",
       {396, 264}},
      {"launch k grid(sms * 3) block(32) shared(100000) cooperative",
       "1:15 out_of_range cooperative blocks",
       {396, 264}},
      {"require 4 * m <= n\n" + kLaunch, "1:9 unmet 4 * m <= n"},
      {"launch k grid(m << 1) block(1)", "1:18 bad_expression <, not a number, a name or '('"},
      {"launch k grid(m * 9223372036854775807) block(1)", "1:17 bad_expression overflow"},
  });
  auto old = test::h200();
  old.arch = "sm_80";
  EXPECT_EQ(test::attempt("launch k grid(2) block(1) cluster(2)", "small", old).complaint(),
            "1:35 unsupported cluster");
  EXPECT_EQ(test::attempt("launch k grid(2) block(1) pdl", "small", old).complaint(),
            "1:27 unsupported pdl");
}

TEST(PlanRefusal, Memory) {
  expect_refusals({
      {"workspace w f32 [262145]\n" + kLaunch, "1:1 too_many bytes of workspaces", {1048576}},
      {"workspace w f64 [1, 131072]\nworkspace v2 u8 [1]\n" + kLaunch,
       "2:1 too_many bytes of workspaces",
       {1048576}},
      {"workspace w u8 [9223372036854775807, 3]\n" + kLaunch,
       "1:1 too_many bytes of workspaces",
       {1048576}},
      {"workspace w u8 [n - 8]\n" + kLaunch, "1:17 empty w", {0}},
      {"for t = 0 .. 1\n  workspace w u8 [1]\nend\n" + kLaunch, "2:3 misplaced workspace"},
      {"table t u8 [i < 300 : i]\n" + kLaunch, "1:23 does_not_fit u8", {256}},
      {"table t u8 [i < 0 : i]\n" + kLaunch, "1:17 out_of_range entries", {0, 65536}},
      {"launch k grid(1) block(1) args(u[3])", "1:34 out_of_range index of u", {3, 2}},
      {"launch k grid(1) block(1) args(u[0, 0 - 1])", "1:37 out_of_range index of u", {-1, 7}},
      {"launch k grid(1) block(1) args(y[0, 0])", "1:32 too_many indices of y", {1, 2}},
      {"launch k grid(1) block(1) args(u[0 : 2])", "1:38 wrong_kind range of u"},
      {"fill y[2 : 2] with 0\n" + kLaunch, "1:12 empty range of y", {2, 2, 8}},
      {"fill y[2 : 9] with 0\n" + kLaunch, "1:12 out_of_range range of y", {2, 9, 8}},
      {"copy u[0 : 2] to u[1]\n" + kLaunch, "1:18 overlap source and target"},
      {"copy u to y\n" + kLaunch, "1:11 overrun y", {1536, 0, 32}},
      {"copy keys to y\n" + kLaunch, "1:14 types_differ keys and y"},
      {"workspace w u16 [4]\nfill w with 65536\n" + kLaunch, "2:13 does_not_fit u16", {65536}},
      {"workspace w u16 [4]\nfill w with 0.5\n" + kLaunch, "2:13 wrong_kind w"},
      {"workspace w f16 [4]\nfill w with 1\n" + kLaunch, "2:13 unsupported f16"},
      {"workspace w f64 [4]\nfill w with 1.5\n" + kLaunch, "2:13 unsupported f64"},
  });
  EXPECT_EQ(test::attempt("fill v with 0\n" + kLaunch, "odd").complaint(), "1:6 padded v");
  EXPECT_TRUE(test::attempt("fill v[2] with 0\n" + kLaunch, "odd").plan.has_value());
}

TEST(PlanRefusal, Arguments) {
  std::string many;
  for (int i = 0; i < 64; ++i) many += ", n";
  expect_refusals({
      {"launch k grid(1) block(1) args(4294967296)", "1:32 does_not_fit i32", {4294967296}},
      {"launch k grid(1) block(1) args(u8(256))", "1:32 does_not_fit u8", {256}},
      {"launch k grid(1) block(1) args(u64(0 - n))", "1:32 does_not_fit u64", {-8}},
      {"launch k grid(1) block(1) args(f32(1 / zz))", "1:40 unknown zz"},
      {"launch k grid(1) block(1) args(f32(sqtr(2)))", "1:36 bad_expression function sqtr -> sqrt"},
      {"launch k grid(1) block(1) args(n" + many + ")", "1:224 too_many arguments", {65, 64}},
      {"launch k grid(1) block(1) args(struct(n, i64(1) @ 4))", "1:51 no_multiple offset", {4, 8}},
      {"launch k grid(1) block(1) args(struct(n, n @ 0))", "1:42 overlap items of a struct"},
      {"launch k grid(1) block(1) args(struct(n @ 4096))",
       "1:39 too_many bytes of a struct",
       {4096}},
      {"launch k grid(1) block(1) args(struct(n @ 2200), struct(n @ 2200))",
       "1:50 too_many bytes of arguments",
       {4096}},
  });
}

TEST(PlanRefusal, Maps) {
  const auto map = [](const char* rest) { return std::string("map A = ") + rest + "\n" + kLaunch; };
  expect_refusals({
      {map("keys as f8 sizes(8) box(8)"), "1:17 unknown f8 -> u8"},
      {map("u[0, 0, 1] sizes(8) box(8)"), "1:9 no_multiple base", {16, 4, 64}},
      {map("u sizes(4294967297) box(8)"), "1:17 out_of_range sizes", {4294967297}},
      {map("u sizes(8) box(257)"), "1:24 out_of_range box", {257}},
      {map("u sizes(8) box(8) steps(9)"), "1:33 out_of_range steps", {9}},
      {map("u sizes(8, 8) strides(24) box(8, 1)"), "1:31 no_multiple strides", {24, 16}},
      {map("u[2] sizes(16, 9) strides(64) box(8, 1)"), "1:1 overrun u", {1600, 1536}},
      {map("u sizes(16) box(3)"), "1:25 no_multiple row of the box", {12}},
      {map("u sizes(16) box(16) swizzle(32)"), "1:25 out_of_range row of the box", {64}},
      {map("u sizes(16) box(4) interleave(16)"), "1:39 contradiction interleave"},
      {map("keys sizes(8) box(16) outside(nan)"), "1:39 unsupported nan of u8"},
  });
}

TEST(PlanRefusal, LoopsEnd) {
  expect_refusals({
      {"for t = 0 .. 5000\n  launch k grid(1) block(1)\nend", "2:3 too_many steps", {4096}},
      {"for t = 0 .. 9223372036854775807\nend\n" + kLaunch, "1:1 too_many turns", {65536}},
      {"for t = 0 .. 4 step 0\nend\n" + kLaunch, "1:21 out_of_range step", {0}},
      {"when 0\n  launch k grid(1) block(1)\nend", "1:-6 missing step"},
  });
}

TEST(PlanRefusal, LimitsAreNoMistakes) {
  const auto fate = [](const char* lines) {
    const Verdict verdict = test::attempt(lines).verdict;
    return fmt::format("{} {}", kw::name_of(verdict.stage), kw::name_of(verdict.outcome));
  };
  EXPECT_EQ(fate("launch k grid(1) block(1) shared(300000)"), "launch out_of_resources");
  EXPECT_EQ(fate("launch k grid(sms * 64) block(1024) cooperative"), "launch out_of_resources");
  EXPECT_EQ(fate("workspace w f64 [m * 100000]\nlaunch k grid(1) block(1)"),
            "launch out_of_resources");
  EXPECT_EQ(fate("require m * 100000 <= l2_bytes / 100\nlaunch k grid(1) block(1)"),
            "launch out_of_resources");
  EXPECT_EQ(fate("require m < n\nlaunch k grid(1) block(1)"), "screen rejected");
  EXPECT_EQ(fate("launch k grid(m - n - 8) block(1)"), "screen rejected");
  EXPECT_EQ(fate("launch k grid(9) block(1) cluster(2)"), "screen rejected");
  EXPECT_EQ(fate("launch k grid(1) block(1) args(u[3])"), "screen rejected");
}

TEST(PlanRefusal, HiddenWorkloadsStayHidden) {
  const std::string lines = "launch k grid(m - 13) block(m * 100)";
  const auto hidden = test::attempt(lines, "odd");
  expect_refusal(hidden, {lines, "1:15 empty grid x"});
  for (const char digit : {'0', '1', '3', '7'})
    EXPECT_FALSE(hidden.plan.error().front().text.contains(digit)) << digit;
  const auto shown = test::attempt("launch k grid(m - 64) block(1)", "large");
  expect_refusal(shown, {"", "1:15 empty grid x", {0}});
  EXPECT_TRUE(shown.plan.error().front().text.contains("large: m = 64, n = 64, pad = 0"));
}

}  // namespace
}  // namespace kw::task
