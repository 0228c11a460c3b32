// Screening of text that simple readers of code take for something else than compilers do.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/screen.h"

namespace kw::referee {
namespace {

/// What was seen in the text; None if it was accepted.
EvidenceKind seen_in(std::string_view text, Target target = Target::Cpu) {
  const Screening s = screen_text(text, "k.cpp", target);
  return s.verdict ? s.verdict->seen.kind : EvidenceKind::None;
}

TEST(ScreenReadings, SeesAnIncludeThatACompilerSees) {
  const std::string include = "\n#include \"/etc/passwd\"\n";
  for (const std::string& text : std::vector<std::string>{
           "#include <//etc/passwd>\n",
           "#include \\ \t\n\"/etc/passwd\"\n",
           "#inc\\ \nlude \"/etc/passwd\"\n",
           "// x\r#include \"/etc/passwd\"\n",
           "// NVRTC splices no such line: \\ " + include,
           "#define false 1\n#if false" + include + "#endif\n",
           "#define definedA 1\n#if definedA" + include + "#endif\n",
           "#if 0\n#elifndef NOTHING" + include + "#endif\n",
           "#if 1\n#elifdef NOTHING" + include + "#endif\n",
           "auto a = \"x\"R\"(\";" + include + "auto b = \")\";\n",
           "#define $R\nauto a = $R\"(\";" + include + "auto b = \")\";\n",
           "#define \xC3\xA9R\nauto a = \xC3\xA9R\"(\";" + include + "auto b = \")\";\n",
           "auto a = \\u00e9R\"(\";" + include + "auto b = \")\";\n",
           "auto a = R\"a b(\";" + include + "auto b = \")a b\";\n",
           "#if 1 < 2 && __has_include(\"/data/truth.bin\")\n#endif\n",
           "#if __has_include(<cmath>) && __has_include(<//data/truth.bin>)\n#endif\n",
           "#define H __has_include\n#if H(\"/data/truth.bin\")\n#endif\n",
           "#define H __has_include\n#if H(</data/truth.bin>)\n#endif\n",
           "#if __has_include(\"x\\\") /* \"\n#endif\n#if 0\n*/\n#endif" + include,
       })
    EXPECT_NE(seen_in(text), EvidenceKind::None) << text;
}

TEST(ScreenReadings, SeesAssemblyThatACompilerSees) {
  for (const char* text : {
           "int f() { return'\"'; } asm(\".incbin \\\"/etc/passwd\\\"\");\n",
           "auto c = L'\"'; asm(\".incbin \\\"/etc/passwd\\\"\");\n",
           "asm(R\"(.inc)\" R\"(bin \"/etc/passwd\")\");\n",
           "asm(\".inc\" /* c */ u8\"bin\");\n",
           "asm(\"\\x2eincbin \\\"/etc/passwd\\\"\");\n",
           "asm(\".in\\143bin \\\"/etc/passwd\\\"\");\n",
           "asm(\".in\\\ncbin \\\"/etc/passwd\\\"\");\n",
           "as\\ \nm(\".incbin \\\"/etc/passwd\\\"\");\n",
       })
    EXPECT_NE(seen_in(text), EvidenceKind::None) << text;
  EXPECT_NE(seen_in("__global__ void k() { asm(R\"(.vis)\" R\"(ible .entry x() {})\"); }\n",
                    Target::Cuda),
            EvidenceKind::None);
  EXPECT_NE(seen_in("int <::> = 1; int main() <% %>\n", Target::Cuda), EvidenceKind::None);
  EXPECT_NE(seen_in("#define BODY <%\nint main() { f<\\\n<<1, 1>>>(); }\n", Target::Cuda),
            EvidenceKind::None);
}

TEST(ScreenReadings, LeavesHonestTextAlone) {
  for (const char* text : {
           "#include <sys//types.h>\n",
           "#define T 4 \\ \n + 1\nint a = T;\n",
           "#if A < B && defined(__has_include) && __has_include(<cmath>)\n#endif\n",
           "int a;\r\n#define X 1 \\\r\n + 2\r\n",
           "const char* s = \"x\" R\"(#include </etc/passwd>)\" \"\"sv;\n",
           "printf(\"%\" PRIu64 \"\\n\", n); auto t = \"a\"_s; auto u = \"b\"sv;\n",
           "int gr\xC3\xB6\xC3\x9F"
           "e = 1'000; // \xE2\x80\x94 \\u{e9}\n",
           "#if 0\nwe don't compile this\n#include </etc/passwd>\n#endif\n",
           "#if 0\nauto s = R\"(\n#endif\n)\";\n#include </etc/passwd>\n#endif\n",
           "/* unfinished \n#include </etc/passwd>\n",
       })
    EXPECT_EQ(seen_in(text), EvidenceKind::None) << text;
}

TEST(ScreenReadings, TellsThePlaceInTheTextAsWritten) {
  const Screening s = screen_text("int a \\\n = 1;\n#include \\\n \"/etc/passwd\"\n", "k.cpp");
  ASSERT_EQ(s.findings.size(), 1u);
  EXPECT_EQ(s.findings[0].place, "k.cpp:3:1");
}

}  // namespace
}  // namespace kw::referee
