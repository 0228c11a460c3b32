// Tests of the steps that valid launch plans resolve to.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_resolve.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>

#include "base/text.h"
#include "task/plan_for_test.h"

namespace kw::task {
namespace {

using testing::ElementsAre;

Plan planned(std::string_view lines, std::string_view workload = "small") {
  auto result = test::attempt(lines, workload);
  EXPECT_TRUE(result.plan.has_value()) << to_text(result.plan.error());
  return result.plan ? std::move(*result.plan) : Plan();
}

using Sizes = std::vector<std::int64_t>;

TEST(Plan, LaunchSaysShapeAndArguments) {
  const auto plan = planned(
      "tune BM = 4, 8\n"
      "let TILES = ceil_div(m, BM)\n"
      "launch k<BM, true, \"Tile<float>\", (BM > 2)> grid(TILES, n) block(32, 2) shared(BM * "
      "1024)\n"
      "launch a::b carveout(50) args(x, n, big, a, m, TILES, i64(TILES), u8(7), f32(a / 2),\n"
      "  f64(1e-3), null, u[1], u[2, 3, 5], i32(-1)) block(64) cooperative grid(sms)");
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].kernel, "k<4, true, Tile<float>, 1>");
  EXPECT_EQ(plan.steps[0].grid, (Sizes{4, 8, 1}));
  EXPECT_EQ(plan.steps[0].block, (Sizes{32, 2, 1}));
  EXPECT_EQ(plan.steps[0].shared_bytes, 4096);
  EXPECT_TRUE(plan.steps[0].arguments.empty());
  const PlanStep& step = plan.steps[1];
  EXPECT_EQ(step.kernel, "a::b");
  EXPECT_TRUE(step.cooperative);
  EXPECT_EQ(step.carveout, 50);
  std::vector<std::string> seen;
  for (const PlanArgument& a : step.arguments)
    seen.push_back(a.kind == ArgumentKind::Address
                       ? fmt::format("t{}+{}", a.place.index, a.place.offset)
                       : fmt::format("{}:{:x}", a.bytes, a.image));
  EXPECT_THAT(seen,
              ElementsAre("t1+0", "4:8", "8:80", "4:3f000000", "4:10", "4:4", "8:4", "1:7",
                          "4:3e800000", fmt::format("8:{:x}", std::bit_cast<std::uint64_t>(1e-3)),
                          "8:0", "t0+512", "t0+1236", "4:ffffffff"));
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    EXPECT_EQ(step.arguments[i].parameter, static_cast<int>(i));
    EXPECT_EQ(step.arguments[i].at, 0);
  }
}

TEST(Plan, ADirectiveGoesOnWhileABracketIsOpen) {
  const auto plan = planned(
      "launch k grid(  // as many as rows\n"
      "  n,\n"
      "  2) block(32) args(\n"
      "  x, v)");
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].grid, (Sizes{8, 2, 1}));
  EXPECT_EQ(plan.steps[0].arguments.size(), 2u);
}

TEST(Plan, WorkspacesTablesFillsAndCopies) {
  const auto plan = planned(
      "workspace w f32 [2, n, m]\n"
      "workspace c u32 [n] zeroed\n"
      "table t i32 [i < 4 : i * i - 1]\n"
      "table r f32 [i < 2 : cos(i) / 2]\n"
      "fill w with f32(1.5)\n"
      "fill c[2 : 5] with -1 + 2\n"
      "fill w[1, n - 1] with bits(-1)\n"
      "fill y with 0\n"
      "copy u[0 : 2] to w\n"
      "copy w[1] to u[2]\n"
      "copy t[1 : 3] to c[4]\n"
      "launch k grid(1) block(1) args(w, c, t, r, w_bytes, c_count, x_pitch)");
  ASSERT_EQ(plan.workspaces.size(), 2u);
  EXPECT_EQ(plan.workspaces[0].bytes, 2 * 8 * 16 * 4);
  EXPECT_EQ(plan.workspaces[0].initial, Initial::Poison);
  EXPECT_EQ(plan.workspaces[1].initial, Initial::Zero);
  EXPECT_EQ(plan.workspace_bytes(), 1024 + 32);
  EXPECT_THAT(plan.tables[0].integers, ElementsAre(-1, 0, 3, 8));
  EXPECT_THAT(plan.tables[1].reals, ElementsAre(0.5, testing::DoubleNear(0.27015, 1e-5)));
  ASSERT_EQ(plan.steps.size(), 8u);
  EXPECT_EQ(plan.steps[0].value, std::bit_cast<std::uint32_t>(1.5f));
  EXPECT_EQ(plan.steps[0].bytes, 1024);
  EXPECT_EQ(plan.steps[1].to.offset, 8);
  EXPECT_EQ(plan.steps[1].bytes, 12);
  EXPECT_EQ(plan.steps[1].value, 1u);
  EXPECT_EQ(plan.steps[2].to.offset, 1024 - 64);
  EXPECT_EQ(plan.steps[2].value, 0xffffffffu);
  EXPECT_EQ(plan.steps[3].to.memory, PlanMemory::Tensor);
  EXPECT_EQ(plan.steps[3].to.index, 3);
  EXPECT_EQ(plan.steps[4].kind, StepKind::Copy);
  EXPECT_EQ(plan.steps[4].bytes, 1024);
  EXPECT_EQ(plan.steps[5].to.offset, 1024);
  EXPECT_EQ(plan.steps[5].from.offset, 512);
  EXPECT_EQ(plan.steps[6].from.memory, PlanMemory::Table);
  EXPECT_EQ(plan.steps[6].from.offset, 4);
  EXPECT_EQ(plan.steps[6].to.offset, 16);
  const auto& arguments = plan.steps[7].arguments;
  EXPECT_EQ(arguments[4].image, 1024u);
  EXPECT_EQ(arguments[5].image, 8u);
  EXPECT_EQ(arguments[6].image, 16u);
}

TEST(Plan, LoopsHaveStrideAndTail) {
  const auto kernels = [](const Plan& plan) {
    std::vector<std::string> names;
    for (const PlanStep& step : plan.steps)
      names.push_back(step.kernel + std::to_string(step.arguments[0].image));
    return names;
  };
  EXPECT_THAT(kernels(planned("for t = 1 .. 8 step 3\n"
                              "  let twice = 2 * t\n"
                              "  launch k grid(1) block(1) args(twice)\n"
                              "tail\n"
                              "  launch one grid(1) block(1) args(t)\n"
                              "end")),
              ElementsAre("k2", "k8", "one7"));
  EXPECT_THAT(kernels(planned("for t = 0 .. 5 step 3\n"
                              "  launch k grid(1) block(1) args(t)\n"
                              "end")),
              ElementsAre("k0", "k3"));
  EXPECT_THAT(kernels(planned("for t = 3 .. 3\n"
                              "  launch never grid(1) block(1) args(t)\n"
                              "end\n"
                              "for t = 0 .. 1\n"
                              "  launch k grid(1) block(1) args(t)\n"
                              "end")),
              ElementsAre("k0"));
}

TEST(Plan, GuardsAreDecidedAndRecorded) {
  const char* const lines =
      "when m % 4 == 0\n"
      "  workspace w f32 [4]\n"
      "  launch vector grid(1) block(1) args(w)\n"
      "else when n == 7\n"
      "  launch seven grid(1) block(1) args(x)\n"
      "else\n"
      "  launch other grid(1) block(1) args(x)\n"
      "end";
  const auto even = planned(lines, "small");
  ASSERT_EQ(even.steps.size(), 1u);
  EXPECT_EQ(even.steps[0].kernel, "vector");
  EXPECT_THAT(even.branches, ElementsAre("m % 4 == 0: yes"));
  const auto odd = planned(lines, "odd");
  EXPECT_EQ(odd.steps[0].kernel, "seven");
  EXPECT_TRUE(odd.workspaces.empty());
  EXPECT_THAT(odd.branches, ElementsAre("m % 4 == 0: no", "n == 7: yes"));
}

TEST(Plan, BranchesWaitForWhatTheyNeed) {
  const auto plan = planned(
      "launch first grid(1) block(1)\n"  // 0
      "fork a\n"
      "  launch a1 grid(1) block(1)\n"  // 1
      "  fork inner\n"
      "    launch i1 grid(1) block(1)\n"  // 2
      "  end\n"
      "  launch a2 grid(1) block(1)\n"  // 3
      "  join inner\n"
      "end\n"
      "launch beside grid(1) block(1) pdl\n"  // 4
      "join a\n"
      "fork b\n"
      "  launch b1 grid(1) block(1) pdl\n"  // 5
      "end\n"
      "launch after grid(1) block(1) pdl\n"  // 6
      "join b\n"
      "launch last grid(1) block(1) pdl");  // 7
  const auto after = [&](int i) { return plan.steps[static_cast<std::size_t>(i)].after; };
  const auto branch = [&](int i) { return plan.steps[static_cast<std::size_t>(i)].branch; };
  EXPECT_EQ(branch(0), 0);
  EXPECT_EQ(branch(1), 1);
  EXPECT_THAT(after(1), ElementsAre(0));
  EXPECT_EQ(branch(2), 2);
  EXPECT_THAT(after(2), ElementsAre(1));
  EXPECT_EQ(branch(3), 1);
  EXPECT_TRUE(after(3).empty());
  EXPECT_EQ(branch(4), 0);
  EXPECT_TRUE(after(4).empty());
  // Branch b waits for all steps of branch a, because the fork of b follows the join of a.
  EXPECT_EQ(branch(5), 1);
  EXPECT_THAT(after(5), ElementsAre(2, 4));
  EXPECT_THAT(after(6), ElementsAre(2, 3));
  EXPECT_THAT(after(7), ElementsAre(5));
  std::vector<bool> programmatic;
  for (const PlanStep& step : plan.steps) programmatic.push_back(step.programmatic);
  EXPECT_THAT(programmatic, ElementsAre(false, false, false, false, true, false, false, false));
}

TEST(Plan, MapsAreEncodedOnceAndPassedInStructs) {
  const auto plan = planned(
      "for i = 0 .. 2\n"
      "  map A = u[0] as tf32 sizes(m, n) strides(m * 4) box(8, 4) swizzle(32) promotion(128)\n"
      "  map B = x sizes(m, n) strides(ld * 4) box(4, 2) outside(nan)\n"
      "  launch k grid(1) block(1) args(A, struct(n, A, B, i64(5), u8(1) @ 400), y)\n"
      "end");
  ASSERT_EQ(plan.tensor_maps.size(), 2u);
  const PlanTensorMap& map = plan.tensor_maps[0];
  EXPECT_EQ(map.element, "tf32");
  EXPECT_THAT(map.sizes, ElementsAre(16, 8));
  EXPECT_THAT(map.stride_bytes, ElementsAre(64));
  EXPECT_THAT(map.element_strides, ElementsAre(1, 1));
  EXPECT_EQ(map.swizzle, "32");
  EXPECT_EQ(map.promotion, "128");
  EXPECT_EQ(map.fill, "zero");
  EXPECT_EQ(plan.tensor_maps[1].element, "f32");
  EXPECT_EQ(plan.tensor_maps[1].fill, "nan");
  std::vector<std::string> places;
  for (const PlanArgument& a : plan.steps[1].arguments)
    places.push_back(fmt::format("{}@{}", a.parameter, a.at));
  EXPECT_THAT(places, ElementsAre("0@0", "1@0", "1@64", "1@192", "1@320", "1@400", "2@0"));
  EXPECT_EQ(plan.steps[0].arguments[0].kind, ArgumentKind::TensorMap);
  EXPECT_EQ(plan.steps[0].arguments[3].map, 1);
}

TEST(Plan, LimitsOfTheDeviceRuleOutKnobs) {
  auto header = *parse_header(test::directives("tune S = 8, 4\n"
                                               "require S * 32768 <= shared_max\n"
                                               "launch k grid(1) block(1) shared(S * 32768)"),
                              "a.cu", Target::Cuda);
  EXPECT_EQ(header.default_point().at("S"), 8);
  header.limits = device_limits(test::h200());
  EXPECT_EQ(header.default_point().at("S"), 4);
}

TEST(Plan, KernelNamesNeedNoWorkload) {
  const auto source = test::directives(
      "tune B = 2, 4\n"
      "let HALF = B / 2\n"
      "when B == 4\n"
      "  launch four grid(1) block(1)\n"
      "else when m == 3\n"
      "  launch k<HALF> grid(1) block(1)\n"
      "else\n"
      "  launch k<B + 1> grid(1) block(1)\n"
      "  launch k<HALF> grid(1) block(1)\n"
      "end");
  const auto header = *parse_header(source, "a.cu", Target::Cuda);
  EXPECT_THAT(*kernel_names(header, source, "a.cu", {{"B", 2}}, "sm_80"),
              ElementsAre("k<1>", "k<3>"));
  EXPECT_THAT(*kernel_names(header, source, "a.cu", {{"B", 4}}, "sm_80"), ElementsAre("four"));
  const auto wrong = test::directives("launch k<m> grid(1) block(1)");
  const auto other = *parse_header(wrong, "a.cu", Target::Cuda);
  EXPECT_FALSE(kernel_names(other, wrong, "a.cu", {}, "sm_80").has_value());
}

TEST(Plan, KernelNamesAreThoseOfTheArch) {
  const auto source = test::directives(
      "when arch >= sm_90\n"
      "  launch newer<1> grid(1) block(1)\n"
      "else\n"
      "  launch older<1> grid(1) block(1)\n"
      "end");
  const auto header = *parse_header(source, "a.cu", Target::Cuda);
  EXPECT_THAT(*kernel_names(header, source, "a.cu", {}, "sm_90a"), ElementsAre("newer<1>"));
  EXPECT_THAT(*kernel_names(header, source, "a.cu", {}, "sm_89"), ElementsAre("older<1>"));
}

TEST(Plan, ArchsAreOrderedAndAnExactOneIsMoreThanItsFamily) {
  EXPECT_EQ(arch_number("sm_75"), 750);
  EXPECT_LT(arch_number("sm_89"), arch_number("sm_90"));
  EXPECT_LT(arch_number("sm_90"), arch_number("sm_90a"));
  EXPECT_LT(arch_number("sm_90a"), arch_number("sm_100"));
  EXPECT_LT(arch_number("sm_103"), arch_number("sm_103f"));
  EXPECT_LT(arch_number("sm_103f"), arch_number("sm_103a"));
  for (const char* wrong :
       {"", "sm_", "sm_90b", "sm_-9", "90", "sm_99999999999999999999", "sm_9a0"})
    EXPECT_EQ(arch_number(wrong), 0) << wrong;
}

TEST(Plan, RequirementsMayNameTheArch) {
  const std::string lines = "require arch == sm_90a\nlaunch k grid(1) block(1)";
  EXPECT_EQ(test::attempt(lines).complaint(), "accepted");
  auto plain = test::h200();
  plain.arch = "sm_90";
  const auto refused = test::attempt(lines, "small", plain);
  EXPECT_EQ(refused.complaint(), "1:9 unmet arch == sm_90a");
  EXPECT_EQ(refused.verdict.outcome, Outcome::OutOfResources);
  auto header = *parse_header(test::directives(lines), "a.cu", Target::Cuda);
  EXPECT_EQ(header.points(9).size(), 1u);
  header.limits = device_limits(plain);
  EXPECT_EQ(header.points(9).size(), 0u) << "a tuner has nothing to try there";
  for (const char* number : {"require arch >= 90", "require arch"}) {
    const auto nonsense = parse_header(test::directives(number), "a.cu", Target::Cuda);
    ASSERT_FALSE(nonsense.has_value()) << number;
    EXPECT_EQ(nonsense.error().front().about, "arch");
  }
}

TEST(Plan, MacrosAreWhatFollowsFromKnobs) {
  const auto header =
      *parse_header(test::directives("tune B = 2\n"
                                     "let HALF = B / 2, PER = m / B, MORE = PER + 1, OF = sms\n"
                                     "let QUARTER = HALF / 2\n"
                                     "dialect cute\n"
                                     "launch k grid(1) block(1)"),
                    "a.cu", Target::Cuda);
  EXPECT_THAT(header.defines(header.default_point()), ElementsAre("B=2", "HALF=1", "QUARTER=0"));
  EXPECT_EQ(header.dialect, "cute");
}

TEST(Plan, TruthsSeeDoublesAndAsMuchWorkspaceAsTheyNeed) {
  const auto definition = test::sample();
  const auto source = test::directives(
      "workspace w f64 [1 + 262144]\n"
      "launch k grid(1) block(1) args(u[1], a, w)");
  const auto candidate = *make_candidate("truth", source, Origin::Reference, {}, Target::Cuda);
  EXPECT_EQ(candidate.trust_class, TrustClass::DeviceCode);
  std::vector<Workload> workloads;
  for (const auto& spec : definition.workloads) workloads.push_back(*resolve(definition, spec));
  const auto plans =
      *candidate_plans(definition, candidate, "reference_fast", workloads, test::h200());
  ASSERT_EQ(plans.size(), workloads.size());
  EXPECT_EQ(plans[0].workload, "small");
  EXPECT_EQ(plans[0].plan.steps[0].arguments[0].place.offset, 8 * 16 * 8);
  EXPECT_EQ(plans[0].plan.steps[0].arguments[1].bytes, 8);
  const auto refused = candidate_plans(definition, candidate, "candidate", workloads, test::h200());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().verdict.outcome, Outcome::OutOfResources);
  auto elsewhere = candidate;
  elsewhere.knobs = {{"B", 1}};
  const auto unknown = candidate_plans(definition, elsewhere, "candidate", workloads, test::h200());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().verdict.outcome, Outcome::Rejected);
}

}  // namespace
}  // namespace kw::task
