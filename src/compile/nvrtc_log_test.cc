// Tests with the output of NVRTC 13.0 and its assembler.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

BuildUnit unit_with(std::string text) {
  BuildUnit unit;
  unit.main_file = "candidate.cu";
  unit.files = {{"candidate.cu", std::move(text)}};
  return unit;
}

TEST(NvrtcLog, APlaceHasItsColumnFromTheCaret) {
  const NvrtcLog log = parse_nvrtc_log(
      "candidate.cu(3): error: identifier \"inptu\" is undefined\n"
      "    y[0] = inptu[1];\n"
      "           ^\n"
      "\n"
      "candidate.cu(3): warning #177-D: variable \"unused\" was declared but never referenced\n"
      "    int unused;\n"
      "        ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "1 error detected in the compilation of \"unit.cu\".\n",
      unit_with(""));
  ASSERT_THAT(log.diagnostics, SizeIs(2));
  EXPECT_EQ(log.diagnostics[0].line, 3u);
  EXPECT_EQ(log.diagnostics[0].column, 10u);
  EXPECT_EQ(log.diagnostics[0].message, "identifier \"inptu\" is undefined");
  EXPECT_EQ(log.diagnostics[1].severity, Diagnostic::Severity::Warning);
}

TEST(NvrtcLog, AnErrorInAHeaderLeadsToWhoAskedForIt) {
  const BuildUnit unit = unit_with("line one\nline two\n  use(it);\n");
  const NvrtcLog log = parse_nvrtc_log(
      "/opt/cutlass/include/cute/layout.hpp(98): error: static assertion failed with \"no\"\n"
      "    static_assert(false, \"no\");\n"
      "    ^\n"
      "          detected during:\n"
      "            instantiation of class \"cute::A<T> [with T=int]\" at line 200\n"
      "            instantiation of \"void use(T)\" at line 3 of candidate.cu\n"
      "\n",
      unit);
  ASSERT_THAT(log.diagnostics, SizeIs(1));
  ASSERT_THAT(log.diagnostics[0].notes, SizeIs(2));
  EXPECT_EQ(log.diagnostics[0].notes[0].file, "/opt/cutlass/include/cute/layout.hpp");
  EXPECT_EQ(log.diagnostics[0].notes[1].file, "candidate.cu");
  EXPECT_EQ(log.diagnostics[0].notes[1].line, 3u);
  const auto findings = diagnostic_findings(log.diagnostics, unit);
  EXPECT_EQ(findings.at(0).place, "candidate.cu:3");
  EXPECT_THAT(findings[0].frame, HasSubstr("use(it)"));
}

TEST(NvrtcLog, MoreLinesOfAMessageBelongToIt) {
  const NvrtcLog log = parse_nvrtc_log(
      "candidate.cu(5): error: no instance of overloaded function \"f\" matches the argument list\n"
      "            argument types are: (int)\n"
      "    f(3);\n"
      "    ^\n",
      unit_with(""));
  ASSERT_THAT(log.diagnostics, SizeIs(1));
  EXPECT_THAT(log.diagnostics[0].message, HasSubstr("argument types are: (int)"));
  EXPECT_EQ(log.diagnostics[0].column, 3u);
}

TEST(NvrtcLog, AMissingKernelIsSaidOnceInTheWordsOfThePlan) {
  const NvrtcLog log = parse_nvrtc_log(
      "__nv_name_map(4): error: identifier \"nope\" is undefined\n"
      "  #pragma nv_mangled_name nope\n"
      "                          ^\n"
      "\n"
      "__nv_name_map(4): error: Error in parsing name expression for lowered name lookup. Input "
      "name expression was: \" nope\"\n"
      "  #pragma nv_mangled_name nope\n"
      "                          ^\n",
      unit_with("\n// kw: launch nope grid(1) block(1) args()\n"
                "extern \"C\" __global__ void hope() {}\n"));
  ASSERT_THAT(log.diagnostics, SizeIs(1));
  EXPECT_EQ(log.diagnostics[0].about, "nope -> hope");
  EXPECT_THAT(log.diagnostics[0].message, HasSubstr("identifier \"nope\" is undefined"));
  EXPECT_EQ(log.diagnostics[0].file, "candidate.cu");
  EXPECT_EQ(log.diagnostics[0].line, 2u);
  EXPECT_EQ(log.diagnostics[0].column, 15u);
}

TEST(NvrtcLog, NvccsComplaintsAboutTheFileOfNamesAreSaidOnceForEachKernel) {
  BuildUnit unit = unit_with(
      "// kw: launch twize<64> grid(1) block(1)\n"
      "template <int N> __global__ void twice() {}\n");
  unit.kernels = {"twice<float>", "twize<64>"};
  const NvrtcLog log = parse_nvrtc_log(
      "kw_names.cu(2): error: cannot deduce \"auto\" type\n"
      "  static auto* kw_name_0 = &twice<float>;\n"
      "         ^\n"
      "kw_names.cu(3): error: identifier \"twize\" is undefined\n"
      "  static auto* kw_name_1 = &twize<64>;\n"
      "                            ^\n"
      "kw_names.cu(3): error: expected an expression\n"
      "  static auto* kw_name_1 = &twize<64>;\n"
      "                                    ^\n",
      unit);
  ASSERT_THAT(log.diagnostics, SizeIs(2));
  EXPECT_EQ(log.diagnostics[0].about, "twice<float> -> twice");
  EXPECT_EQ(log.diagnostics[1].about, "twize<64> -> twice");
  EXPECT_EQ(log.diagnostics[1].line, 1u);
  EXPECT_EQ(log.diagnostics[1].column, 15u);
}

TEST(NvrtcLog, AWarningAboutTheFileOfNamesMakesNoKernelMissing) {
  BuildUnit unit = unit_with("[[deprecated]] __global__ void twice() {}\n");
  unit.kernels = {"twice", "nope"};
  const std::string warning =
      "kw_names.cu(2): warning #1444-D: function \"twice\" was declared deprecated\n"
      "  static auto* kw_name_0 = &twice;\n"
      "                            ^\n";
  EXPECT_THAT(parse_nvrtc_log(warning, unit).diagnostics, IsEmpty());
  const NvrtcLog log =
      parse_nvrtc_log(warning + "kw_names.cu(3): warning #9-D: odd\n" +
                          "kw_names.cu(3): error: identifier \"nope\" is undefined\n",
                      unit);
  ASSERT_THAT(log.diagnostics, SizeIs(1)) << "a warning before it takes no error's place";
  EXPECT_THAT(log.diagnostics[0].about, testing::StartsWith("nope"));
}

TEST(NvrtcLog, TheAssemblersErrorsAndUsage) {
  const NvrtcLog log = parse_nvrtc_log(
      "ptxas application ptx input, line 38; error   : Unknown modifier '.bar'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'main_k' for 'sm_90a'\n"
      "ptxas info    : Function properties for main_k\n"
      "ptxas         .     400 bytes stack frame, 24 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 0 barriers, 400 bytes cumulative stack size, 256 "
      "bytes smem\n"
      "ptxas info    : Compile time = 38.857 ms\n",
      unit_with(""));
  ASSERT_THAT(log.diagnostics, SizeIs(2));
  EXPECT_EQ(log.diagnostics[0].message, "ptxas: Unknown modifier '.bar'");
  EXPECT_EQ(log.diagnostics[0].about, "ptxas");
  ASSERT_THAT(log.usage, SizeIs(1));
  EXPECT_EQ(log.usage[0].symbol, "main_k");
  EXPECT_EQ(log.usage[0].registers, 30);
  EXPECT_EQ(log.usage[0].stack_bytes, 400);
  EXPECT_EQ(log.usage[0].spill_bytes, 40);
  EXPECT_EQ(log.usage[0].shared_bytes, 256);
}

TEST(NvrtcLog, ForeignWordsAreBounded) {
  std::string flood;
  for (int i = 0; i < 5000; ++i) flood += "a.cu(1): error: x\n";
  EXPECT_LE(parse_nvrtc_log(flood, unit_with("")).diagnostics.size(), 200u);
  EXPECT_TRUE(
      parse_nvrtc_log("(): error\n)(: error: \nptxas\n\x01\x02", unit_with("")).usage.empty());
}

}  // namespace
}  // namespace kw::compile
