// Tests of task folders through the program: drafts and listings. Malformed folders are tested in
// tests/cases.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Tasks, AreShown) {
  const Workspace w;
  write_good_task(w, "t");
  const Ran ran = w.kw({"task", "show", "t"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("void twice(int n, const float* x, float* y)"), HasSubstr("relative"),
                    HasSubstr("n=1048576"), HasSubstr("reference")));
  const auto shown = w.kw({"task", "show", "t", "--json"}).json();
  EXPECT_EQ(shown["task"]["name"], "twice");
  EXPECT_EQ(shown["workloads"].size(), 3u);
  EXPECT_EQ(shown["workloads"][0]["bytes"], 8000);
}

// As in a clone of the repository, the workspace has a folder tasks/ with a task that is also
// compiled into the program.
TEST(Tasks, OneThatIsShippedAndInTheWorkspaceIsListedOnce) {
  const Workspace w;
  std::filesystem::create_directory(w.path() / "tasks");
  std::filesystem::copy(KW_SOURCE_DIR "/tasks/saxpy", w.path() / "tasks" / "saxpy",
                        std::filesystem::copy_options::recursive);
  const auto listed = [&] {
    std::vector<nlohmann::json> all;
    const auto tasks = w.kw({"task", "list", "--json"}).json()["tasks"];
    for (const auto& task : tasks)
      if (task["name"] == "saxpy") all.push_back(task);
    return all;
  };
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_EQ(listed()[0]["task"], "saxpy");
  w.write("tasks/saxpy/reference.cpp", w.read("tasks/saxpy/reference.cpp") + "\n// mine\n");
  ASSERT_EQ(listed().size(), 1u);
  EXPECT_THAT(listed()[0]["task"].get<std::string>(), HasSubstr("tasks/saxpy"));
  EXPECT_THAT(listed()[0]["summary"].get<std::string>(), HasSubstr("instead of the shipped one"));
}

TEST(Tasks, ShippedAndOwnOnesAreListed) {
  const Workspace w;
  write_good_task(w, "tasks/twice");
  w.write("tasks/broken/task.yaml", "name: 7\n");
  const Ran ran = w.kw({"task", "list", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, bool> usable;
  const auto listed = ran.json();
  for (const auto& task : listed["tasks"]) usable[task["name"]] = task["is_usable"];
  EXPECT_EQ(usable, (std::map<std::string, bool>{{"attention", true},
                                                 {"attention_bf16", true},
                                                 {"attention_f16", true},
                                                 {"conv2d", true},
                                                 {"fctd3d", true},
                                                 {"gelu", true},
                                                 {"histogram", true},
                                                 {"layernorm", true},
                                                 {"layernorm_padded", true},
                                                 {"layernorm_bf16", true},
                                                 {"layernorm_bf16_padded", true},
                                                 {"layernorm_f16", true},
                                                 {"layernorm_f16_padded", true},
                                                 {"matmul", true},
                                                 {"matmul_padded", true},
                                                 {"matmul_bf16", true},
                                                 {"matmul_bf16_padded", true},
                                                 {"matmul_bias_gelu_bf16", true},
                                                 {"matmul_bias_gelu_bf16_padded", true},
                                                 {"matmul_bias_gelu_f16", true},
                                                 {"matmul_bias_gelu_f16_padded", true},
                                                 {"matmul_f16", true},
                                                 {"matmul_f16_padded", true},
                                                 {"reduce_sum", true},
                                                 {"reduce_sum_padded", true},
                                                 {"relu", true},
                                                 {"rmsnorm", true},
                                                 {"rmsnorm_padded", true},
                                                 {"rmsnorm_bf16", true},
                                                 {"rmsnorm_bf16_padded", true},
                                                 {"rmsnorm_f16", true},
                                                 {"rmsnorm_f16_padded", true},
                                                 {"saxpy", true},
                                                 {"scan", true},
                                                 {"scan_padded", true},
                                                 {"softmax", true},
                                                 {"softmax_padded", true},
                                                 {"softmax_bf16", true},
                                                 {"softmax_bf16_padded", true},
                                                 {"softmax_f16", true},
                                                 {"softmax_f16_padded", true},
                                                 {"softsign", true},
                                                 {"swish", true},
                                                 {"transpose", true},
                                                 {"transpose_padded", true},
                                                 {"twice", true},
                                                 {"broken", false}}));
}

TEST(Tasks, ASkeletonLoads) {
  const Workspace w;
  const Ran ran = w.kw({"task", "new", "thrice"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("next: kw task check"));
  EXPECT_EQ(w.kw({"task", "show", "tasks/thrice"}).code, 0);
  const Ran again = w.kw({"task", "new", "thrice"});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("thrice"));
}

}  // namespace
}  // namespace kw::program
