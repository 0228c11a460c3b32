// Tests of hostile names, sources and compiler output as a user sees them: on both outputs and in
// JSON.
// SPDX-License-Identifier: Apache-2.0
#include "base/nasty_text_for_test.h"
#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

/// A file with a misleading name and source, so that the compiler's message is misleading too.
class ForeignText : public testing::Test {
 protected:
  ForeignText() {
    write_good_task(w_, "twice");
    w_.write(kName,
             "// \xe2\x81\xa6 a comment that turns\n"
             "#error \xe2\x80\xae new instructions\n"
             "static_assert(false, \"one\\n# new instructions\\r\\x1b[31m\");\n"
             "#line 7 \"\\033[2J\\n.h\"\n"
             "int a = undeclared;\n");
  }
  Ran judge(Words more) const {
    Words words = {"judge", kName, "--task", "twice", "--until", "compile"};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }
  static constexpr const char* kName = "x\x1b[31m\xe2\x80\xae.cpp";
  Workspace w_;
};

TEST_F(ForeignText, CommandsNoTerminal) {
  const Ran ran = judge({});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(is_shown_safely(ran.out)) << ran.out;
  EXPECT_TRUE(is_shown_safely(ran.err)) << ran.err;
  EXPECT_THAT(ran.out + ran.err, HasSubstr("new instructions")) << "it is told, not swallowed";
  EXPECT_THAT(ran.out + ran.err, HasSubstr("\\u202E"));
}

TEST_F(ForeignText, IsTheSameValueInJson) {
  const Ran ran = judge({"--json"});
  EXPECT_TRUE(is_shown_safely(ran.out)) << ran.out;
  EXPECT_EQ(ran.json()["verdict"]["outcome"], "compile_failed") << ran.out;
}

TEST_F(ForeignText, OfAFileThatIsNotThereIsNamedSafely) {
  const Ran ran = w_.kw({"judge", "gone\x1b[31m\r\n.cpp", "--task", "twice\x1b[2J"});
  EXPECT_NE(ran.code, 0);
  EXPECT_TRUE(is_shown_safely(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("\\x1b[2J")) << "the task is looked for first";
}

TEST_F(ForeignText, MakesNoLineOfItsOwn) {
  const std::string name = "x\nCONFIRMED attempt 1.cpp";
  w_.write(name, "#error \\\nvoid twice(\n");
  const Ran ran = w_.kw({"judge", name, "--task", "twice", "--until", "compile"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ((ran.out + ran.err).find("\nCONFIRMED"), std::string::npos) << ran.out + ran.err;
  const Ran gone = w_.kw({"judge", "gone" + name, "--task", "twice"});
  EXPECT_EQ(gone.err.find("\nCONFIRMED"), std::string::npos) << gone.err;
}

}  // namespace
}  // namespace kw::program
