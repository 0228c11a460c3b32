// Tests of the shipped files and of the directory that overrides them.
// SPDX-License-Identifier: Apache-2.0
#include "memory/data_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "memory/shipped_task.h"

namespace kw::memory {
namespace {

TEST(DataFiles, HoldsTheShippedTasksAndPlaybook) {
  const auto data = DataFiles::open(std::nullopt);
  ASSERT_TRUE(data);
  const auto tasks = data->folders("tasks");
  for (const char* name : {"attention",
                           "attention_bf16",
                           "attention_f16",
                           "conv2d",
                           "fctd3d",
                           "gelu",
                           "histogram",
                           "layernorm",
                           "layernorm_padded",
                           "layernorm_bf16",
                           "layernorm_bf16_padded",
                           "layernorm_f16",
                           "layernorm_f16_padded",
                           "matmul",
                           "matmul_padded",
                           "matmul_bf16",
                           "matmul_bf16_padded",
                           "matmul_bias_gelu_bf16",
                           "matmul_bias_gelu_bf16_padded",
                           "matmul_bias_gelu_f16",
                           "matmul_bias_gelu_f16_padded",
                           "matmul_f16",
                           "matmul_f16_padded",
                           "reduce_sum",
                           "reduce_sum_padded",
                           "relu",
                           "rmsnorm",
                           "rmsnorm_padded",
                           "rmsnorm_bf16",
                           "rmsnorm_bf16_padded",
                           "rmsnorm_f16",
                           "rmsnorm_f16_padded",
                           "saxpy",
                           "scan",
                           "scan_padded",
                           "softmax",
                           "softmax_padded",
                           "softmax_bf16",
                           "softmax_bf16_padded",
                           "softmax_f16",
                           "softmax_f16_padded",
                           "softsign",
                           "swish",
                           "transpose",
                           "transpose_padded"}) {
    EXPECT_NE(std::find(tasks.begin(), tasks.end(), name), tasks.end()) << name;
    const auto definition = task::parse_task(*shipped_task(*data, name));
    ASSERT_TRUE(definition.has_value()) << describe(definition.error());
    const auto playbook = shipped_playbook(*data, *definition);
    EXPECT_TRUE(std::ranges::any_of(playbook, [](const auto& file) {
      return file.first.ends_with(".cu");
    })) << name;
  }
  EXPECT_TRUE(data->under("tasks/saxpy").contains("task.yaml"));
  EXPECT_TRUE(data->under("tasks/sax").empty()) << "a prefix of a name is no folder";
}

TEST(DataFiles, ADirectoryReplacesAndAdds) {
  const auto dir = platform::TempDir::create();
  ASSERT_TRUE(dir);
  ASSERT_TRUE(platform::make_dirs(dir->path() / "playbook/saxpy"));
  ASSERT_TRUE(
      platform::write_file_atomic(dir->path() / "playbook/saxpy/99_mine.cpp", "mine", false));
  ASSERT_TRUE(platform::write_file_atomic(dir->path() / "unrelated.txt", "no", false));
  const auto data = DataFiles::open(dir->path());
  ASSERT_TRUE(data) << describe(data.error());
  EXPECT_EQ(data->under("playbook/saxpy").at("99_mine.cpp"), "mine");
  EXPECT_TRUE(data->under("tasks/saxpy").contains("task.yaml"));
  EXPECT_FALSE(DataFiles::open(dir->path() / "missing"));
}

}  // namespace
}  // namespace kw::memory
