// Tests that a task with placeholders in spec.md is refused before a model is asked.
// SPDX-License-Identifier: Apache-2.0
#include "task/specified.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/draft.h"
#include "task/load.h"

namespace kw::task {
namespace {

std::string specified_error(const std::string& spec) {
  Definition definition;
  definition.folder = "tasks/mine";
  definition.task.spec = spec;
  const auto checked = check_specified(definition);
  if (checked) return "fine";
  const Error& error = checked.error();
  EXPECT_TRUE(error.is_input);
  return fmt::format("{} {} {}", name_of(error.code), error.about, error.where);
}

TEST(Specified, APlaceholderIsNamedWithItsLineAndWhatToWrite) {
  EXPECT_EQ(specified_error("# mine\n\nSay here in a few sentences what the function computes.\n"),
            "missing specification tasks/mine/spec.md:3");
  EXPECT_EQ(specified_error("# mine\n\nIt adds.\n\n TODO: say what\n"),
            "missing specification tasks/mine/spec.md:5");
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
