// Tests that the launch plans in docs/launch-plan.md and in the task folders resolve at every
// workload for cuda.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "task/plan_for_test.h"
#include "task/units.h"

namespace kw::task {
namespace {

std::string source_path(const std::string& name) { return std::string(KW_SOURCE_DIR) + "/" + name; }

Definition shipped(const std::string& task) {
  auto definition = load_task(source_path("tasks/" + task));
  EXPECT_TRUE(definition.has_value()) << describe(definition.error());
  return definition ? std::move(*definition) : Definition();
}

std::vector<Workload> cuda_workloads(const Definition& definition) {
  return resolve(definition, Target::Cuda, std::int64_t{1} << 50)->workloads;
}

void expect_plans(const Definition& definition, const Candidate& candidate, const char* role) {
  // A device smaller than any GPU in use, so that a shipped plan that needs more fails the test.
  GpuFacts small = test::h200();
  small.multiprocessors = 40;
  for (const GpuFacts& gpu : {test::h200(), small}) {
    const auto plans =
        candidate_plans(definition, candidate, role, cuda_workloads(definition), gpu);
    EXPECT_TRUE(plans.has_value()) << definition.task.name << '\n' << plans.error().finding.frame;
  }
  EXPECT_TRUE(candidate_unit(definition.task, candidate, role, "sm_90a").has_value());
}

struct Documented {
  std::string task;
  /// The kernel's file: the last .cu name in backticks before the plan's block in the document.
  std::string file;
  std::string plan;
};

std::string text_of(const std::string& path) {
  std::ifstream stream(source_path(path));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The documented launch plans: the code blocks whose fence names a task.
std::vector<Documented> documented_plans() {
  std::vector<Documented> plans;
  std::string file;
  bool is_inside = false;
  const std::string text = text_of("docs/launch-plan.md");
  for (const auto line : split_lines(text)) {
    if (line.starts_with("```")) {
      is_inside = line.starts_with("```cuda ");
      if (is_inside) plans.push_back({std::string(line.substr(8)), file, ""});
    } else if (is_inside) {
      plans.back().plan += std::string(line) + '\n';
    } else if (const auto end = line.find(".cu`"); end != std::string_view::npos) {
      const auto begin = line.rfind('`', end) + 1;
      file = line.substr(begin, end + 3 - begin);
    }
  }
  return plans;
}

/// The directives of a source file, as written there.
std::string directives_of(const std::string& file) {
  std::string lines;
  const std::string text = text_of(file);
  for (const auto line : split_lines(text))
    if (line.starts_with("// kw:")) lines += std::string(line) + '\n';
  return lines;
}

TEST(PlanExamples, OfTheDocument) {
  const auto plans = documented_plans();
  ASSERT_EQ(plans.size(), 3u);
  for (const auto& [task, file, plan] : plans) {
    EXPECT_EQ(plan, directives_of(file))
        << "the kernel has another plan than the document: " << file;
    const auto definition = shipped(task);
    const auto candidate =
        make_candidate("example", plan, Origin::Human, definition.task.restrictions, Target::Cuda);
    ASSERT_TRUE(candidate.has_value()) << plan << to_text(candidate.error());
    expect_plans(definition, *candidate, "candidate");
  }
}

TEST(PlanExamples, TruthsOfTheTasks) {
  int truths = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tasks"))) {
    const auto definition = shipped(entry.path().filename().string());
    if (definition.reference_fast) {
      expect_plans(definition, *definition.reference_fast, "reference_fast");
      ++truths;
    }
    if (definition.magnitude_fast)
      expect_plans(definition, *definition.magnitude_fast, "magnitude_fast");
    for (const Candidate& baseline : definition.baselines)
      if (baseline.target == Target::Cuda) expect_plans(definition, baseline, "opponent");
  }
  EXPECT_GT(truths, 10);
}

/// Every step of a plan that is accepted stays within the memory that it names and within the
/// device's limits.
RC_GTEST_PROP(PlanProperty, WhatIsAcceptedIsInside, ()) {
  const auto number = rc::gen::element<std::string>("1", "2", "2", "3", "1", "0", "4", "-1");
  const auto text = [&](const char* form) {
    return fmt::format(fmt::runtime(form), *number, *number, *number);
  };
  std::string lines = "workspace w f32 [4, 128]\n";
  const int count = *rc::gen::inRange(1, 3);
  for (int i = 0; i < count; ++i) {
    const char* const form = *rc::gen::element<const char*>(
        "launch k grid({}) block({}) args(u[{}])", "fill w[{}, {} : {}] with 0",
        "copy u[{}] to w[{}]", "copy w[{} : {}] to u[{}]", "launch k grid(1) block({}, {}, {})",
        "for t = {} .. {} step {}\nlaunch k grid(t) block(1) args(w[t])\nend",
        "map A = u[{}] sizes({}, 4) strides({} * 16) box(4, 4)\n"
        "launch k grid(1) block(1) args(A)");
    lines += text(form) + (i % 2 == 0 ? "\nlaunch k grid(1) block(1)\n" : "\n");
  }
  const auto result = test::attempt(lines + "launch k grid(1) block(1)");
  RC_TAG(result.plan.has_value() ? "accepted" : "refused");
  if (!result.plan) {
    RC_ASSERT(!result.plan.error().empty());
    RC_ASSERT(!result.plan.error().front().frame.empty());
    return;
  }
  const auto room = [](const PlanPlace& place) {
    return (place.memory == PlanMemory::Tensor ? 3 * 8 * 16 * 4 : 4 * 128 * 4) - place.offset;
  };
  for (const PlanStep& step : result.plan->steps) {
    RC_ASSERT(step.bytes <= room(step.to) && step.bytes <= room(step.from));
    RC_ASSERT(step.to.offset >= 0 && step.from.offset >= 0);
    for (const auto side : step.grid) RC_ASSERT(side > 0);
    RC_ASSERT(step.block[0] * step.block[1] * step.block[2] <= 1024);
    for (const PlanArgument& argument : step.arguments)
      if (argument.kind == ArgumentKind::Address) RC_ASSERT(room(argument.place) > 0);
  }
  for (const PlanTensorMap& map : result.plan->tensor_maps)
    RC_ASSERT((map.sizes[1] - 1) * map.stride_bytes[0] + map.sizes[0] * 4 <= room(map.base));
}

}  // namespace
}  // namespace kw::task
