// Tests of tasks whose init.cpp computes inputs.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

/// y is x where the map says so, and 0 elsewhere; the map has one connected block, as no kind of
/// values draws it.
const char* const kBlocksYaml =
    "name: blocks\n"
    "family: elementwise\n"
    "summary: y is x inside of the block that the map shows\n"
    "dims: [n]\n"
    "scalars:\n"
    "  n: { dtype: i32 }\n"
    "tensors:\n"
    "  map: { dtype: u8, shape: [n, n], pitch: \"n + 5\", role: in, values: { kind: init } }\n"
    "  x: { dtype: f32, shape: [n, n], role: in }\n"
    "  y: { dtype: f32, shape: [n, n], role: out }\n"
    "signature: [n, map, x, y]\n"
    "gate: { kind: relative, c: 1 }\n"
    "work:\n"
    "  floor: { bytes: \"4 * n * n\", flops: 0 }\n"
    "  nominal: { read_bytes: \"5 * n * n\", write_bytes: \"4 * n * n\", flops: \"n * n\", items: "
    "\"n * n\" }\n";

/// init.cpp, whose block begins at a place that `draw` computes from the seed.
std::string block_from(const std::string& draw) {
  return "#include <random>\n"
         "void init(uint64_t seed, int n, unsigned char* map, float*) {\n"
         "  std::mt19937_64 draw(" +
         draw +
         ");\n"
         "  const int half = n / 2 + 1, top = int(draw() % half), left = int(draw() % half);\n"
         "  for (int r = 0; r < n; ++r)\n"
         "    for (int c = 0; c < n; ++c)\n"
         "      map[r * (n + 5) + c] = r >= top && r <= top + n / 2 && c >= left && c <= left + n "
         "/ 2"
         " ? draw() % 7 + 1 : 0;\n"
         "}\n";
}

std::string masked_copy(const std::string& condition) {
  return "void blocks(int n, const unsigned char* map, const float* x, float* y) {\n"
         "  for (int r = 0; r < n; ++r)\n"
         "    for (int c = 0; c < n; ++c)\n"
         "      y[r * n + c] = " +
         condition + " ? x[r * n + c] : 0;\n}\n";
}

class CodedInputs : public testing::Test {
 protected:
  void SetUp() override {
    write_good_task(w_, "blocks");
    w_.write("blocks/task.yaml", kBlocksYaml);
    w_.write("blocks/shapes.yaml",
             "show: [ { name: small, n: 20 } ]\n"
             "check: [ { name: one, n: 1 }, { name: prime, n: 97 } ]\n"
             "time: [ { name: large, n: 1000 } ]\n");
    w_.write("blocks/reference.cpp",
             "template <class Real>\n"
             "void reference(int n, const unsigned char* map, const Real* x, Real* y) {\n"
             "  for (int r = 0; r < n; ++r)\n"
             "    for (int c = 0; c < n; ++c)\n"
             "      y[r * n + c] = map[r * (n + 5) + c] ? x[r * n + c] : Real(0);\n}\n");
    w_.write("blocks/init.cpp", block_from("seed"));
  }
  Ran judged(const std::string& condition) const {
    w_.write("kernel.cpp", masked_copy(condition));
    return w_.kw({"judge", "kernel.cpp", "--task", "blocks", "--until", "check"});
  }

  Workspace w_{Whose::Suite};
};

TEST_F(CodedInputs, DecideBetweenRightAndWrongKernels) {
  const Ran right = judged("map[r * (n + 5) + c]");
  if (lacks_jail(right)) GTEST_SKIP() << right.err;
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Ran wrong = judged("map[r * (n + 5) + c] > 1");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("wrong_result"));
}

TEST_F(CodedInputs, ThatIgnoreTheSeedAreRefused) {
  w_.write("blocks/init.cpp", block_from("12345"));
  const Ran ran = judged("map[r * (n + 5) + c]");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("computes the same values of 'map' from every seed"));
}

TEST_F(CodedInputs, ThatDrawOutsideOfTheSeedAreRefused) {
  w_.write("blocks/init.cpp", block_from("std::random_device()()"));
  const Ran ran = judged("map[r * (n + 5) + c]");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_NE(ran.code, 0) << ran.out << ran.err;
}

TEST_F(CodedInputs, ThatCrashAreTheTasksFault) {
  w_.write("blocks/init.cpp",
           "void init(uint64_t, int n, unsigned char* map, float*) { map[n * 100000000L] = 1; }\n");
  const Ran ran = judged("map[r * (n + 5) + c]");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("init.cpp of task 'blocks'"));
}

TEST_F(CodedInputs, NeedTheirFileAndATensor) {
  ASSERT_EQ(w_.shell("rm blocks/init.cpp").code, 0);
  const Ran without = w_.kw({"task", "show", "blocks"});
  EXPECT_EQ(without.code, 2) << without.out;
  EXPECT_THAT(without.err, HasSubstr("init.cpp"));
  w_.write("blocks/init.cpp", "void other(int) {}\n");
  const Ran other = w_.kw({"task", "show", "blocks"});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr("defines no function named 'init'"));
}

}  // namespace
}  // namespace kw::program
