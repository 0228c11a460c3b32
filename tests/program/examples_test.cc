// Tests of what examples/ tells people to run: the script sends a bundle and gets results, and the
// notebook and the batch job call only flags that exist.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

const platform::Path kExamples = platform::Path(KW_SOURCE_DIR) / "examples";
const std::string kBin = std::string(KW_BINARY_DIR) + "/bin";

std::string text_of(const std::string& file) {
  const auto text = platform::read_file(kExamples / file);
  EXPECT_TRUE(text) << file;
  return text ? *text : std::string();
}

/// The flags (words that begin with --) after `program` on its lines of `text`.
std::set<std::string> flags_of(const std::string& text, const std::string& program) {
  std::set<std::string> flags;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t at = line.find(program + " ");
    if (at == std::string_view::npos || trim(line).starts_with("echo")) continue;
    for (const std::string_view word : split(line.substr(at), ' '))
      if (word.starts_with("--")) flags.insert(std::string(word));
  }
  return flags;
}

/// The usage text of kw-worker, which it prints when it is started without a pipe.
std::string worker_usage() {
  const Ran ran = ended(platform::run({kBin + "/kw-worker"}, {}, kPatience));
  EXPECT_EQ(ran.code, 2);
  return ran.err;
}

TEST(Examples, TheNotebookIsOneAndCallsWhatIsThere) {
  const auto notebook = nlohmann::json::parse(text_of("hosted-gpu.ipynb"), nullptr, false);
  ASSERT_TRUE(notebook.is_object());
  EXPECT_EQ(notebook["nbformat"], 4);
  std::string code;
  for (const auto& cell : notebook["cells"]) {
    ASSERT_THAT(cell["cell_type"], AnyOf("code", "markdown"));
    if (cell["cell_type"] == "markdown") continue;
    EXPECT_TRUE(cell["outputs"].empty()) << "committed as it was never run";
    for (const auto& line : cell["source"]) code += line.get<std::string>();
  }
  const auto flags = flags_of(code, "bin/kw-worker");
  EXPECT_THAT(flags, testing::UnorderedElementsAre("--bundle", "--out"));
  for (const std::string& flag : flags) EXPECT_THAT(worker_usage(), HasSubstr(flag));
}

TEST(Examples, ScriptsParseAndNameFlagsThatAreThere) {
  const Workspace w;
  const std::string known =
      w.kw({"optimize", "--help-all"}).out + w.kw({"resume", "--help-all"}).out;
  for (const char* file : {"hosted-gpu.sh", "judge-bundle.sbatch"}) {
    const Ran parsed =
        ended(platform::run({"bash", "-n", (kExamples / file).string()}, {}, kPatience));
    EXPECT_EQ(parsed.code, 0) << parsed.err;
    const auto flags = flags_of(text_of(file), "kw-worker\"");
    EXPECT_THAT(flags, testing::UnorderedElementsAre("--bundle", "--out")) << file;
  }
  std::set<std::string> flags = flags_of(text_of("hosted-gpu.sh"), "step optimize");
  flags.merge(flags_of(text_of("hosted-gpu.sh"), "step resume"));
  flags.merge(flags_of(text_of("hosted-gpu.sh"), "set --"));
  EXPECT_THAT(flags, testing::IsSupersetOf({"--carrier", "--results", "--target", "--arch"}));
  flags.erase("--");
  for (const std::string& flag : flags) EXPECT_THAT(known, HasSubstr(flag + " "));
}

/// Base of tests with a task that was packed for another machine; here it is judged on this one.
class PackedExample : public testing::Test {
 protected:
  void SetUp() override {
    write_easy_task(w, "twice");
    w.write("twice/candidates/001_right.cpp",
            "void twice(int n, const float* x, float* y) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
            "}\n");
    const Ran packed = hosted(" pack twice --target cpu --attempts 1");
    if (lacks_jail(packed)) GTEST_SKIP() << packed.err;
    ASSERT_EQ(packed.code, 3) << packed.err;
  }
  Ran hosted(const std::string& words) const {
    return w.shell("export KW KW_BIN=\"" + w.programs().string() + "\"; \"" +
                   (kExamples / "hosted-gpu.sh").string() + "\"" + words);
  }

  const Workspace w{Whose::Suite};
};

TEST_F(PackedExample, GoesBackAndForthUntilTheRunHasEnded) {
  const Ran listed = w.shell("tar -tzf twice.hosted.tar.gz");
  EXPECT_THAT(listed.out, AllOf(HasSubstr("twice.bundle"), HasSubstr("bin/kw-worker"),
                                HasSubstr("bin/kw-jail"), HasSubstr("bin/kw-player-cuda")));
  const Ran ran = hosted(" run here twice --target cpu --attempts 1");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_THAT(ran.code, AnyOf(0, 1)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("of 1 evaluations are in"));
  const auto run = w.run();
  EXPECT_EQ(run["state"], "finished");
  EXPECT_EQ(run["attempts"], 1);
}

// Judges as the notebook does, round after round, with the flags that pack printed.
TEST_F(PackedExample, TakesWhatTheNotebookJudged) {
  const Ran judged = w.shell(
      "tar -xzf twice.hosted.tar.gz && bin/kw-worker --bundle twice.bundle --out first.results");
  ASSERT_EQ(judged.code, 0) << judged.err;
  const Ran taken = hosted(" take twice first.results");
  EXPECT_EQ(taken.code, 3) << taken.err;
  EXPECT_THAT(w.read("twice.hosted.run"), HasSubstr("--target\ncpu\n"));
  const Ran again = hosted(" take twice first.results");
  EXPECT_EQ(again.code, 2) << again.err;
  EXPECT_THAT(again.err, HasSubstr("holds nothing new"));
}

}  // namespace
}  // namespace kw::program
