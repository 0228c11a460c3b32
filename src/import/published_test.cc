// Tests with the sources in tests/published: each must give the plan, assumptions or refusals in
// the .expect file beside it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "import/plan_draft.h"
#include "task/header.h"
#include "task/load.h"

namespace kw::import {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The rest of each line of `NAME.expect` that begins with this word.
std::vector<std::string> lines_with(const std::string& text, std::string_view word) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text))
    if (line.starts_with(std::string(word) + " ")) lines.emplace_back(line.substr(word.size() + 1));
  return lines;
}

std::vector<std::string> plan_of(const std::string& source) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(source))
    if (line.starts_with("// kw: ")) lines.emplace_back(line.substr(7));
  return lines;
}

class Published : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path folder = fs::path(KW_SOURCE_DIR) / "tests" / "published";
    source_ = text_of(folder / (GetParam() + ".cu"));
    expect_ = text_of(folder / (GetParam() + ".expect"));
    ASSERT_FALSE(source_.empty());
    const auto tasks = lines_with(expect_, "task");
    ASSERT_EQ(tasks.size(), 1u);
    auto task = task::load_task(fs::path(KW_SOURCE_DIR) / "tasks" / tasks[0]);
    ASSERT_TRUE(task) << task.error().what;
    task_ = std::move(*task);
  }

  PlanDraft draft(const std::string& source) const {
    return draft_plan(source, GetParam() + ".cu", &task_);
  }

  std::string source_;
  std::string expect_;
  task::Definition task_;
};

TEST_P(Published, HasThePlanOrTheRefusalsBesideIt) {
  const PlanDraft drafted = draft(source_);
  EXPECT_EQ(plan_of(drafted.source), lines_with(expect_, "kw"));
  std::vector<std::string> assumptions;
  for (const std::string& line : drafted.assumptions)
    assumptions.push_back(line.substr(GetParam().size() + 4));
  EXPECT_EQ(assumptions, lines_with(expect_, "assumed"));
  std::vector<std::string> missing;
  for (const Finding& finding : drafted.missing) {
    missing.push_back(finding.place.substr(GetParam().size() + 4) + ": " + finding.text);
    EXPECT_NE(finding.frame.find('^'), std::string::npos) << finding.text;
  }
  EXPECT_EQ(missing, lines_with(expect_, "missing"));
  EXPECT_EQ(drafted.is_complete(), missing.empty());
  EXPECT_EQ(drafted.source.empty(), !missing.empty());
}

/// The source without its comments, since comments may mention code that was removed.
std::string code_of(const std::string& source) {
  std::string code;
  for (const std::string_view line : split_lines(source))
    code += std::string(line.substr(0, line.find("//"))) + "\n";
  return code;
}

TEST_P(Published, KeepsNoHostCode) {
  const std::string source = code_of(draft(source_).source);
  for (const char* word : {"<<<", "cudaMalloc", "cudaMemcpy", "torch", "PYBIND", "main(",
                           "#include <cuda.h>", "cuda_runtime", "std::vector"})
    EXPECT_EQ(source.find(word), std::string::npos) << word << " in\n" << source;
  EXPECT_FALSE(is_host_launched(draft(source_).source));
  EXPECT_TRUE(is_host_launched(source_));
}

TEST_P(Published, ReadsTheSameWithAMarkAndOtherLineEnds) {
  std::string other = "\xEF\xBB\xBF";
  for (const char c : source_) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const PlanDraft drafted = draft(other);
  EXPECT_EQ(drafted.source, draft(source_).source);
  EXPECT_EQ(drafted.missing.size(), draft(source_).missing.size());
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(KW_SOURCE_DIR) / "tests" / "published"))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Sources, Published, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kw::import
