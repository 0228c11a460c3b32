// Tests that a task with placeholders in spec.md is refused before a model is asked.
// SPDX-License-Identifier: Apache-2.0
#include "task/specified.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/draft.h"
#include "task/load.h"

namespace kw::task {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string specified_error(const std::string& spec) {
  Definition definition;
  definition.folder = "tasks/mine";
  definition.task.spec = spec;
  const auto checked = check_specified(definition);
  if (checked) return "fine";
  EXPECT_TRUE(checked.error().is_input);
  return describe(checked.error());
}

TEST(Specified, APlaceholderIsNamedWithItsLineAndWhatToWrite) {
  EXPECT_THAT(
      specified_error("# mine\n\nSay here in a few sentences what the function computes.\n"),
      AllOf(HasSubstr("tasks/mine/spec.md:3: a placeholder stands here"),
            HasSubstr("write which tensors are read")));
  EXPECT_THAT(specified_error("# mine\n\nIt adds.\n\n TODO: say what\n"), HasSubstr("spec.md:5: "));
}

TEST(Specified, WordsAreEnough) {
  EXPECT_EQ(specified_error("# mine\n\ny is twice x.\n"), "fine");
  EXPECT_EQ(specified_error("y is twice x; a TODO list is none.\n"), "fine");
  EXPECT_EQ(specified_error(""), "fine") << "the summary and the reference say it";
}

TEST(Specified, WhatIsDraftedNeedsNobody) {
  for (const auto& draft :
       {draft_skeleton("mine"), draft_from_source("void f(int n, const float* x, float* y) {\n"
                                                  "  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n",
                                                  "f.c", "", "")}) {
    ASSERT_TRUE(draft.has_value());
    const auto definition = parse_task({"draft", draft->files});
    ASSERT_TRUE(definition.has_value());
    EXPECT_TRUE(check_specified(*definition).has_value());
  }
}

}  // namespace
}  // namespace kw::task
