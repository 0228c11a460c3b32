// Task folders through the program: drafts, listings, and the first line on everything malformed.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Broken {
  const char* file;
  const char* from;  ///< Replaced once; empty: the whole file.
  const char* to;
  const char* first_line;  ///< After "kw: t/".
};

const Broken kBroken[] = {
    {"task.yaml", "family:", "famly:",
     "task.yaml:2:1: unknown key 'famly' in task.yaml (did you mean 'family'?)"},
    {"task.yaml", "", "", "task.yaml"},
    {"task.yaml", "", "name: [", "task.yaml"},
    {"task.yaml", "", "\x01\x02\xff", "task.yaml"},
    {"task.yaml", "dtype: f32, shape: [n], role: in }", "dtype: f23, shape: [n], role: in }",
     "task.yaml:8:15: "},
    {"task.yaml", "dims: [n]", "dims: n", "task.yaml:4:7: "},
    {"task.yaml", "shape: [n], role: out", "shape: [n / 0], role: out", ""},
    {"task.yaml", "shape: [n], role: out", "shape: [m], role: out", "task.yaml:9:"},
    {"task.yaml", "shape: [n], role: out", "shape: [\"n * 9223372036854775807\"], role: out", ""},
    {"task.yaml", "kind: relative", "kind: relativ", "task.yaml:11:"},
    {"task.yaml", "signature: [n, x, y]", "signature: [n, x, z]", "task.yaml:10:"},
    {"task.yaml", "name: twice", "name: 2wice", "task.yaml:1:7: "},
    {"shapes.yaml", "n: 4099", "m: 4099", "shapes.yaml:2:"},
    {"shapes.yaml", "n: 4099", "n: many", "shapes.yaml:2:"},
    {"shapes.yaml", "n: 4099", "n: -1", ""},
    {"shapes.yaml", "show", "shew",
     "shapes.yaml:1:1: unknown key 'shew' in shapes.yaml (did you mean 'show'?)"},
    {"reference.cpp", "", "int main() {}\n", "reference.cpp:1:1: "},
};

TEST(Tasks, MalformedOnesAreToldByPlace) {
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(std::string(broken.file) + ": " + broken.to);
    const Workspace w;
    write_good_task(w, "t");
    std::string text = w.read(std::string("t/") + broken.file);
    if (*broken.from == '\0') {
      text = broken.to;
    } else {
      const auto at = text.find(broken.from);
      ASSERT_NE(at, std::string::npos);
      text.replace(at, std::string(broken.from).size(), broken.to);
    }
    w.write(std::string("t/") + broken.file, text);
    const Ran ran = w.kw({"task", "show", "t"});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.first_error(), StartsWith(std::string("kw: t/") + broken.first_line));
    const Ran optimize = w.kw({"optimize", "t", "--json"});
    EXPECT_EQ(optimize.code, 2) << optimize.err;
    EXPECT_EQ(optimize.json()["error"]["exit_code"], 2);
  }
}

TEST(Tasks, MissingFilesAreNamed) {
  for (const char* file : {"task.yaml", "shapes.yaml", "reference.cpp"}) {
    const Workspace w;
    write_good_task(w, "t");
    ASSERT_TRUE(platform::remove_tree(w.path() / "t" / file));
    const Ran ran = w.kw({"task", "show", "t"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.first_error(), HasSubstr(file));
  }
}

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

TEST(Tasks, ShippedAndOwnOnesAreListed) {
  const Workspace w;
  write_good_task(w, "tasks/twice");
  w.write("tasks/broken/task.yaml", "name: 7\n");
  const Ran ran = w.kw({"task", "list", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, bool> usable;
  const auto listed = ran.json();
  for (const auto& task : listed["tasks"]) usable[task["name"]] = task["is_usable"];
  EXPECT_EQ(usable, (std::map<std::string, bool>{{"fctd3d", true},
                                                 {"gelu", true},
                                                 {"matmul", true},
                                                 {"relu", true},
                                                 {"saxpy", true},
                                                 {"softmax", true},
                                                 {"softsign", true},
                                                 {"swish", true},
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

TEST(Tasks, ADraftFromAFunctionLoads) {
  const Workspace w;
  w.write("scale.c",
          "void scale(int n, float a, const float *x, float *y) {\n"
          "  for (int i = 0; i < n; i++) y[i] = a * x[i];\n"
          "}\n");
  const Ran ran = w.kw({"task", "new", "mine", "--from", "scale.c", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["task"], "mine");
  EXPECT_EQ(w.kw({"task", "show", "tasks/mine"}).code, 0);
  const Ran missing = w.kw({"task", "new", "other", "--from", "none.c"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.c"));
}

}  // namespace
}  // namespace kw::program
