// Tests of the shipped files and of the directory that overrides them.
// SPDX-License-Identifier: Apache-2.0
#include "memory/data_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_for_test.h"
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

/// A user's task that has the name of a shipped task.
task::Definition own_saxpy(const std::string& signature, const std::string& function) {
  task::TaskFiles files{"tasks/saxpy", {}};
  files.texts["task.yaml"] = "name: saxpy\nfunction: " + function +
                             "\nfamily: elementwise\nsummary: s\ndims: [n]\n"
                             "scalars:\n  n: { dtype: i32 }\n  a: { dtype: f32, value: 2 }\n"
                             "tensors:\n  x: { dtype: f32, shape: [n], role: in }\n"
                             "  y: { dtype: f32, shape: [n], role: inout }\n"
                             "signature: " +
                             signature +
                             "\ngate: { kind: relative, c: 4, scale: 1 }\n"
                             "work:\n  floor: { bytes: n, flops: n }\n"
                             "  nominal: { read_bytes: n, write_bytes: n, flops: n, items: n }\n";
  files.texts["shapes.yaml"] = "check: [ { name: a, n: 3 } ]\ntime: [ { name: b, n: 9 } ]\n";
  files.texts["spec.md"] = "# saxpy\n\ny becomes a x + y.\n";
  files.texts["reference.cpp"] = "template <class Real>\nvoid reference() {}\n";
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition.has_value()) << definition.error().what;
  return std::move(*definition);
}

TEST(DataFiles, ThePlaybookServesAnInterfaceAndNotANameAlone) {
  const auto data = DataFiles::open(std::nullopt);
  ASSERT_TRUE(data);
  const auto same = own_saxpy("[n, a, x, y]", "saxpy");
  EXPECT_FALSE(shipped_playbook(*data, same).empty());
  EXPECT_EQ(why_playbook_left_out(*data, same), "");
  for (const auto& [signature, function] :
       {std::pair{"[n, x, a, y]", "saxpy"}, {"[n, a, x, y]", "axpy"}}) {
    const auto other = own_saxpy(signature, function);
    EXPECT_TRUE(shipped_playbook(*data, other).empty()) << signature << " " << function;
    EXPECT_NE(why_playbook_left_out(*data, other).find("for 'saxpy' are left out"),
              std::string::npos);
  }
}

// The kernels of a shipped task are those in its own playbook folder and in those of the tasks that
// its `like` line names.
TEST(DataFiles, ShippedTasksKeepTheirPlaybook) {
  const auto data = DataFiles::open(std::nullopt);
  ASSERT_TRUE(data);
  for (const std::string& name : data->folders("tasks")) {
    const auto definition = task::parse_task(*shipped_task(*data, name));
    ASSERT_TRUE(definition.has_value()) << name;
    auto all = data->under("playbook/" + name);
    for (const std::string& like : definition->like) all.merge(data->under("playbook/" + like));
    EXPECT_EQ(shipped_playbook(*data, *definition).size(), all.size()) << name;
    EXPECT_EQ(why_playbook_left_out(*data, *definition), "") << name;
  }
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
  EXPECT_THAT(DataFiles::open(dir->path() / "missing"), IsError(ErrorCode::NotFound));
}

}  // namespace
}  // namespace kw::memory
