// Tests of kernels with a build for each shape: how the text selects a build, and that a
// specialised launch plan does the same as the original one.
// SPDX-License-Identifier: Apache-2.0
#include "task/specialise.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "record/codec.h"
#include "task/plan_for_test.h"

namespace kw::task {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Candidate kernel(std::string_view source, Target target = Target::Cpu,
                 Origin origin = Origin::Human) {
  auto made = make_candidate("mine", source, origin, {}, target);
  EXPECT_TRUE(made.has_value()) << to_text(made.error());
  return made ? *made : Candidate();
}

Task saxpy() { return load_task(std::string(KW_SOURCE_DIR) + "/tasks/saxpy").value().task; }

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

constexpr const char* kCpu = R"(// mine
// kw: tune B = 4, 8
// kw: let C = B * 2, D = C + 1
// kw: option unroll_loops
/* about
   includes */
#if defined(__linux__)
#include <stddef.h>
#endif
static int twice(int n) { return n * B; }
// kw: technique blocking
void saxpy(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
)";

TEST(Specialise, OnCpuTheFunctionDispatchesWithSizesAsLiterals) {
  const std::string text =
      specialise(saxpy(), kernel(kCpu), std::vector<Arm>{{"big", {{"n", 100}}, {{"B", 8}}}})
          .value();
  EXPECT_THAT(text,
              HasSubstr("// kw: option unroll_loops\n// kw: technique specialised, blocking"));
  EXPECT_EQ(count(text, "#include <stddef.h>"), 1U);
  EXPECT_LT(text.find("#endif"),
            text.find("namespace kw_arm_1 {  // big\n#undef B\n#define B 8\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("#define C 16\n"), HasSubstr("#define D 17\n"),
                          HasSubstr("#define KW_CONST_n 100\n")));
  EXPECT_THAT(text, HasSubstr("#undef KW_CONST_n\n#undef saxpy\n}\n"));
  EXPECT_THAT(text, HasSubstr("namespace kw_rest {  // all other shapes\n#undef B\n#define B 4\n"));
  EXPECT_THAT(text,
              HasSubstr("  if (n == 100)\n    return kw_arm_1::kw_arm_1_saxpy(100, a, x, y);\n"
                        "  return kw_rest::kw_rest_saxpy(n, a, x, y);\n"));
  EXPECT_THAT(text, Not(HasSubstr("tune")));
  const auto again = parse_header(text, "again", Target::Cpu);
  ASSERT_TRUE(again.has_value()) << to_text(again.error());
  EXPECT_TRUE(again->knobs.empty());
}

TEST(Specialise, OnCudaThePlanDispatches) {
  const std::string text = specialise(saxpy(),
                                      kernel(R"(// kw: tune B = 128, 256
// kw: let PER = B * 4, BLOCKS = ceil_div(n, PER)
// kw: launch first grid(BLOCKS) block(B) args(n,
// kw:   a, x, y)
// kw: launch mine::second<B> grid(1) block(B) args(x)
extern "C" __global__ void first(int n, float a, const float* x, float* y) {}
namespace mine { template <int N> __global__ void second(const float* x) {} }
)",
                                             Target::Cuda),
                                      std::vector<Arm>{{"big", {{"n", 100}}, {{"B", 256}}}})
                               .value();
  EXPECT_THAT(text, HasSubstr(R"(// kw: when n == 100
// kw:   let BLOCKS = ceil_div(n, 1024)
// kw:   launch kw_arm_1::first grid(BLOCKS) block(256) args(n, a, x, y)
// kw:   launch kw_arm_1::mine::second<256> grid(1) block(256) args(x)
// kw: else
// kw:   let BLOCKS = ceil_div(n, 512)
// kw:   launch kw_rest::first grid(BLOCKS) block(128) args(n, a, x, y)
)"));
  EXPECT_EQ(count(text, "extern \"C++\" __global__ void first"), 2U);
}

// Without #undef, a macro that one copy defines for its sizes would still be defined in the
// following copies.
TEST(Specialise, MacrosOfACopyEndWithIt) {
  const std::string text =
      specialise(
          saxpy(),
          kernel("// kw: library openblas\n#define KEPT 1\n#include <math.h>\n#ifdef KW_CONST_n\n"
                 "  #  define FULL(x) \\\n 1\n#endif\nvoid saxpy() {}\n",
                 Target::Cpu, Origin::Baseline),
          std::vector<Arm>{{"big", {{"n", 100}}, {}}, {"odd", {{"n", 7}}, {}}})
          .value();
  EXPECT_EQ(count(text, "#ifndef KW_HAD_FULL\n#undef FULL\n"), 3U);
  EXPECT_EQ(count(text, "KEPT"), 1U);
  EXPECT_THAT(text,
              HasSubstr("  if (n == 100)\n    return kw_arm_1::kw_arm_1_saxpy(100, a, x, y);\n"
                        "  if (n == 7)\n    return kw_arm_2::kw_arm_2_saxpy(7, a, x, y);\n"));
  EXPECT_THAT(text, HasSubstr("// kw: library openblas\n"));
}

TEST(Specialise, SaysWhatItCannotDo) {
  const auto why = [](std::string_view source, const std::vector<Arm>& arms,
                      Target target = Target::Cpu) {
    const auto text = specialise(saxpy(), kernel(source, target), arms);
    return text ? std::string("nothing")
                : fmt::format("{} {}", name_of(text.error().code), text.error().about);
  };
  const Arm arm{"big", {{"n", 100}}, {{"B", 8}}};
  EXPECT_EQ(why(kCpu, {}), "missing shape");
  EXPECT_EQ(why(kCpu, {arm, {"other", {{"n", 100}}, {{"B", 4}}}}), "contradiction big, other");
  EXPECT_EQ(why(kCpu, {{"big", {{"n", 100}}, {{"B", 5}}}}), "out_of_range knobs of big");
  EXPECT_EQ(why("// kw: tune B = 4, 8\nint x;\n#include <math.h>\n", {arm}),
            "unsupported line 2: code");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#if B > 4\n#include <math.h>\n#endif\n", {arm}),
            "unsupported line 2: B differs");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#if defined(__linux__) && \\\n  B > 4\n#endif\n#include "
                "<math.h>\n",
                {arm}),
            "unsupported line 2: B differs");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#define S 1\n#include <math.h>\nint x;\n#undef S\n", {arm}),
            "unsupported line 5: S changes");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n// kw: technique specialised\nint x;\n", {arm}),
            "wrong_state specialised");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#ifndef B\n#define B 4\n#endif\n/* #if\n*/\n#define T 64 /* "
                "a,\n b */\n"
                "#include <math.h>\n/*\n#include <none.h>\n*/\nint x = 1'000;\nconst char* r = "
                "R\"(\n#include <none>)\";\n",
                {arm}),
            "nothing");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#define WIDE (B > 4)\n#if WIDE\n#include <math.h>\n#endif\n",
                {arm}),
            "unsupported line 3: WIDE differs");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n#ifdef KW_CONST_n\n#endif\n#include <math.h>\n", {arm}),
            "unsupported line 2: KW_CONST_n differs");
  EXPECT_EQ(why("// kw: tune B = 4, 8\n// kw: dialect host\n", {arm}, Target::Cuda),
            "unsupported host launcher");
}

TEST(Specialise, ArmsKnowWhatTheKernelCanSee) {
  const auto definition = test::sample();
  const auto workloads = resolve(definition, Target::Cuda, std::int64_t{1} << 40).value().workloads;
  const Workload& large = workloads.back();
  using Sizes = std::map<std::string, std::int64_t>;
  EXPECT_EQ(arm_for(definition.task, large, Target::Cuda, {}).sizes,
            (Sizes{{"n", 64}, {"m", 64}, {"pad", 0}, {"big", 4096}, {"ld", 64}}));
  Workload vector;
  vector.scalars = {{"n", Dtype::I32, 0, 7}, {"a", Dtype::F32, 2, 0}, {"hidden", Dtype::I32, 0, 3}};
  EXPECT_EQ(arm_for(saxpy(), vector, Target::Cpu, {}).sizes, (Sizes{{"n", 7}}));
}

/// A resolved plan as text, without the kernels' names, which differ between copies.
std::string deeds(Plan plan) {
  plan.branches.clear();
  for (PlanStep& step : plan.steps) step.kernel.clear();
  return encode(RolePlan{"", "", std::move(plan)});
}

// Expects that for every workload the specialised kernel's plan launches what the kernel itself
// launches with the same knobs.
void expect_equal_plans(const Definition& definition, const fs::path& file) {
  const Candidate generic = kernel(test::bytes_of(file), Target::Cuda);
  const auto header = parse_header(generic);
  const auto workloads = resolve(definition, Target::Cuda, std::int64_t{1} << 40).value().workloads;
  const auto points = header->points(64);
  std::vector<Arm> arms;
  for (const Workload& w : workloads) {
    Arm arm = arm_for(definition.task, w, Target::Cuda, points[arms.size() % points.size()]);
    const bool is_known =
        std::ranges::any_of(arms, [&](const Arm& known) { return known.sizes == arm.sizes; });
    if (w.group == Group::Time && !is_known) arms.push_back(std::move(arm));
  }
  const auto text = specialise(definition.task, generic, arms);
  ASSERT_TRUE(text.has_value()) << text.error().what;
  const Candidate special = kernel(*text, Target::Cuda);
  for (const Workload& w : workloads) {
    Candidate alone = generic;
    for (const Arm& arm : arms)
      if (arm.sizes == arm_for(definition.task, w, Target::Cuda, {}).sizes) alone.knobs = arm.knobs;
    const auto plan = [&](const Candidate& c) {
      return candidate_plans(definition, c, "candidate", std::span(&w, 1), test::h200());
    };
    const auto one = plan(alone);
    const auto other = plan(special);
    ASSERT_EQ(one.has_value(), other.has_value()) << w.name << "\n" << *text;
    if (one) {
      EXPECT_EQ(deeds(one->front().plan), deeds(other->front().plan)) << w.name;
    }
  }
}

TEST(Specialise, ShippedKernelsKeepTheirPlans) {
  int files = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(KW_SOURCE_DIR) / "playbook")) {
    const auto definition = load_task(fs::path(KW_SOURCE_DIR) / "tasks" / folder.path().filename());
    if (!definition) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".cu") continue;
      SCOPED_TRACE(entry.path().string());
      expect_equal_plans(*definition, entry.path());
      ++files;
    }
  }
  EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace kw::task
