// Tests of what kw task check prints: short, within 80 columns, failures at the end.
// SPDX-License-Identifier: Apache-2.0
#include "cli/admission_view.h"

#include <gmock/gmock.h>

#include "base/display_width.h"
#include "base/text.h"

namespace kw::cli {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::vector<session::AdmissionLine> lines() {
  const std::string why =
      "taken for correct: the values are so small that what the last block adds is below the gate";
  return {{"reference at the task's type", "one", true, "at 0.5 of the gate"},
          {"reference at the task's type", "a-shape-of-a-very-long-name", true, "at 0 of the gate"},
          {"zeros", "one", true, "caught: the error is 1e+06 times what the gate allows"},
          {"ones", "a-shape-of-a-very-long-name", false, why},
          {"mutant 3", "one", true, "not tried here: the same", true, false},
          {"null answers and mutants", "big", true, "it needs 40 GiB", false},
          {"the gate is nearly met", "all", true, ""},
          {"raise the values of x, or lower c", "all", false, ""}};
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string_view line : split_lines(text)) all.emplace_back(line);
  return all;
}

TEST(AdmissionView, ALineForEachWorkloadAndFailuresLast) {
  EXPECT_THAT(
      lines_in(admission_summary(lines())),
      ElementsAre("ok   one                  2 checks, reference at 0.5 of the gate",
                  "FAIL a-shape-of-a-very-l… 1 of 2 checks failed, reference at 0 of the gate",
                  "left big                  left out: it needs 40 GiB",
                  "note the gate is nearly met",
                  StartsWith("FAIL a-shape-of-a-very-long-name: ones: taken for correct:"),
                  StartsWith("     "), "FAIL raise the values of x, or lower c"));
}

TEST(AdmissionView, AFailureOnSeveralInputSetsIsToldOnce) {
  auto many = lines();
  many.push_back(many[3]), many.push_back(many[3]), many.push_back(many.back());
  many.push_back(many[7]), many.push_back(many[2]);
  const auto once = failures_once(many);
  ASSERT_EQ(once.size(), lines().size() + 1) << "what passed twice stays";
  EXPECT_THAT(once[3].detail, testing::HasSubstr("4 input sets"));
  EXPECT_EQ(once[7].detail, "") << "a sentence on the whole task belongs to no input set";
  EXPECT_EQ(once[2].detail, lines()[2].detail);
}

TEST(AdmissionView, FitsEightyColumns) {
  auto many = lines();
  many[3].detail +=
      std::string(200, 'x') + " 核心核心核心核心核心核心核心核心核心核心核心核心核心核心";
  for (const std::string& line : lines_in(admission_summary(many)))
    EXPECT_LE(display_width(line), 80u) << line;
}

TEST(AdmissionView, DetailsEndWithWhatFailed) {
  const auto all = lines_in(admission_details(lines()));
  ASSERT_EQ(all.size(), lines().size());
  EXPECT_THAT(all[0], StartsWith("ok   reference"));
  EXPECT_THAT(all[3], StartsWith("none mutant 3"));
  EXPECT_THAT(all[5], StartsWith("note the gate"));
  EXPECT_THAT(all[6], StartsWith("FAIL ones"));
  EXPECT_THAT(all[7], StartsWith("FAIL raise"));
}

}  // namespace
}  // namespace kw::cli
