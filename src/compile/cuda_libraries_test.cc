// Tests of where CUDA's libraries are looked for, in folders made for the purpose.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kw::compile {
namespace {

using platform::Path;
using testing::ElementsAre;
using testing::HasSubstr;

class CudaLibraries : public testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();
  CudaPlaces places;

  void SetUp() override {
    places.system = at("none").string();
    places.system_include = at("none").string();
    places.ask_loader = false;
  }
  Path at(const std::string& name) const { return folder.path() / name; }
  void write(const std::string& name) {
    ASSERT_TRUE(platform::make_dirs(at(name).parent_path()).has_value());
    ASSERT_TRUE(platform::write_file_atomic(at(name), "", false).has_value());
  }
  std::optional<CudaLibrary> find(const char* name) const {
    return find_cuda_library(find_cuda_toolkit(places), name);
  }
};

TEST_F(CudaLibraries, MissingOnesAreNamedWithWhatToDo) {
  const CudaToolkit toolkit = find_cuda_toolkit(places);
  EXPECT_FALSE(find("cublas").has_value());
  EXPECT_THAT(why_no_cuda_library(toolkit, "cublas"), HasSubstr("KW_CUDA_LIBRARIES"));
  EXPECT_THAT(why_no_cuda_library(toolkit, "cublass"), HasSubstr("did you mean 'cublas'?"));
  EXPECT_TRUE(cuda_library_folders(toolkit).empty());
}

TEST_F(CudaLibraries, HeaderAndLibraryComeFromOnePlace) {
  places.cuda = at("toolkit").string();
  places.libraries = at("mine").string();
  write("toolkit/include/cublas_v2.h");
  write("mine/lib/libcublas.so.13");
  EXPECT_FALSE(find("cublas").has_value())
      << "a header here and a library there do not belong together";
  write("toolkit/lib64/libcublas.so");
  ASSERT_TRUE(find("cublas").has_value());
  EXPECT_EQ(find("cublas")->file, at("toolkit/lib64/libcublas.so"));
  write("mine/include/cublas_v2.h");
  EXPECT_EQ(find("cublas")->file, at("mine/lib/libcublas.so.13"));
  EXPECT_EQ(find("cublas")->include, at("mine/include"));
}

TEST_F(CudaLibraries, WheelsOfAPythonEnvironmentAreFound) {
  places.pythons = {at("venv").string()};
  const std::string nvidia = "venv/lib/python3.12/site-packages/nvidia/";
  write(nvidia + "cu13/include/cublasLt.h");
  write(nvidia + "cu13/lib/libcublasLt.so.12");
  write(nvidia + "cu13/lib/libcublasLt.so.13");
  write(nvidia + "cudnn/include/cudnn.h");
  write(nvidia + "cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(find("cublasLt")->file.filename(), "libcublasLt.so.13");
  EXPECT_THAT(cuda_library_folders(find_cuda_toolkit(places)),
              ElementsAre(at(nvidia + "cu13/lib"), at(nvidia + "cudnn/lib")));
}

TEST_F(CudaLibraries, CubIsHeadersAlone) {
  places.cuda = at("toolkit").string();
  write("toolkit/include/cccl/cub/cub.cuh");
  ASSERT_TRUE(find("cub").has_value());
  EXPECT_TRUE(find("cub")->file.empty());
  EXPECT_EQ(find("cub")->include, at("toolkit/include/cccl"));
}

}  // namespace
}  // namespace kw::compile
