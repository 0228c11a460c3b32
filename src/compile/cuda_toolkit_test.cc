// Tests of where CUDA's parts are looked for, in folders made for the purpose.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_toolkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

using platform::Path;
using testing::HasSubstr;

class CudaToolkitTest : public testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();
  CudaPlaces places;

  void SetUp() override {
    places.system = at("none").string();
    places.system_include = at("none").string();
    places.ask_loader = false;
  }
  Path at(const std::string& name) const { return folder.path() / name; }
  void write(const std::string& name, const std::string& text = "") {
    ASSERT_TRUE(platform::make_dirs(at(name).parent_path()).has_value());
    ASSERT_TRUE(platform::write_file_atomic(at(name), text, false).has_value());
  }
};

TEST_F(CudaToolkitTest, NothingIsSaidWithWhatToDo) {
  const CudaToolkit toolkit = find_cuda_toolkit(places);
  EXPECT_FALSE(toolkit.nvrtc.has_value());
  EXPECT_THAT(why_no_nvrtc(toolkit), HasSubstr("scripts/install-nvrtc"));
  for (const ToolkitFact& fact : cuda_toolkit_facts(toolkit)) {
    const bool is_of_path = fact.part == "nvcc" || fact.part == "disassembler";
    EXPECT_TRUE(is_of_path || !fact.is_found) << fact.part;
  }
}

TEST_F(CudaToolkitTest, ALibraryNamedByTheUserComesFirstAndBringsItsCompanion) {
  write("mine/libnvrtc.so.12");
  write("mine/libnvrtc-builtins.so.12.8");
  write("toolkit/lib64/libnvrtc.so.13");
  places.nvrtc = at("mine").string();
  places.cuda = at("toolkit").string();
  CudaToolkit toolkit = find_cuda_toolkit(places);
  ASSERT_TRUE(toolkit.nvrtc.has_value());
  EXPECT_EQ(toolkit.nvrtc->library, std::filesystem::canonical(at("mine/libnvrtc.so.12")));
  EXPECT_EQ(toolkit.nvrtc->builtins.filename(), "libnvrtc-builtins.so.12.8");
  places.nvrtc.clear();
  toolkit = find_cuda_toolkit(places);
  EXPECT_EQ(toolkit.nvrtc->library.filename(), "libnvrtc.so.13");
  places.nvrtc = at("mine/libnvrtc.so.12").string();
  EXPECT_EQ(find_cuda_toolkit(places).nvrtc->library.filename(), "libnvrtc.so.12");
  places.nvrtc = "none";
  EXPECT_FALSE(find_cuda_toolkit(places).nvrtc.has_value());
}

TEST_F(CudaToolkitTest, WhatTheScriptsInstalledIsFoundWithItsVersions) {
  write("data/cuda/lib/libnvrtc.so.13");
  write("data/cuda/include/cuda_fp16.h");
  write("data/cuda/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
  write("data/cuda/include/cccl/cuda/std/__cccl/version.h", "# define CCCL_VERSION 3000001\n");
  write("data/cutlass/include/cute/tensor.hpp");
  write("data/cutlass/include/cutlass/version.h",
        "#define CUTLASS_MAJOR 4\n#define CUTLASS_MINOR 2\n#define CUTLASS_PATCH 0 \n");
  places.data = at("data").string();
  const CudaToolkit toolkit = find_cuda_toolkit(places);
  EXPECT_TRUE(toolkit.nvrtc.has_value());
  EXPECT_EQ(toolkit.include.size(), 2u);
  EXPECT_EQ(toolkit.headers_version, "CUDA 13000, CCCL 3000001");
  EXPECT_EQ(toolkit.cutlass_version, "4.2.0");
  EXPECT_EQ(compiler_words(toolkit), "NVRTC of CUDA 13000, CCCL 3000001");
}

TEST_F(CudaToolkitTest, NvrtcOfPyTorchsWheelsIsFoundLastWithTheHeadersBesideIt) {
  write("env/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  write("env/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.8");
  write("env/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda_fp16.h");
  places.pythons = {at("env").string()};
  CudaToolkit toolkit = find_cuda_toolkit(places);
  ASSERT_TRUE(toolkit.nvrtc.has_value());
  EXPECT_EQ(toolkit.nvrtc->builtins.filename(), "libnvrtc-builtins.so.12.8");
  ASSERT_EQ(toolkit.include.size(), 1u);
  EXPECT_THAT(toolkit.include[0].string(), HasSubstr("cuda_runtime/include"));
  places.nvrtc = "none";
  EXPECT_FALSE(find_cuda_toolkit(places).nvrtc.has_value());
  places.nvrtc.clear();
  write("toolkit/lib64/libnvrtc.so.13");
  places.cuda = at("toolkit").string();
  EXPECT_EQ(find_cuda_toolkit(places).nvrtc->library.filename(), "libnvrtc.so.13");
}

TEST_F(CudaToolkitTest, CutlassIsTakenFromItsWheelBehindWhatTheUserNamesAndBeforeTheSystems) {
  const auto write_cutlass = [&](const std::string& include, const std::string& major) {
    write(include + "/cute/tensor.hpp");
    write(
        include + "/cutlass/version.h",
        "#define CUTLASS_MAJOR " + major + "\n#define CUTLASS_MINOR 1\n#define CUTLASS_PATCH 0\n");
  };
  write_cutlass("usr/include", "3");
  write_cutlass("env/lib/python3.12/site-packages/cutlass_library/source/include", "4");
  write_cutlass("mine/include", "5");
  places.system_include = at("usr").string();
  EXPECT_EQ(find_cuda_toolkit(places).cutlass_version, "3.1.0");
  places.pythons = {at("env").string()};
  EXPECT_EQ(find_cuda_toolkit(places).cutlass_version, "4.1.0");
  places.cutlass = at("mine").string();
  EXPECT_EQ(find_cuda_toolkit(places).cutlass_version, "5.1.0");
}

TEST(DefineIn, TakesTheWholeNameAndNumbersAlone) {
  EXPECT_EQ(define_in("#define ABC 5\n", "ABC"), 5);
  EXPECT_EQ(define_in("#define ABCD 5\n", "ABC"), -1);
  EXPECT_EQ(define_in("#define ABC x\n  # define ABC 7 // y\n", "ABC"), 7);
}

}  // namespace
}  // namespace kw::compile
