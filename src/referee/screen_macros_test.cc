// Tests of what a source may do to the macros of its knobs.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "referee/screen.h"
#include "task/header.h"

namespace kw::referee {
namespace {

MATCHER_P3(Is, kind, subject, place, "") {
  *result_listener << name_of(arg.kind) << " of '" << arg.subject << "' at " << arg.place;
  return arg.kind == kind && arg.subject == subject && arg.place == place;
}

/// What screening sees in a source for a task `relu(int n, const float* x, float* y)`; of kind None
/// if it accepts the source.
Evidence seen_in_macros(const std::string& source, Target target = Target::Cpu) {
  Task task;
  task.function = "relu";
  for (const char* name : {"n", "x", "y"}) {
    Parameter parameter;
    parameter.name = name;
    task.signature.push_back(parameter);
  }
  auto candidate = task::make_candidate("mine", source, Origin::Human, {}, target);
  EXPECT_TRUE(candidate.has_value()) << source;
  if (!candidate) return {.kind = EvidenceKind::NotACandidate};
  const Screening screening = screen_macros(*candidate, "mine.cpp", task);
  if (!screening.verdict) return {};
  EXPECT_EQ(screening.verdict->stage, Stage::Screen);
  EXPECT_EQ(screening.verdict->outcome, Outcome::Rejected);
  EXPECT_EQ(screening.findings.at(0).place, screening.verdict->seen.place);
  EXPECT_EQ(screening.findings.at(0).about, name_of(screening.verdict->seen.kind));
  EXPECT_EQ(screening.findings.at(0).numbers, screening.verdict->seen.numbers);
  return screening.verdict->seen;
}

const std::string kTunesTile = "// kw: tune TILE = 8, 16\n// kw: let TWICE = TILE * 2\n";

TEST(ScreenMacros, AKnobIsNotDefinedAgain) {
  EXPECT_THAT(seen_in_macros(kTunesTile + "#define TILE 64\nint f();\n"),
              Is(EvidenceKind::KnobRedefined, "TILE", "mine.cpp:3:1"));
  for (const std::string line :
       {"#define TILE 8", "  #  define TILE 64", "#define TILE", "#define TILE(x) x", "#undef TILE",
        "#define TWICE 16", "#ifdef TILE\n#define TILE 64\n#endif", "#\\\ndefine TILE 64",
        "%:define TILE 64", "#if 1\n#define TILE 64\n#endif",
        "#ifndef OTHER\n#define TILE 64\n#endif", "#ifndef TILE\n#else\n#define TILE 64\n#endif",
        "#ifndef TILE\n#endif\n#define TILE 64",
        "#ifndef TILE\n#if 0\n#endif\n#endif\n#define TILE 64", "/* */ #define TILE /* 8 */ 64",
        "#if !defined(TILE) || 1\n#define TILE 64\n#endif"})
    EXPECT_EQ(seen_in_macros(kTunesTile + line + "\nint f();\n").kind, EvidenceKind::KnobRedefined)
        << line;
}

TEST(ScreenMacros, ADefaultBehindAGuardIsFine) {
  for (const std::string lines :
       {"#ifndef TILE\n#define TILE 64\n#endif", "#if !defined(TILE)\n#define TILE 64\n#endif",
        "#if !defined TILE\n#define TILE 64\n#endif",
        "#ifndef TILE\n#if 1\n#define TILE 64\n#endif\n#endif",
        "#ifdef TILE\nint a;\n#else\n#define TILE 64\n#endif", "// #define TILE 64",
        "/*\n#define TILE 64\n*/", "#if 0\n#define TILE 64\n#endif",
        "const char* text = R\"(\n#define TILE 64\n)\";", "#define TILES 64", "#define tile TILE",
        "#ifdef UNKNOWN\n#define TILE 64\n#endif"})
    EXPECT_EQ(seen_in_macros(kTunesTile + lines + "\nint f();\n").kind, EvidenceKind::None)
        << lines;
  EXPECT_EQ(seen_in_macros("#define TILE 64\nint f();\n").kind, EvidenceKind::None) << "no knob";
}

TEST(ScreenMacros, APinnedSourceMaySayItsValue) {
  const std::string pinned = "// kw: tune TILE = 8\n// kw: let TWICE = TILE * 2\nint f();\n";
  EXPECT_EQ(seen_in_macros("#define TILE 8\n#define TWICE 16\n" + pinned).kind, EvidenceKind::None);
  EXPECT_THAT(seen_in_macros("#define TILE 9\n" + pinned),
              Is(EvidenceKind::KnobRedefined, "TILE", "mine.cpp:1:1"));
}

TEST(ScreenMacros, AKnobHasNoNameThatIsTaken) {
  using enum EvidenceKind;
  EXPECT_THAT(seen_in_macros("int a;\n// kw: tune n = 1, 2\n"),
              Is(KnobNamesArgument, "n", "mine.cpp:2:13"));
  EXPECT_EQ(seen_in_macros("// kw: tune relu = 1, 2\n").kind, KnobNamesFunction);
  for (const std::string name : {"swap", "size", "exp", "sqrtf", "memcpy", "std"})
    EXPECT_EQ(seen_in_macros("// kw: tune " + name + " = 1, 2\n").kind, KnobNamesHeader) << name;
  EXPECT_THAT(seen_in_macros("// kw: tune T = 1, 2\n// kw: let x = T\n"),
              Is(KnobNamesArgument, "x", "mine.cpp:2:12"));
  const std::string launch =
      "// kw: launch k grid(1) block(1) args(x)\n__global__ void k(float*);\n";
  EXPECT_EQ(seen_in_macros("// kw: tune atomicAdd = 1, 2\n" + launch, Target::Cuda).kind,
            KnobNamesHeader);
  EXPECT_EQ(seen_in_macros("// kw: tune SIZE = 1, 2\n" + launch, Target::Cuda).kind, None);
}

}  // namespace
}  // namespace kw::referee
