// Tests that the truth of float64 results is better than float64: kernels that round less than the
// reference are right, and what a reference does not write is still seen.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const kSumsYaml =
    "name: sums\n"
    "family: reduction\n"
    "summary: y is the sum of each row of x\n"
    "dims: [n, m]\n"
    "scalars:\n"
    "  n: { dtype: i32 }\n"
    "  m: { dtype: i32 }\n"
    "tensors:\n"
    "  x: { dtype: f64, shape: [n, m], pitch: \"m + 3\", role: in }\n"
    "  y: { dtype: f64, shape: [n], role: out }\n"
    "signature: [n, m, x, y]\n"
    "gate: { kind: dot, c: 4, k: m }\n"
    "work:\n"
    "  floor: { bytes: \"8 * n * m\", flops: \"n * m\" }\n"
    "  nominal: { read_bytes: \"8 * n * m\", write_bytes: \"8 * n\", flops: \"n * m\", items: n "
    "}\n";

/// The sums of the rows by a loop whose sum has the type `type`, which writes `rows` of them.
std::string summed(const std::string& name, const std::string& type, const std::string& rows) {
  return "template <class Real>\nvoid " + name +
         "(int n, int m, const Real* x, Real* y) {\n"
         "  for (int i = 0; i < " +
         rows + "; ++i) {\n    " + type +
         " sum = 0;\n"
         "    for (int j = 0; j < m; ++j) {\n"
         "      const Real term = x[static_cast<long>(i) * (m + 3) + j];\n"
         "      sum += " +
         (name == "magnitude" ? "term < 0 ? -term : term" : "term") +
         ";\n    }\n    y[i] = sum;\n  }\n}\n";
}

/// A kernel that sums each row in `lanes` sums of the type `type`.
std::string sums_in(const std::string& type, const std::string& lanes) {
  return "void sums(int n, int m, const double* x, double* y) {\n"
         "  for (int i = 0; i < n; ++i) {\n"
         "    " +
         type + " parts[" + lanes +
         "] = {}, sum = 0;\n"
         "    for (int j = 0; j < m; ++j) parts[j % " +
         lanes +
         "] += x[static_cast<long>(i) * (m + 3) + j];\n"
         "    for (" +
         type + " part : parts) sum += part;\n    y[i] = sum;\n  }\n}\n";
}

class LongTruth : public testing::Test {
 protected:
  void SetUp() override {
    write_good_task(w_, "sums");
    w_.write("sums/task.yaml", kSumsYaml);
    w_.write("sums/shapes.yaml",
             "show: [ { name: small, n: 300, m: 100 } ]\n"
             "check: [ { name: prime, n: 307, m: 4099 } ]\n"
             "time: [ { name: large, n: 512, m: 64 } ]\n");
    refer("Real", "n");
    w_.write("lanes.cpp", sums_in("double", "8"));
  }
  /// Writes a reference whose sums have the type `type`, and which computes `rows` of them.
  void refer(const std::string& type, const std::string& rows) const {
    w_.write("sums/reference.cpp",
             summed("reference", type, rows) + summed("magnitude", "Real", "n"));
  }
  Ran judged(const std::string& file) const {
    return w_.kw({"judge", file, "--task", "sums", "--until", "check"});
  }
  Ran checked() const { return w_.kw({"task", "check", "sums", "--verbose"}); }

  Workspace w_{Whose::Suite};
};

TEST_F(LongTruth, SumsThatRoundLessThanTheReferenceAreRight) {
  const Ran lanes = judged("lanes.cpp");
  if (lacks_jail(lanes)) GTEST_SKIP() << lanes.err;
  EXPECT_EQ(lanes.code, 0) << lanes.out << lanes.err;
  w_.write("long.cpp", sums_in("long double", "1"));
  const Ran exact = judged("long.cpp");
  EXPECT_EQ(exact.code, 0) << exact.out << exact.err;
  w_.write("plain.cpp", sums_in("double", "1"));
  const Ran plain = judged("plain.cpp");
  EXPECT_EQ(plain.code, 0) << plain.out << plain.err;
  w_.write("floats.cpp", sums_in("float", "8"));
  const Ran floats = judged("floats.cpp");
  EXPECT_EQ(floats.code, 1) << floats.err;
  EXPECT_THAT(floats.out, HasSubstr("wrong"));
}

TEST_F(LongTruth, TheSecondGateStillSeesFewerBits) {
  std::string yaml = w_.read("sums/task.yaml");
  yaml.replace(yaml.find("c: 4"), 4, "c: 1e9");
  w_.write("sums/task.yaml", yaml);
  w_.write("floats.cpp", sums_in("float", "8"));
  const Ran floats = judged("floats.cpp");
  if (lacks_jail(floats)) GTEST_SKIP() << floats.err;
  EXPECT_EQ(floats.code, 1) << floats.err;
  EXPECT_THAT(floats.out, HasSubstr("RMS error"));
}

TEST_F(LongTruth, WhatTheReferenceDoesNotWriteIsSeen) {
  refer("Real", "n - 1");
  const Ran ran = checked();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("unwritten"));
}

TEST_F(LongTruth, AReferenceThatKeepsToDoubleIsRemarkedOn) {
  const Ran good = checked();
  if (lacks_jail(good)) GTEST_SKIP() << good.err;
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_THAT(good.out, Not(HasSubstr("note")));
  refer("double", "n");
  EXPECT_THAT(checked().out, AllOf(HasSubstr("note"), HasSubstr("in line 4")));
  // Pointers to double cannot be passed to it in long double.
  std::string text = w_.read("sums/reference.cpp");
  const std::string arguments = "const Real* x, Real* y";
  text.replace(text.find(arguments), arguments.size(), "const double* x, double* y");
  w_.write("sums/reference.cpp", text);
  const Ran fixed = checked();
  // Its own rounding then counts as right, so sums in another order are refused, which is said.
  EXPECT_EQ(fixed.code, 1) << fixed.out << fixed.err;
  EXPECT_THAT(fixed.out, AllOf(HasSubstr("note"), HasSubstr("does not compile"),
                               HasSubstr("honest kernel with other sums")));
}

}  // namespace
}  // namespace kw::program
