// Tests of reading cubins from NVRTC, and of refusing malformed ones.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "compile/cuda_unit_for_test.h"

namespace kw::compile {
namespace {

class Cubin : public CudaCompilerTest {
 protected:
  std::string bytes_of(const BuildUnit& unit) {
    const CompileResult result = build(unit);
    EXPECT_TRUE(result.ok()) << result.evidence;
    if (!result.ok()) return {};
    return *platform::read_file(result.object[0].path);
  }
};

TEST_F(Cubin, ParametersOfEverySizeAndPlace) {
  BuildUnit unit = cuda_unit(
      "struct S { float* p; int n; };\n"
      "struct alignas(64) Map { char bytes[128]; };\n"
      "extern \"C\" __global__ void k(char a, short b, S s, double d, const __grid_constant__ Map "
      "m, "
      "float f) { s.p[a + b] = (float)d + f + m.bytes[s.n]; }\n"
      "extern \"C\" __global__ void none() {}\n");
  for (const char* arch : {"sm_75", "sm_80", "sm_90a"}) {
    unit.arch = arch;
    const auto kernels = read_cubin(bytes_of(unit));
    ASSERT_TRUE(kernels.has_value()) << kernels.error().what;
    ASSERT_EQ(kernels->size(), 2u);
    for (const KernelFacts& kernel : *kernels) {
      if (kernel.symbol == "none") {
        EXPECT_TRUE(kernel.parameters.empty());
        continue;
      }
      std::vector<std::int64_t> sizes;
      for (const KernelParameter& p : kernel.parameters) sizes.push_back(p.bytes);
      EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 16, 8, 128, 4)) << arch;
      EXPECT_EQ(kernel.parameters.at(3).offset, 24) << arch;
      // Only the distance between the last two offsets is compared: the offsets themselves are
      // aligned by the place of the parameter buffer in the constant bank, which differs by
      // architecture.
      EXPECT_EQ(kernel.parameters.at(5).offset, kernel.parameters.at(4).offset + 128) << arch;
    }
  }
}

TEST_F(Cubin, LocalArraysAreStack) {
  const auto kernels = read_cubin(
      bytes_of(cuda_unit("extern \"C\" __global__ void k(float* p, int n) {\n"
                         "  float a[100];\n"
                         "  for (int i = 0; i < 100; ++i) a[i] = p[i];\n"
                         "  for (int i = 0; i < n; ++i) a[(i * 7) % 100] += a[(int)p[i] % 100];\n"
                         "  for (int i = 0; i < 100; ++i) p[i] = a[i];\n"
                         "}\n")));
  ASSERT_TRUE(kernels.has_value());
  EXPECT_GE(kernels->at(0).stack_bytes, 400);
}

TEST_F(Cubin, DamagedBytesAreAnErrorNeverACrash) {
  const std::string whole = bytes_of(cuda_unit(kSaxpy));
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    const auto kernels = read_cubin(whole.substr(0, size));
    // The last bytes of the file belong to no kernel's description, so cutting them may go
    // unnoticed.
    EXPECT_TRUE(size >= whole.size() / 2 || !kernels.has_value()) << size;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)read_cubin(damaged);
  }
}

TEST(CubinReader, OtherFilesAreRefused) {
  EXPECT_FALSE(read_cubin("").has_value());
  const auto self =
      platform::read_file(*platform::executable_dir() / "kw-nvrtc", std::size_t{1} << 30);
  ASSERT_TRUE(self.has_value());
  const auto kernels = read_cubin(*self);
  EXPECT_THAT(kernels, IsErrorAbout(ErrorCode::Malformed, "cubin"));
}

}  // namespace
}  // namespace kw::compile
