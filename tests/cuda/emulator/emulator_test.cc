// Tests the emulator against what CUDA promises: barriers, warps, atomics, faults, modules.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "player/cuda_api.h"

namespace {

using namespace kw::player::cuda;

template <class F>
F* call(const char* name) {
  static void* library = ::dlopen(KW_EMULATED_DRIVER, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << ::dlerror();
  return reinterpret_cast<F*>(::dlsym(library, name));
}

// The compiled image of kernels.cu; empty if there is no nvcc.
const std::string& image() {
  static const std::string made = [] {
    // Each test process needs a folder of its own, because the emulated nvcc writes files with
    // fixed names.
    const auto folder =
        std::filesystem::temp_directory_path() / ("kw_emulator_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto out = folder / "kernels.cubin";
    const std::string command = std::string(KW_EMULATED_NVCC) + " -arch=sm_80 -cubin -o " +
                                out.string() + " " + KW_EMULATOR + "/kernels.cu 2>&1";
    if (std::system(command.c_str()) != 0) return std::string();
    std::ifstream in(out, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    in.close();
    std::filesystem::remove_all(folder);
    return text.str();
  }();
  return made;
}

class Emulator : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(KW_REAL_NVCC)) GTEST_SKIP() << "no nvcc at " << KW_REAL_NVCC;
    ASSERT_FALSE(image().empty()) << "the emulated nvcc did not build kernels.cu";
    Context context = nullptr;
    call<Status(Context*, unsigned, int)>("cuCtxCreate_v2")(&context, 0, 0);
    ASSERT_EQ(call<Status(Module*, const void*)>("cuModuleLoadData")(&module_, image().data()), 0);
  }

  Status run(const char* name, unsigned grid, unsigned block, std::vector<void*> arguments) {
    Function f = nullptr;
    if (const Status s =
            call<Status(Function*, Module, const char*)>("cuModuleGetFunction")(&f, module_, name);
        s != 0)
      return s;
    using Launch = Status(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, Stream, void**, void**);
    const Status launched = call<Launch>("cuLaunchKernel")(f, grid, 1, 1, block, 1, 1, 1024,
                                                           nullptr, arguments.data(), nullptr);
    return launched != 0 ? launched : call<Status()>("cuCtxSynchronize")();
  }

  Module module_ = nullptr;
};

TEST_F(Emulator, SumsByBarriersAndByShuffles) {
  int n = 10007;
  std::vector<int> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 1);
  for (const char* name : {"sum_by_barriers", "sum_by_shuffles"}) {
    int sum = 0;
    int *px = x.data(), *py = &sum;
    ASSERT_EQ(run(name, 40, 256, {&n, &px, &py}), 0);
    EXPECT_EQ(sum, n / 2 * (n + 1) + (n + 1) / 2) << name;
  }
}

TEST_F(Emulator, VotesOfWarpsAndBlocksLeaveOutThoseThatEnded) {
  int y[2] = {};
  int* py = y;
  ASSERT_EQ(run("votes", 1, 64, {&py}), 0);
  EXPECT_EQ(y[0], 0xaa);
  EXPECT_EQ(y[1], 7);
}

TEST_F(Emulator, ResidentBlocksWaitForEachOther) {
  int arrived = 0, y = 0;
  int *pa = &arrived, *py = &y;
  ASSERT_EQ(run("grid_barrier", 4, 32, {&pa, &py}), 0);
  EXPECT_EQ(y, 4);
}

TEST_F(Emulator, AModuleLoadedAgainHasItsGlobalsAnew) {
  int y = 0;
  int* py = &y;
  ASSERT_EQ(run("count", 1, 1, {&py}), 0);
  ASSERT_EQ(run("count", 1, 1, {&py}), 0);
  EXPECT_EQ(y, 2);
  ASSERT_EQ(call<Status(Module)>("cuModuleUnload")(module_), 0);
  ASSERT_EQ(call<Status(Module*, const void*)>("cuModuleLoadData")(&module_, image().data()), 0);
  ASSERT_EQ(run("count", 1, 1, {&py}), 0);
  EXPECT_EQ(y, 1);
}

TEST_F(Emulator, FragmentsOfAMatrixProductLieWhereTheISAPutsThem) {
  for (const auto& [kernel, depth] : {std::pair("product", 8u), std::pair("half_product", 16u)}) {
    std::vector<float> a(16 * depth), b(8 * depth), d(128);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13) - 6;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
    float *pa = a.data(), *pb = b.data(), *pd = d.data();
    ASSERT_EQ(run(kernel, 1, 32, {&pa, &pb, &pd}), 0);
    for (std::size_t r = 0; r < 16; ++r)
      for (std::size_t c = 0; c < 8; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k < depth; ++k) sum += a[r * depth + k] * b[k * 8 + c];
        EXPECT_EQ(d[r * 8 + c], sum) << kernel << " " << r << " " << c;
      }
  }
}

TEST_F(Emulator, SharedQuadsAndPairsOfHalvesAreAsTheISAHasThem) {
  // The arrays hold pairs of halves: 1.5 and -2, times 2 and 0.5, plus 1 and 1024, must give 4 and
  // 1023.
  unsigned x[7] = {11, 22, 33, 44, 0xc0003e00, 0x38004000, 0x64003c00};
  unsigned y[5] = {};
  unsigned *px = x, *py = y;
  ASSERT_EQ(run("quads_and_halves", 1, 1, {&px, &py}), 0);
  EXPECT_EQ(std::vector<unsigned>(y, y + 4), (std::vector<unsigned>{44, 33, 22, 11}));
  EXPECT_EQ(y[4], 0x63fe4400u);
}

// These tests are the last in the file and run in processes of their own: a fault makes the context
// unusable for good, as in CUDA.
TEST_F(Emulator, AStrayWriteAndATrapEndTheContext) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  int y = 0;
  int* py = &y;
  EXPECT_EXIT(std::_Exit(run("stray", 2, 32, {&py}) == 700 ? 0 : 1), testing::ExitedWithCode(0),
              "");
  EXPECT_EXIT(std::_Exit(run("trap", 2, 32, {}) == 719 ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
