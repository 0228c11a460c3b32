// Tests with disassembled code as NVIDIA's tools print it (tests/fuzz/corpus/sass: nvdisasm and
// cuobjdump 13.5 on our kernels), and with malformed text.
// SPDX-License-Identifier: Apache-2.0
#include "compile/sass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/files.h"

namespace kw::compile {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

KernelCode only_kernel(const char* file) {
  const auto text =
      platform::read_file(platform::Path(KW_SOURCE_DIR) / "tests/fuzz/corpus/sass" / file);
  EXPECT_TRUE(text.has_value()) << file;
  auto kernels = parse_sass(text.value_or(""));
  EXPECT_EQ(kernels.size(), 1u) << file;
  return kernels.empty() ? KernelCode() : std::move(kernels.front());
}

TEST(Sass, CountsAKernelWithoutLoops) {
  const KernelCode saxpy = only_kernel("saxpy.txt");
  EXPECT_EQ(saxpy.symbol, "saxpy");
  EXPECT_EQ(saxpy.loop_depth, 0);
  EXPECT_EQ(saxpy.loop.instructions, 0) << "the branch to itself behind the end is no loop";
  EXPECT_EQ(saxpy.all.of("LDG"), 2);
  EXPECT_EQ(saxpy.all.of("LDG.32"), 2);
  EXPECT_EQ(saxpy.all.of("STG"), 1);
  EXPECT_EQ(saxpy.all.of("FFMA"), 1);
  EXPECT_EQ(saxpy.all.of("BRA"), 1);
}

TEST(Sass, FindsTheLoopAndItsWidths) {
  const KernelCode products = only_kernel("mma.txt");
  EXPECT_EQ(products.symbol, "_Z8productsILi64EEvPKjS1_Pf");
  EXPECT_EQ(products.loop_depth, 1);
  EXPECT_THAT(
      products.loop.by_class,
      UnorderedElementsAre(Pair("IMAD", 2), Pair("LDG.64", 1), Pair("LDG.128", 1), Pair("IADD3", 2),
                           Pair("ISETP", 1), Pair("HMMA", 1), Pair("BRA", 1)));
  EXPECT_EQ(products.all.of("STG.128"), 1);
}

TEST(Sass, BothToolsTellTheSame) {
  const KernelCode labels = only_kernel("spill.txt");
  const KernelCode addresses = only_kernel("spill_cuobjdump.txt");
  EXPECT_EQ(labels.symbol, addresses.symbol);
  EXPECT_EQ(labels.all.by_class, addresses.all.by_class);
  EXPECT_EQ(labels.loop.by_class, addresses.loop.by_class);
  EXPECT_EQ(labels.loop.instructions, 21);
  EXPECT_EQ(labels.loop.of("LDL"), 1);
  EXPECT_EQ(labels.loop.of("STL"), 1);
  EXPECT_EQ(labels.all.of("STL"), 7);
}

TEST(Sass, TheLargerOfTwoLoopsIsTheHottest) {
  const KernelCode gemm = only_kernel("gemm.txt");
  // The loop is unrolled to four iterations of 16 products each; the remaining iterations are
  // outside of any loop.
  EXPECT_EQ(gemm.loop.of("FFMA"), 64);
  EXPECT_EQ(gemm.loop.of("BAR"), 8);
  EXPECT_EQ(gemm.loop.of("LDG.32"), 8);
  EXPECT_EQ(gemm.loop_depth, 1);
}

// In the kernel that measures shared-memory reads (src/profile/cuda/ceilings.cu) the compiler must
// not move the loads out of the loop.
TEST(Sass, LoadsOfTheCeilingStayInItsLoop) {
  const KernelCode read = only_kernel("shared_read.txt");
  EXPECT_EQ(read.loop.of("LDS.128"), 16) << "four steps of four loads";
}

TEST(Sass, DepthCountsAndInnerLoopsAreNotTheirOuters) {
  std::string text = ".text.k:\n.L_outer:\n";
  int address = 0;
  const auto add = [&](const std::string& what) {
    char line[64];
    std::snprintf(line, sizeof line, "        /*%04x*/   %s ;\n", address, what.c_str());
    text += line, address += 16;
  };
  for (int i = 0; i < 20; ++i) add("FADD R0, R0, R1");
  text += ".L_inner:\n";
  for (int i = 0; i < 8; ++i) add("FFMA R0, R0, R1, R2");
  add("@P0 BRA `(.L_inner)");
  add("@P1 BRA `(.L_outer)");
  text += ".L_alone:\n";
  for (int i = 0; i < 30; ++i) add("FMUL R0, R0, R1");
  add("@!P1 BRA P6, `(.L_alone)");
  add("EXIT");
  const auto kernels = parse_sass(text);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].loop_depth, 2);
  EXPECT_EQ(kernels[0].loop.of("FFMA"), 8);
  EXPECT_EQ(kernels[0].loop.instructions, 9);
  EXPECT_EQ(kernels[0].all.instructions, 62);
}

TEST(Sass, ALoopThatWaitsIsNotTheHottest) {
  const auto kernels = parse_sass(
      ".text.k:\n.L_tile:\n/*0000*/ HGMMA.64x256x16.F32 R24, gdesc[UR4] ;\n.L_wait:\n"
      "/*0010*/ SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R2], R3 ;\n/*0020*/ @!P0 BRA `(.L_wait) ;\n"
      "/*0030*/ @P1 BRA `(.L_tile) ;\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].loop.of("HGMMA"), 1);
  EXPECT_EQ(kernels[0].loop.instructions, 2) << "without the loop that waits";
  EXPECT_EQ(kernels[0].loop_depth, 1);
}

TEST(Sass, TheWayBackFromBehindTheEndIsNoLoop) {
  const auto kernels = parse_sass(
      ".text.k:\n.L_loop:\n/*0000*/ FFMA R0, R0, R1, R2 ;\n/*0010*/ @P2 BRA `(.L_slow) ;\n.L_on:\n"
      "/*0020*/ @P0 BRA `(.L_loop) ;\n/*0030*/ STG.E desc[UR4][R2.64], R0 ;\n/*0040*/ EXIT ;\n"
      ".L_slow:\n/*0050*/ MUFU.RCP R0, R0 ;\n/*0060*/ BRA `(.L_on) ;\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].loop_depth, 1);
  EXPECT_EQ(kernels[0].loop.of("FFMA"), 1);
  EXPECT_EQ(kernels[0].loop.instructions, 3);
}

TEST(Sass, ForeignTextIsNoCode) {
  EXPECT_THAT(parse_sass(""), IsEmpty());
  EXPECT_THAT(parse_sass("nvdisasm fatal: unknown file\n.text.:\n"), IsEmpty());
  EXPECT_THAT(parse_sass("        /*0000*/   FFMA R0, R1 ;\n"), IsEmpty()) << "of no kernel";
  // The text has unknown labels, addresses beyond the end, and comments without an end.
  const auto odd = parse_sass(
      ".text.k:\n/*0000*/ BRA `(.L_x_9) ;\n/*zz*/ FFMA ;\n/*0010*/ BRA 0xffffffffffffffffff ;\n"
      "/*0020*/ @P0\n/*0030 FADD ;\n/*0040*/ BRA `(\n");
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].all.instructions, 3);
  EXPECT_EQ(odd[0].loop_depth, 0);
}

TEST(CodeMix, SumsOverWidthsAlone) {
  CodeMix mix;
  mix.by_class = {{"LDG.32", 2}, {"LDG.128", 3}, {"LDGSTS", 5}, {"LDS.32", 7}, {"FFMA", 11}};
  EXPECT_EQ(mix.of("LDG"), 5);
  EXPECT_EQ(mix.of("LDG.128"), 3);
  EXPECT_EQ(mix.of("LD"), 0);
  EXPECT_EQ(mix.of("FFMA"), 11);
}

}  // namespace
}  // namespace kw::compile
