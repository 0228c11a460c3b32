// The words of one trouble of each kind that a launch plan can have. Other tests assert on the kind
// and on what the trouble is about, so that words can change.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "task/plan_for_test.h"
#include "task/plan_trouble.h"

namespace kw::task {
namespace {

struct TroubleExample {
  const char* lines;  ///< The plan before a launch that is right.
  const char* words;
};

/// The words of the first complaint, without the workload behind them.
std::string words_of_first(const test::Attempt& attempt) {
  if (attempt.plan) return "accepted";
  const std::string& text = attempt.plan.error().front().text;
  return text.substr(0, text.find(" (at workload"));
}

TEST(PlanSnapshot, EachKindOfTroubleHasOneExample) {
  const std::map<PlanFlaw, TroubleExample> examples = {
      {PlanFlaw::BadExpression, {"let q = m / (n - 8)", "this expression divides by zero"}},
      {PlanFlaw::BadForm, {"fill y 0", "a `// kw: fill` line has the form: fill PLACE with VALUE"}},
      {PlanFlaw::BadName, {"workspace f32 f32 [4]", "'f32' cannot name a workspace"}},
      {PlanFlaw::Missing,
       {"launch k grid(1)", "a `// kw: launch` line needs grid(…) and block(…)"}},
      {PlanFlaw::Unclosed, {"launch k grid(1, block(1)", "this opening bracket is not closed"}},
      {PlanFlaw::Unexpected,
       {"workspace w f32 [4] clean", "only `zeroed` may follow the type and sizes of a workspace"}},
      {PlanFlaw::Unknown,
       {"launch k grid(1) blok(1)",
        "a `// kw: launch` line has no part 'blok' (did you mean 'block'?)"}},
      {PlanFlaw::Repeated,
       {"let n = 3 + m", "the name 'n' is already used by the task or by the plan"}},
      {PlanFlaw::Misplaced, {"tail", "`tail` may stand only inside a `for`, and only once"}},
      {PlanFlaw::TooMany,
       {"launch k grid(1, 2, 3, 4) block(1)", "this list has 4 numbers; at most 3 are allowed"}},
      {PlanFlaw::WrongKind,
       {"launch k grid(1) block(1) args(n[1])", "'n' is a number, not a tensor or workspace"}},
      {PlanFlaw::Empty,
       {"launch k grid(0) block(1)",
        "the grid of this launch is empty: x is 0; where nothing is to be done, leave the launch "
        "out by // kw: when"}},
      {PlanFlaw::OutOfRange, {"launch k grid(1) block(1025)", "block x is 1025; 1 to 1024"}},
      {PlanFlaw::NoMultiple,
       {"launch k grid(9) block(1) cluster(2)",
        "the launch's grid x is 9, which is no multiple of the cluster's 2"}},
      {PlanFlaw::DoesNotFit,
       {"launch k grid(1) block(1) args(u8(256))",
        "the value 256 of this argument does not fit into u8"}},
      {PlanFlaw::Unsupported,
       {"launch k grid(1) block(1) args(f16(1))",
        "a value of type f16 cannot be passed to a kernel; pass an f32"}},
      {PlanFlaw::Contradiction,
       {"map A = x sizes(4, 4) box(4, 4)",
        "in a `// kw: map` line box and steps need as many numbers as sizes, and strides one "
        "fewer"}},
      {PlanFlaw::Overlap,
       {"copy u[0 : 2] to u[1]", "the source and the target of this copy overlap"}},
      {PlanFlaw::Overrun,
       {"copy u to y",
        "a copy of 1536 bytes to byte 0 of 'y' does not fit: the target has 32 bytes"}},
      {PlanFlaw::ReadOnly,
       {"fill x with 0", "the plan may not write to 'x', which is an input or a table"}},
      {PlanFlaw::TypesDiffer,
       {"copy keys to y", "a copy cannot convert types: 'keys' is u8 and 'y' is f32"}},
      {PlanFlaw::Unmet,
       {"require 4 * m <= n", "this `// kw: require` condition does not hold: 4 * m <= n"}},
  };
  for (std::size_t i = 0; i < EnumNames<PlanFlaw>::names.size(); ++i) {
    const auto flaw = static_cast<PlanFlaw>(i);
    if (flaw == PlanFlaw::Padded) continue;  // no workload of `examples` has padded rows
    ASSERT_TRUE(examples.contains(flaw)) << kw::name_of(flaw);
    const auto& [lines, words] = examples.at(flaw);
    const auto attempt = test::attempt(std::string(lines) + "\nlaunch k grid(1) block(1) args(x)");
    EXPECT_EQ(words_of_first(attempt), words);
    EXPECT_TRUE(attempt.complaint().contains(" " + std::string(kw::name_of(flaw)))) << lines;
  }
}

TEST(PlanSnapshot, PaddedRowsAreNotOverwritten) {
  EXPECT_EQ(words_of_first(test::attempt("fill v with 0\nlaunch k grid(1) block(1)", "odd")),
            "a fill or copy cannot write 'v', whose rows have padding between them that must stay "
            "unchanged: write the tensor in a kernel (in a workload that is not shown)");
}

}  // namespace
}  // namespace kw::task
