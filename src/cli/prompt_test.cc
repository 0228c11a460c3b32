// Tests that the compiler flags named in prompts are those that the compiler receives.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compile/flags.h"
#include "propose/prompt.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Whether a flag changes neither the meaning nor the speed of code.
bool is_silent(const std::string& flag) {
  static const std::set<std::string> silent = {"-fPIC",
                                               "-fvisibility=hidden",
                                               "-fno-stack-protector",
                                               "-fcf-protection=none",
                                               "-U_FORTIFY_SOURCE",
                                               "-pipe"};
  return silent.contains(flag) || flag.starts_with("-W") || flag.starts_with("-fdiagnostics") ||
         flag.starts_with("-fno-diagnostics") || flag.starts_with("-ftemplate") ||
         flag.starts_with("-fopt-info") || flag.starts_with("-fdump") ||
         flag.starts_with("-fmax-errors");
}

TEST(PromptCommand, PromptsNameTheFlagsThatCandidatesAreCompiledWith) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  const auto task = session::open_task(Global(), *data, "saxpy");
  const auto book = propose::PromptBook::open(*data);
  ASSERT_TRUE(task.has_value() && book.has_value());
  propose::Situation situation;
  situation.number = 1;
  situation.task = &*task;
  const auto prompt = book->build(situation);
  ASSERT_TRUE(prompt.has_value());
  for (const std::string& flag : compile::compile_flags({})) {
    if (is_silent(flag)) continue;
    EXPECT_THAT(prompt->system, HasSubstr(flag));
  }
  for (const std::string& option : compile::option_names())
    EXPECT_THAT(prompt->system, HasSubstr("// kw: option " + option + "`"));
  EXPECT_THAT(prompt->system, Not(HasSubstr("openblas"))) << "libraries are for baselines";
}

}  // namespace
}  // namespace kw::cli
