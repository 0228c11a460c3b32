// Tests of the text that sums up the checks of a task.
// SPDX-License-Identifier: Apache-2.0
#include "cli/task_draft.h"
#include "session/admission.h"

#include <gtest/gtest.h>

namespace kw::cli {
namespace {

using Lines = std::vector<worker::AdmissionLine>;

TEST(AdmissionWords, NameWhatWasLeftOut) {
  Lines lines{{"zeros", "small", true, "caught", true}};
  EXPECT_EQ(session::admission_words(lines), "admitted");
  lines.push_back({"null answers", "cube", true, "not examined", false});
  EXPECT_EQ(session::admission_words(lines),
            "admitted; one workload was left out, or in part: cube");
  lines.push_back({"null answers", "box", true, "not examined", false});
  lines.push_back({"ones", "small", false, "taken for correct", true});
  EXPECT_EQ(session::admission_words(lines),
            "NOT admitted; some workloads were left out, or in part: cube, box");
  EXPECT_EQ(session::admission_words({}), "NOT admitted");
}

}  // namespace
}  // namespace kw::cli
