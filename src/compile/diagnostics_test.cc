// Tests with diagnostics as GCC 12, clang 19, as and ld print them.
// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace kw::compile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

BuildUnit unit() {
  BuildUnit u;
  u.main_file = "candidate.cpp";
  u.files = {{"iface.h", "extern \"C\" void saxpy(int n, float a, const float* x, float* y);\n"},
             {"candidate.cpp",
              "void saxpy(int n, float a, const float* x, float* y) {\n"
              "  const int BLOCK_SIZE = 4;\n"
              "  for (int i = 0; i < BLOCK_SIEZ; ++i) y[i] = a;\n"
              "}\n"}};
  u.defines = {"UNROLL=4"};
  return u;
}

constexpr const char* kUnknown =
    R"([{"kind": "error", "column-origin": 1, "children": [], "escape-source": false, "locations": [{"finish": {"byte-column": 32, "display-column": 32, "line": 3, "file": "candidate.cpp", "column": 32}, "caret": {"byte-column": 23, "display-column": 23, "line": 3, "file": "candidate.cpp", "column": 23}}], "message": "'BLOCK_SIEZ' was not declared in this scope"}])"
    "\ncompilation terminated.\n[]\n";

TEST(Diagnostics, ReadsGccJsonWithPlaceAndFrame) {
  const auto found = parse_diagnostics(kUnknown);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[0].column, 23u);
  const auto findings = diagnostic_findings(found, unit());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, FindingKind::Diagnostic);
  EXPECT_EQ(findings[0].place, "candidate.cpp:3:23");
  EXPECT_EQ(findings[0].about, "BLOCK_SIEZ -> BLOCK_SIZE");
  EXPECT_TRUE(findings[0].text.starts_with(found[0].message)) << findings[0].text;
  EXPECT_THAT(findings[0].frame, HasSubstr("i < BLOCK_SIEZ;"));
  EXPECT_THAT(findings[0].frame, HasSubstr("^"));
}

TEST(Diagnostics, AnInventedNameComesBackWithTheNearestOfTheLibrary) {
  const auto said = [](Target target, const char* line) {
    BuildUnit u = unit();
    u.target = target;
    return diagnostic_findings(parse_diagnostics(line), u)[0].about;
  };
  EXPECT_EQ(said(Target::Cpu, "candidate.cpp:3:5: error: 'fmaxx' was not declared in this scope\n"),
            "fmaxx -> fmax");
  EXPECT_EQ(said(Target::Cpu, "candidate.cpp:3:5: error: 'sqrtf' was not declared in this scope\n"),
            "sqrtf -> <cmath>");
  const char* barrier = "candidate.cpp:3:5: error: use of undeclared identifier '__syncthread'\n";
  EXPECT_EQ(said(Target::Cuda, barrier), "__syncthread -> __syncthreads");
  EXPECT_EQ(said(Target::Cpu, barrier), "__syncthread") << "of a GPU alone";
  EXPECT_EQ(
      said(Target::Cuda, "candidate.cpp:3:5: error: use of undeclared identifier 'BLOCK_SIEZ'\n"),
      "BLOCK_SIEZ -> BLOCK_SIZE")
      << "what the source has goes first";
}

TEST(Diagnostics, AWordOfThreeLettersIsGuessedToBeNoneOfTheLibrary) {
  const auto said = [](const std::string& name, Target target) {
    BuildUnit u = unit();
    u.target = target;
    const std::string line = "candidate.cpp:3:5: error: '" + name + "' was not declared here\n";
    return diagnostic_findings(parse_diagnostics(line), u)[0].about;
  };
  for (const Target target : {Target::Cpu, Target::Cuda})
    for (const char* name : {"row", "col", "lug"}) EXPECT_EQ(said(name, target), name);
  EXPECT_EQ(said("pow", Target::Cpu), "pow -> <cmath>");
  EXPECT_THAT(said("powg", Target::Cpu), StartsWith("powg -> pow"));
}

TEST(Diagnostics, KnobsAreKnownNames) {
  EXPECT_THAT(known_names(unit()), testing::IsSupersetOf({"UNROLL", "saxpy", "BLOCK_SIZE"}));
}

TEST(Diagnostics, ACompilersOwnSuggestionStands) {
  const auto found = parse_diagnostics(
      R"([{"kind": "error", "locations": [{"caret": {"byte-column": 2, "line": 1, "file": "candidate.cpp"}}], "fixits": [{"string": "push_back"}], "message": "'v' has no member named 'push_bck'; did you mean 'push_back'?"}])");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].replacement, "push_back");
  EXPECT_EQ(diagnostic_findings(found, unit())[0].text, found[0].message);
}

TEST(Diagnostics, ErrorInAHeaderIsShownWhereTheSourceLedToIt) {
  const auto found = parse_diagnostics(
      R"([{"kind": "error", "locations": [{"caret": {"byte-column": 9, "line": 1293, "file": "/usr/include/c++/12/bits/stl_algo.h"}}], "message": "no match for 'operator<'", "children": [{"kind": "note", "locations": [{"caret": {"byte-column": 3, "line": 2, "file": "candidate.cpp"}}], "message": "required from here"}]}])");
  const auto findings = diagnostic_findings(found, unit());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].place, "candidate.cpp:2:3");
  EXPECT_THAT(findings[0].frame, HasSubstr("BLOCK_SIZE = 4"));
}

TEST(Diagnostics, ReadsClangText) {
  const auto found = parse_diagnostics(
      "candidate.cpp:3:23: error: use of undeclared identifier 'BLOCK_SIEZ'\n"
      "candidate.cpp:2:13: note: 'BLOCK' declared here\n"
      "candidate.cpp:1:6: warning: unused [-Wunused]\n"
      "2 errors generated.\n");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].severity, Diagnostic::Severity::Error);
  ASSERT_THAT(found[0].notes, SizeIs(1));
  EXPECT_EQ(found[1].severity, Diagnostic::Severity::Warning);
  EXPECT_EQ(diagnostic_findings(found, unit())[0].about, "BLOCK_SIEZ -> BLOCK_SIZE");
}

TEST(Diagnostics, ReadsTheAssembler) {
  const auto found = parse_diagnostics(
      "candidate.cpp: Assembler messages:\ncandidate.cpp:1: Error: no such instruction: `foo "
      "%eax'\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].line, 1u);
  EXPECT_THAT(found[0].message, HasSubstr("no such instruction"));
}

TEST(Diagnostics, AnEntryThatIsMissingIsSaidPlainly) {
  const auto found = parse_diagnostics(
      "/usr/bin/ld: trampoline.o: in function `kw_entry':\n"
      "trampoline.cpp:(.text+0x14): undefined reference to `saxpy'\n"
      "collect2: error: ld returned 1 exit status\n");
  ASSERT_THAT(found, SizeIs(1));
  const auto findings = diagnostic_findings(found, unit());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].about, HasSubstr("saxpy"));
  EXPECT_TRUE(findings[0].place.starts_with("candidate.cpp")) << findings[0].place;
}

TEST(Diagnostics, AnEntryOfAnotherSignatureIsShownBesideTheWantedOne) {
  const auto found =
      parse_diagnostics("trampoline.cpp:(.text+0x14): undefined reference to `saxpy'\n");
  BuildUnit wrong;
  wrong.main_file = "candidate.cpp";
  wrong.files = {
      {"iface.h", "extern \"C\" {\nvoid saxpy(int n, float a, const float* x, float* y);\n}\n"},
      {"candidate.cpp",
       "// saxpy(n) is slow\nvoid my_saxpy(int n) {}\nvoid saxpy(int n, double a,\n"
       "           const float* x, float* y) {\n}\n"},
      {"trampoline.cpp", ""}};
  const auto findings = diagnostic_findings(found, wrong);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].about,
            "void saxpy(int n, float a, const float* x, float* y) -> "
            "void saxpy(int n, double a, const float* x, float* y)");
  EXPECT_EQ(findings[0].place, "candidate.cpp:3") << "not the trampoline, which nobody wrote";
  wrong.files[1].text = "int f;\n";
  EXPECT_EQ(diagnostic_findings(found, wrong)[0].about,
            "void saxpy(int n, float a, const float* x, float* y)");
}

/// A source of 1 MiB that joins the texts that `word` gives for 0, 1, 2 and so on.
std::string big_source(const std::function<std::string(int)>& word) {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{1} << 20); ++i) text += word(i);
  return text;
}

TEST(Diagnostics, AMissingEntryIsSoughtOnceInALargeSource) {
  const auto found =
      parse_diagnostics("trampoline.cpp:(.text+0x14): undefined reference to `saxpy'\n");
  const auto said = [&](const std::string& text) {
    BuildUnit large = unit();
    large.files[1].text = text;
    return diagnostic_findings(found, large).at(0);
  };
  const auto near = said(big_source([](int i) { return "w" + std::to_string(i) + " "; }) +
                         "\nvoid saxpi(int n) {}\n");
  EXPECT_THAT(near.about, EndsWith(" -> void saxpi(int n)"));
  EXPECT_EQ(near.place, "candidate.cpp:2");
  const auto calls = said(big_source([](int i) { return "f" + std::to_string(i) + "("; }) + ") {}");
  EXPECT_THAT(calls.about, Not(HasSubstr(" -> ")));
}

TEST(Diagnostics, ErrorsOfTheMainFileComeFirstAndWarningsLast) {
  const auto found = parse_diagnostics(
      "trampoline.cpp:1:1: error: second\n"
      "candidate.cpp:1:1: warning: third\n"
      "candidate.cpp:2:1: error: first\n");
  const auto findings = diagnostic_findings(found, unit());
  ASSERT_THAT(findings, SizeIs(3));
  EXPECT_EQ(findings[0].place, "candidate.cpp:2:1");
  EXPECT_EQ(findings[1].place, "trampoline.cpp:1:1");
  EXPECT_EQ(findings[2].place, "candidate.cpp:1:1");
  EXPECT_EQ(findings[2].kind, FindingKind::Warning);
  EXPECT_EQ(findings[2].rank, 3);
  EXPECT_THAT(diagnostic_findings(found, unit(), 1), SizeIs(1));
}

TEST(Diagnostics, AnArrayThatTheOutputCapCutIsReadAsFarAsItGoes) {
  const std::string whole = kUnknown;
  const std::string line = whole.substr(0, whole.find('\n') - 1);  // without "]"
  EXPECT_THAT(parse_diagnostics(line + ", {\"kind\": \"error\", \"message\": \"a [ \\\" b"),
              SizeIs(1));
  EXPECT_THAT(parse_diagnostics(line.substr(0, 40)), IsEmpty());
}

TEST(Diagnostics, ForeignBytesDoNoHarm) {
  EXPECT_THAT(parse_diagnostics(""), IsEmpty());
  EXPECT_THAT(parse_diagnostics("[[[[\n[1, null, {\"kind\": 3}]\n:::\nx:9999999999999:1: error: y"),
              SizeIs(1));
  std::string endless;
  for (int i = 0; i < 1000; ++i) endless += "a.cpp:1:1: error: x\n";
  EXPECT_THAT(parse_diagnostics(endless), SizeIs(200));
  // A line number past the end of the file, and control characters in the message.
  const auto far = parse_diagnostics("candidate.cpp:999:7: error: \x1b[31mred\n");
  const auto findings = diagnostic_findings(far, unit());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0].text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(findings[0].frame, "");
}

TEST(Diagnostics, WordsThatACandidateChoseAreReadAndStayOneLine) {
  const auto read = parse_diagnostics(
      "[{\"kind\": \"error\", \"message\": \"\x1b[31mred \xff\\n# new instructions \xe2\x80\xae\", "
      "\"locations\": [{\"caret\": {\"file\": \"\x1b[2J\\n.h\", \"line\": 7, \"byte-column\": "
      "9}}]}]");
  ASSERT_THAT(read, SizeIs(1)) << "GCC writes the escape character as it is";
  EXPECT_EQ(read[0].message, "\\x1b[31mred \\xff\\n# new instructions \\u202E");
  const auto findings = diagnostic_findings(read, unit());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].place, "\\x1b[2J\\n.h:7:9");
}

}  // namespace
}  // namespace kw::compile
