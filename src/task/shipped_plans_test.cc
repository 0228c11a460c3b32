// Tests that every shipped launch plan resolves at every workload of its task, and that no timed
// workload takes a branch of a plan that no checked workload takes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <vector>

#include "record/at_double.h"
#include "task/plan_for_test.h"

namespace kw::task {
namespace {

namespace fs = std::filesystem;

/// Expects the launch plan of one file to resolve with default knobs at every workload; failures
/// name file and workload.
void expect_plans(const Definition& definition, const fs::path& file) {
  const auto source = test::bytes_of(file);
  const auto header = parse_header(source, file.string(), Target::Cuda);
  ASSERT_TRUE(header.has_value()) << to_text(header.error());
  const auto workloads = resolve(definition, Target::Cuda, std::int64_t{1} << 40);
  ASSERT_TRUE(workloads.has_value()) << describe(workloads.error());
  const bool is_truth = file.stem().string().ends_with("_fast");
  const GpuFacts gpu = test::h200();
  std::set<std::string> checked;
  std::set<std::string> timed;
  for (const Workload& workload : workloads->workloads) {
    const Workload seen = is_truth ? at_double(workload) : workload;
    PlanSite site{definition, seen, gpu};
    if (is_truth) site.most_workspace_bytes = std::int64_t{1} << 40;
    const auto plan = resolve_plan(*header, source, file.string(), header->default_point(), site);
    ASSERT_TRUE(plan.has_value()) << workload.name << ": " << to_text({plan.error().finding});
    EXPECT_FALSE(plan->steps.empty()) << file << " at " << workload.name;
    auto& taken = workload.group == Group::Time ? timed : checked;
    taken.insert(plan->branches.begin(), plan->branches.end());
  }
  for (const std::string& branch : timed)
    EXPECT_TRUE(checked.contains(branch)) << file << ": no checked workload takes " << branch;
}

TEST(ShippedPlans, ResolveEverywhereAndAreChecked) {
  const fs::path root = KW_SOURCE_DIR;
  int files = 0;
  for (const auto& folder : fs::directory_iterator(root / "tasks")) {
    const auto definition = load_task(folder.path());
    ASSERT_TRUE(definition.has_value()) << describe(definition.error());
    std::vector<std::string> names = definition->like;
    names.push_back(folder.path().filename());
    std::vector<fs::path> places;
    for (const std::string& task : names)
      for (const char* part : {"tasks/{}", "tasks/{}/baselines", "playbook/{}"})
        places.push_back(root / fmt::format(fmt::runtime(part), task));
    for (const fs::path& place : places) {
      if (!fs::is_directory(place)) continue;
      for (const auto& entry : fs::directory_iterator(place)) {
        if (entry.path().extension() != ".cu") continue;
        SCOPED_TRACE(entry.path().string());
        expect_plans(*definition, entry.path());
        ++files;
      }
    }
  }
  EXPECT_GT(files, 90);
}

}  // namespace
}  // namespace kw::task
