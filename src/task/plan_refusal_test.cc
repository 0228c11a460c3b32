// Tests of launch plans that are refused: which place the error marks, and its message.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "task/plan_for_test.h"

namespace kw::task {
namespace {

struct Refusal {
  std::string lines;
  std::string complaint;  ///< The beginning of the expected "line:column: message".
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    const auto said = test::attempt(refusal.lines).complaint();
    EXPECT_TRUE(said.starts_with(refusal.complaint))
        << refusal.lines << "\n  said     " << said << "\n  expected " << refusal.complaint;
  }
}

const std::string kLaunch = "launch k grid(1) block(1) args(x)";

TEST(PlanRefusal, Directives) {
  expect_refusals({
      {"tune A = 1", "1:-6: the source launches no kernel"},
      {"lounch k grid(1) block(1)", "1:1: unknown directive 'lounch' (did you mean 'launch'?)"},
      {"launch", "1:7: `// kw: launch` must be followed by the name of a kernel"},
      {"launch k grid(1)", "1:1: a `// kw: launch` line needs grid(…) and block(…)"},
      {"launch k grid(1) blok(1)",
       "1:18: a `// kw: launch` line has no part 'blok' (did you mean 'block'?)"},
      {"launch k grid(1) grid(1) block(1)", "1:18: the part 'grid' is given twice in this line"},
      {"launch k grid(1, block(1)", "1:14: this opening bracket is not closed"},
      {"launch k grid block(1)", "1:10: grid needs a value in parentheses"},
      {"launch k pdl(1) grid(1) block(1)", "1:10: pdl takes no value in parentheses"},
      {"launch k grid(1 +) block(1)", "1:18: expected a number, a name or '('"},
      {"launch k<1 grid(1) block(1)", "1:9: this < of template arguments is not closed"},
      {"launch k grid(1, 2, 3, 4) block(1)",
       "1:15: this list has 4 numbers; at most 3 are allowed"},
      {"launch k grid(1) block(1) args(f16(1))",
       "1:32: a value of type f16 cannot be passed to a kernel"},
      {"workspace w f33 [4]\n" + kLaunch, "1:13: unknown type 'f33'; there are f32"},
      {"workspace w f32 4\n" + kLaunch,
       "1:11: a `// kw: workspace` line has the form: workspace NAME TYPE [SIZES]"},
      {"workspace f32 f32 [4]\n" + kLaunch, "1:11: 'f32' cannot name a workspace"},
      {"workspace w f32 [4] clean\n" + kLaunch,
       "1:21: only `zeroed` may follow the type and sizes of a workspace"},
      {"table t bf16 [i < 4 : i]\n" + kLaunch, "1:9: a table's type is one of f32"},
      {"table t i32 [i : 4]\n" + kLaunch,
       "1:7: a `// kw: table` line has the form: table NAME TYPE [INDEX < COUNT : VALUE]"},
      {"fill y 0\n" + kLaunch, "1:6: a `// kw: fill` line has the form: fill PLACE with VALUE"},
      {"copy x y\n" + kLaunch, "1:6: a `// kw: copy` line has the form: copy PLACE to PLACE"},
      {"copy x[0 : 2, 1] to y\n" + kLaunch, "1:15: only the last index of a tensor may be a range"},
      {"map A = x strides(4) box(4)\n" + kLaunch,
       "1:1: a `// kw: map` line needs sizes(…) and box(…)"},
      {"map A = x sizes(4, 4) box(4, 4)\n" + kLaunch,
       "1:1: in a `// kw: map` line box and steps need as many"},
      {"map A = x sizes(4) box(4) swizzle(12)\n" + kLaunch,
       "1:35: swizzle of a `// kw: map` line is one of none, 32, 64, 128"},
      {"for t = 0 ... 3\nend\n" + kLaunch, "1:13: expected a number, a name or '('"},
      {"for t in 3\nend\n" + kLaunch,
       "1:5: a `// kw: for` line has the form: for NAME = LOW .. HIGH"},
      {"for t = 0 .. 3\n" + kLaunch, "1:1: this block of the plan has no `// kw: end`"},
      {kLaunch + "\nend", "2:1: this `end` closes nothing: no block of the plan is open"},
      {kLaunch + "\ntail", "2:1: `tail` may stand only inside a `for`, and only once"},
      {"when 1\nelse\nelse\nend\n" + kLaunch, "3:1: `else` may stand only inside a `when`"},
      {"when 1\ntune B = 2\nend\n" + kLaunch,
       "2:6: a knob must be declared outside the blocks of the plan (`for`, `when`)"},
      {"dialect cutte\n" + kLaunch,
       "1:9: unknown dialect 'cutte'; there are cuda, cute, host (did you"},
      {"let A = 1\nlet A = m\n" + kLaunch, "2:5: the name 'A' is defined twice by `// kw:` lines"},
      {"require 0\n" + kLaunch, "1:9: no setting of the knobs satisfies"},
  });
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += "when 1\n";
  EXPECT_TRUE(test::attempt(deep + kLaunch)
                  .complaint()
                  .starts_with("17:1: the plan has more than 16 blocks inside each other"));
  std::string many;
  for (int i = 0; i < 401; ++i) many += kLaunch + "\n";
  EXPECT_TRUE(test::attempt(many).complaint().starts_with(
      "401:1: the source has more than 400 `// kw:` lines"));
}

TEST(PlanRefusal, OnlyDeviceCodeHasAPlan) {
  const auto header = parse_header("// kw: launch k grid(1) block(1)\nint x;\n", "a.cpp");
  ASSERT_FALSE(header.has_value());
  EXPECT_EQ(header.error()[0].text, "'launch' belongs to a launch plan, which only a .cu file has");
}

TEST(PlanRefusal, Names) {
  expect_refusals({
      {"launch k grid(rowz) block(1)", "1:15: unknown name 'rowz' (did you mean 'rows'?)"},
      {"launch k grid(1) block(1) args(xx)", "1:32: unknown name 'xx'"},
      {"launch k grid(1) block(1) args(keyz)", "1:32: unknown name 'keyz' (did you mean 'keys'?)"},
      {"launch k grid(u) block(1)", "1:15: 'u' is an address and has no value in an expression"},
      {"launch k grid(a) block(1)", "1:15: 'a' is a floating-point scalar; write f32(a)"},
      {"launch k grid(1) block(1) args(n[1])", "1:32: 'n' is a number, not a tensor or workspace"},
      {"launch k<m> grid(1) block(1)", "1:10: unknown name 'm'; template arguments are made of"},
      {"let n = 3 + m\n" + kLaunch, "1:5: the name 'n' is already used by the task or by the plan"},
      {"workspace u f32 [1]\n" + kLaunch, "1:1: the name 'u' is already used"},
      {"for t = 0 .. 1\n  let u = t\nend\n" + kLaunch, "2:7: the name 'u' is already used"},
      {"when 1\n  let q = m\nend\nlaunch k grid(q) block(1)", "4:15: unknown name 'q'"},
      {"join a\n" + kLaunch, "1:1: the branch 'a' is joined, but was not forked in this block"},
      {"fork a\nend\nfork a\nend\njoin a\n" + kLaunch,
       "3:1: the branch 'a' is forked twice before it is joined"},
      {"when 1\n  fork a\n  end\nend\njoin a\n" + kLaunch,
       "2:3: the branch 'a' is forked in this block and not joined in the same block"},
      {kLaunch + "\nfork a\nend", "2:1: the branch 'a' is forked in this block and not joined"},
      {"fill x with 0\n" + kLaunch,
       "1:6: the plan may not write to 'x', which is an input or a table"},
      {"workspace w f32 [2 * m / 0]\n" + kLaunch, "1:24: this expression divides by zero"},
  });
}

TEST(PlanRefusal, LimitsOfTheDevice) {
  expect_refusals({
      {"launch k grid(0) block(1)",
       "1:15: the grid of this launch is empty: x is 0; where nothing is to be done"},
      {"launch k grid(4, m - m) block(1)", "1:18: the grid of this launch is empty: y is 0"},
      {"launch k grid(1) block(0)", "1:24: the block of this launch is empty: x is 0"},
      {"launch k grid(34) block(1) cluster(2, 0)",
       "1:39: the cluster of this launch is empty: y is 0"},
      {"launch k grid(1, 65536) block(1)", "1:18: grid y is 65536; 1 to 65535"},
      {"launch k grid(1 - m) block(1)", "1:15: the grid of this launch is empty: x is -15; where"},
      {"launch k grid(1) block(1025)", "1:24: block x is 1025; 1 to 1024"},
      {"launch k grid(1) block(1, 1, 65)", "1:30: block z is 65; 1 to 64"},
      {"launch k grid(1) block(32, 33)",
       "1:24: the launch asks for blocks of 1056 threads; at most 1024 are possible"},
      {"launch k grid(1) block(1) shared(232449)",
       "1:34: the launch asks for 232449 bytes of shared memory; this device has 232448 for a "
       "block"},
      {"launch k grid(1) block(1) shared(-1)",
       "1:34: the launch asks for -1 bytes of shared memory"},
      {"launch k grid(34) block(1) cluster(17)", "1:36: cluster x is 17; 1 to 16"},
      {"launch k grid(8, 8) block(1) cluster(8, 4)",
       "1:38: the launch asks for clusters of 32 blocks; at most 16 are possible"},
      {"launch k grid(9) block(1) cluster(2)",
       "1:35: the launch's grid x is 9, which is no multiple of the cluster's 2"},
      {"launch k grid(1) block(1) carveout(101)",
       "1:36: the launch's carveout is 101; a share of shared memory in percent is 0 to 100"},
      {"launch k grid(sms * 3) block(1024) cooperative",
       "1:15: the cooperative launch has 396 blocks; this device can hold at most 264 of them at "
       "once"},
      {"launch k grid(sms * 3) block(32) shared(100000) cooperative",
       "1:15: the cooperative launch has 396 blocks; this device can hold at most 264"},
      {"require 4 * m <= n\n" + kLaunch,
       "1:9: this `// kw: require` condition does not hold: 4 * m <= n"},
      {"launch k grid(m << 1) block(1)", "1:18: expected"},
      {"launch k grid(m * 9223372036854775807) block(1)",
       "1:17: the result of this expression does not fit into a 64-bit integer"},
  });
  auto old = test::h200();
  old.arch = "sm_80";
  EXPECT_TRUE(
      test::attempt("launch k grid(2) block(1) cluster(2)", "small", old)
          .complaint()
          .starts_with("1:35: a launch with clusters needs sm_90 or newer; this device is sm_80"));
  EXPECT_TRUE(
      test::attempt("launch k grid(2) block(1) pdl", "small", old)
          .complaint()
          .starts_with("1:27: a launch with pdl needs sm_90 or newer; this device is sm_80"));
}

TEST(PlanRefusal, Memory) {
  expect_refusals({
      {"workspace w f32 [262145]\n" + kLaunch,
       "1:1: the workspaces need more than the 1 MiB that the task allows"},
      {"workspace w f64 [1, 131072]\nworkspace v2 u8 [1]\n" + kLaunch, "2:1: the workspaces need"},
      {"workspace w u8 [9223372036854775807, 3]\n" + kLaunch, "1:1: the workspaces need more"},
      {"workspace w u8 [n - 8]\n" + kLaunch, "1:17: a size of the workspace 'w' is 0"},
      {"for t = 0 .. 1\n  workspace w u8 [1]\nend\n" + kLaunch,
       "2:3: a `// kw: workspace` line may not stand inside a loop of the plan"},
      {"table t u8 [i < 300 : i]\n" + kLaunch, "1:23: the table's entry 256 does not fit into u8"},
      {"table t u8 [i < 0 : i]\n" + kLaunch,
       "1:17: the table has 0 entries; a table has 1 to 65536"},
      {"launch k grid(1) block(1) args(u[3])", "1:34: index 3 of 'u' lies outside 0 to 2"},
      {"launch k grid(1) block(1) args(u[0, 0 - 1])", "1:37: index -1 of 'u' lies outside 0 to 7"},
      {"launch k grid(1) block(1) args(y[0, 0])", "1:32: 'y' has 1 dimension, not 2"},
      {"launch k grid(1) block(1) args(u[0 : 2])",
       "1:38: an argument of a launch can be the address of one"},
      {"fill y[2 : 2] with 0\n" + kLaunch, "1:12: the range 2 : 2 of 'y' is empty or leaves 0 : 8"},
      {"fill y[2 : 9] with 0\n" + kLaunch, "1:12: the range 2 : 9 of 'y' is empty or leaves"},
      {"copy u[0 : 2] to u[1]\n" + kLaunch, "1:18: the source and the target of this copy overlap"},
      {"copy u to y\n" + kLaunch,
       "1:11: a copy of 1536 bytes to byte 0 of 'y' does not fit: the target has 32"},
      {"copy keys to y\n" + kLaunch,
       "1:14: a copy cannot convert types: 'keys' is u8 and 'y' is f32"},
      {"workspace w u16 [4]\nfill w with 65536\n" + kLaunch,
       "2:13: the fill value 65536 does not fit into u16"},
      {"workspace w u16 [4]\nfill w with 0.5\n" + kLaunch,
       "2:13: 'w' has elements of type u16, which are filled with an"},
      {"workspace w f16 [4]\nfill w with 1\n" + kLaunch,
       "2:13: elements of type f16 can be filled only with 0 or bits"},
      {"workspace w f64 [4]\nfill w with 1.5\n" + kLaunch,
       "2:13: elements of type f64 can be filled only with values whose"},
  });
  const auto padded = test::attempt("fill v with 0\n" + kLaunch, "odd").complaint();
  EXPECT_TRUE(padded.starts_with(
      "1:6: a fill or copy cannot write 'v', whose rows have padding between them"))
      << padded;
  EXPECT_TRUE(test::attempt("fill v[2] with 0\n" + kLaunch, "odd").plan.has_value());
}

TEST(PlanRefusal, Arguments) {
  std::string many;
  for (int i = 0; i < 64; ++i) many += ", n";
  expect_refusals({
      {"launch k grid(1) block(1) args(4294967296)",
       "1:32: the value 4294967296 of this argument does not fit into i32; write i64"},
      {"launch k grid(1) block(1) args(u8(256))",
       "1:32: the value 256 of this argument does not fit into u8"},
      {"launch k grid(1) block(1) args(u64(0 - n))",
       "1:32: the value -8 of this argument does not fit into u64"},
      {"launch k grid(1) block(1) args(f32(1 / zz))", "1:40: unknown name 'zz'"},
      {"launch k grid(1) block(1) args(f32(sqtr(2)))",
       "1:36: unknown function 'sqtr' (did you mean 'sqrt'?)"},
      {"launch k grid(1) block(1) args(n" + many + ")",
       "1:224: the launch passes 65 arguments; at most 64"},
      {"launch k grid(1) block(1) args(struct(n, i64(1) @ 4))",
       "1:51: the offset 4 of this item of a struct is no multiple of 8"},
      {"launch k grid(1) block(1) args(struct(n, n @ 0))", "1:42: this item overlaps another one"},
      {"launch k grid(1) block(1) args(struct(n @ 4096))",
       "1:39: this struct argument has more than 4096"},
      {"launch k grid(1) block(1) args(struct(n @ 2200), struct(n @ 2200))",
       "1:50: the arguments of the launch take more than 4096 bytes"},
  });
}

TEST(PlanRefusal, Maps) {
  const auto map = [](const char* rest) { return std::string("map A = ") + rest + "\n" + kLaunch; };
  expect_refusals({
      {map("keys as f8 sizes(8) box(8)"), "1:17: a tensor map has no elements of type 'f8'"},
      {map("u[0, 0, 1] sizes(8) box(8)"), "1:9: a tensor map must begin at a multiple of 16 bytes"},
      {map("u sizes(4294967297) box(8)"),
       "1:17: a size of this tensor map is 4294967297; sizes are 1 to 2^32"},
      {map("u sizes(8) box(257)"),
       "1:24: a size of this tensor map's box is 257; sizes of a box are 1 to 256"},
      {map("u sizes(8) box(8) steps(9)"), "1:33: a step of this tensor map is 9; steps are 1 to 8"},
      {map("u sizes(8, 8) strides(24) box(8, 1)"),
       "1:31: a stride of this tensor map is 24 bytes; strides are multiples of 16"},
      {map("u[2] sizes(16, 9) strides(64) box(8, 1)"),
       "1:1: this tensor map reaches beyond the end of 'u': to byte 1600 of 1536"},
      {map("u sizes(16) box(3)"),
       "1:25: the innermost row of this tensor map's box has 12 bytes, which is no multiple of 16"},
      {map("u sizes(16) box(16) swizzle(32)"),
       "1:25: the innermost row of this tensor map's box has 64 bytes, more"},
      {map("u sizes(16) box(4) interleave(16)"),
       "1:39: a tensor map with interleave needs 3 dimensions or more"},
      {map("keys sizes(8) box(16) outside(nan)"),
       "1:39: outside(nan) is impossible here: elements of type u8 have no NaN"},
  });
}

TEST(PlanRefusal, LoopsEnd) {
  expect_refusals({
      {"for t = 0 .. 5000\n  launch k grid(1) block(1)\nend",
       "2:3: the plan has more than 4096 steps"},
      {"for t = 0 .. 9223372036854775807\nend\n" + kLaunch,
       "1:1: the loops of the plan take more than 65536 turns"},
      {"for t = 0 .. 4 step 0\nend\n" + kLaunch,
       "1:21: the step of this loop is 0, and must be above 0"},
      {"when 0\n  launch k grid(1) block(1)\nend",
       "1:-6: the plan has no step that runs for this workload"},
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
  const auto said = test::attempt("launch k grid(m - 13) block(m * 100)", "odd").complaint();
  EXPECT_EQ(said,
            "1:15: the grid of this launch is empty: x is ?; where nothing is to be done, leave "
            "the launch out by // kw: when (in a workload that is not shown)");
  const auto shown = test::attempt("launch k grid(m - 64) block(1)", "large").complaint();
  EXPECT_EQ(shown,
            "1:15: the grid of this launch is empty: x is 0; where nothing is to be done, leave "
            "the launch out by // kw: when (at workload large: m = 64, n = 64, pad = 0)");
}

}  // namespace
}  // namespace kw::task
