// Tests of what prompts leave out of a task's own files.
// SPDX-License-Identifier: Apache-2.0
#include "propose/spec_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/shipped_task.h"
#include "task/load.h"

namespace kw::propose {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kMarkedSpec =
    "# twice\n\nEach is doubled.\n\n**On a processor.** Use the\ncores.\n\n**On a GPU.** Use "
    "warps.\n\n"
    "**Gate.** |d| <= u.\nMeasured at 1024.\n\n**Timed inputs** are odd.\n";

TEST(SpecText, HasNoTitleNoGateAndNothingForTheOtherTarget) {
  EXPECT_EQ(shown_spec(kMarkedSpec, Target::Cpu),
            "Each is doubled.\n\nUse the\ncores.\n\n**Timed inputs** are odd.");
  EXPECT_EQ(shown_spec(kMarkedSpec, Target::Cuda),
            "Each is doubled.\n\nUse warps.\n\n**Timed inputs** are odd.");
  EXPECT_EQ(shown_spec("", Target::Cpu), "");
  EXPECT_EQ(shown_spec("# twice\n", Target::Cpu), "");
}

TEST(SpecText, TheReferenceLacksWhatServesTheGateAlone) {
  EXPECT_EQ(shown_reference(
                "// The truth.\n// SPDX-License-Identifier: Apache-2.0\n#include <cmath>\n\n"
                "template <class Real>\nvoid reference(int n, Real* y) {\n  y[n] = 0;\n}\n\n"
                "// How large it is.\ntemplate <class Real>\nvoid magnitude(int n, Real* y) {\n"
                "  if (n > 0) {\n    y[n] = 1;\n  }\n}\n\n"
                "template <class Real>\nvoid reference(Real* y) {\n  reference(1, y);\n}\n"),
            "#include <cmath>\n\ntemplate <class Real>\nvoid reference(int n, Real* y) {\n  y[n] = "
            "0;\n}\n\n"
            "template <class Real>\nvoid reference(Real* y) {\n  reference(1, y);\n}\n");
  EXPECT_EQ(shown_reference("// Mine.\nvoid f() {}"), "// Mine.\nvoid f() {}\n")
      << "a person's words";
  EXPECT_EQ(shown_reference(""), "\n");
}

// The constants that a variant's overload begins with are of no interest to a reader.
TEST(SpecText, FixedDimsStandWhereTheyAreUsed) {
  EXPECT_EQ(shown_reference("template <class Real>\nvoid reference(int n, Real* y) {\n"
                            "  [[maybe_unused]] const long long batch = 1;\n"
                            "  [[maybe_unused]] const long long pad = 0;\n"
                            "  reference(n, static_cast<int>(n + pad), y);\n}\n"
                            "int pad = 3;\n"),
            "template <class Real>\nvoid reference(int n, Real* y) {\n"
            "  reference(n, static_cast<int>(n + 0), y);\n}\nint pad = 3;\n");
}

TEST(SpecText, EveryShippedReferenceKeepsItsFunction) {
  const auto data = memory::DataFiles::open(std::nullopt);
  for (const std::string& name : data->folders("tasks")) {
    const auto definition = task::parse_task(*memory::shipped_task(*data, name));
    ASSERT_TRUE(definition.has_value()) << name;
    const std::string shown = shown_reference(definition->reference);
    EXPECT_THAT(shown, HasSubstr("void reference(")) << name;
    EXPECT_THAT(shown, Not(HasSubstr("magnitude"))) << name;
    for (const Target target : {Target::Cpu, Target::Cuda}) {
      const std::string spec = shown_spec(definition->task.spec, target);
      EXPECT_THAT(spec, Not(HasSubstr("**Gate.**"))) << name;
      EXPECT_THAT(spec, Not(HasSubstr("**On a "))) << name;
    }
  }
}

}  // namespace
}  // namespace kw::propose
