// Tests of the shipped suites' scripts: each kernel and edit gets the outcome for which it was
// written. They are judged on small shapes without a search, so that a stale script is noticed in
// every check.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/text.h"
#include "kw.h"

namespace kw::program {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;

const platform::Path kScriptSource = KW_SOURCE_DIR;

/// One reply of a script: its source file, and the two halves of its edit where it has an edit.
struct Scripted {
  std::string kernel;
  std::string searched;
  std::string put;
};

enum class Part { Words, Kernel, Searched, Put };

Part next_part(Part part, std::string_view line) {
  switch (part) {
    case Part::Words:
      return line.starts_with("```")              ? Part::Kernel
             : line.starts_with("<<<<<<< SEARCH") ? Part::Searched
                                                  : Part::Words;
    case Part::Kernel:
      return line.starts_with("```") ? Part::Words : part;
    case Part::Searched:
      return line.starts_with("\\=======") ? Part::Put : part;
    case Part::Put:
      return line.starts_with(">>>>>>> REPLACE") ? Part::Words : part;
  }
  return part;
}

std::vector<Scripted> replies_of(const std::string& script) {
  const auto text = platform::read_file(kScriptSource / "suites/scripts" / script);
  EXPECT_TRUE(text) << script;
  if (!text) return {};
  std::vector<Scripted> all;
  Part part = Part::Words;
  for (const std::string_view line : split_lines(*text)) {
    if (line.starts_with("===")) {
      EXPECT_EQ(part, Part::Words) << script;
      all.emplace_back();
      continue;
    }
    const Part next = next_part(part, line);
    if (next == part && part != Part::Words && !all.empty()) {
      Scripted& reply = all.back();
      std::string& side = part == Part::Kernel     ? reply.kernel
                          : part == Part::Searched ? reply.searched
                                                   : reply.put;
      side += std::string(line) + "\n";
    }
    part = next;
  }
  return all;
}

class SuiteScripts : public testing::Test {
 protected:
  void SetUp() override { write_known_task(w_); }
  /// Writes a shipped task with few workloads, which suffice to tell right kernels from wrong ones.
  void write_task(const std::string& name, const std::string& checks, const std::string& timed) {
    fs::copy(kScriptSource / "tasks" / name, w_.path() / name, fs::copy_options::recursive);
    w_.write(name + "/shapes.yaml", "show: [ { name: shown, " + timed + " } ]\ncheck:\n" + checks +
                                        "time: [ { name: quick, " + timed + " } ]\n");
  }
  void write_saxpy() {
    write_task("saxpy", "  - { name: odd, n: 4099 }\n  - { name: one, n: 1 }\n", "n: 3001");
  }
  std::string outcome(const std::string& task, const std::string& kernel,
                      const std::string& file = "kernel.cpp", const Words& more = {}) {
    w_.write(file, kernel);
    Words words{"judge", file, "--task", task, "--until", "check", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = w_.kw(words);
    lacks_jail_ = lacks_jail_ || lacks_jail(ran);
    if (lacks_jail_) return "";
    return ran.json()["verdict"]["outcome"];
  }
  std::vector<std::string> outcomes(const std::string& script, const std::string& task) {
    std::vector<std::string> all;
    for (const Scripted& reply : replies_of(script)) all.push_back(outcome(task, reply.kernel));
    return all;
  }

  Workspace w_{Whose::Suite};
  bool lacks_jail_ = false;
};

TEST_F(SuiteScripts, ErrorsMendsStepByStep) {
  write_saxpy();
  const auto came = outcomes("errors.saxpy.txt", "saxpy");
  if (lacks_jail_) GTEST_SKIP();
  EXPECT_THAT(came, ElementsAre("compile_failed", "compile_failed", "wrong_result", "correct"));
}

TEST_F(SuiteScripts, OneShotHasWhatWorksAndWhatDoesNot) {
  write_saxpy();
  write_task("relu", "  - { name: odd, n: 4099 }\n  - { name: one, n: 1 }\n", "n: 3001");
  const auto saxpy = outcomes("one-shot.saxpy.txt", "saxpy");
  const auto relu = outcomes("one-shot.relu.txt", "relu");
  if (lacks_jail_) GTEST_SKIP();
  EXPECT_THAT(saxpy, ElementsAre("correct", "compile_failed", "wrong_result", "correct"));
  EXPECT_THAT(relu, ElementsAre("correct", "wrong_result", "compile_failed", "correct"));
}

TEST_F(SuiteScripts, KernelsOfProfileAndKnowledgeWork) {
  write_saxpy();
  const auto came = outcomes("steps.saxpy.cpu.txt", "saxpy");
  if (lacks_jail_) GTEST_SKIP();
  EXPECT_EQ(came, std::vector<std::string>(8, "correct"));
}

TEST_F(SuiteScripts, KernelsOfKnowledgeForAGpuCompile) {
  if (!w_.kw({"doctor", "--json"}).json()["can_compile_cuda"].get<bool>())
    GTEST_SKIP() << "no compiler for cuda here";
  for (const Scripted& reply : replies_of("steps.saxpy.cuda.txt"))
    EXPECT_EQ(outcome("saxpy", reply.kernel, "kernel.cu",
                      {"--target", "cuda", "--arch", "sm_90", "--until", "compile"}),
              "correct")
        << reply.kernel;
}

TEST_F(SuiteScripts, RewardsHasKernelsAndEditsOfThem) {
  write_task("matmul_padded",
             "  - { name: odd, batch: 2, m: 33, n: 47, k: 271, pad_a: 1, pad_b: 3, pad_c: 2 }\n",
             "batch: 1, m: 37, n: 41, k: 35, pad_a: 0, pad_b: 3, pad_c: 1");
  const auto replies = replies_of("steps.matmul_padded.cpu.txt");
  const auto came = outcomes("steps.matmul_padded.cpu.txt", "matmul_padded");
  if (lacks_jail_) GTEST_SKIP();
  EXPECT_THAT(came, ElementsAre("correct", "wrong_result", "correct", "compile_failed", "correct"));
  ASSERT_EQ(replies.size(), 5u);
  // The strategy evolve may ask for edits of any kernel, so each edit must apply to every kernel of
  // the script.
  std::vector<std::string> edited;
  for (const Scripted& reply : replies) {
    ASSERT_FALSE(reply.searched.empty()) << "a whole file is refused where edits are asked for";
    for (const Scripted& parent : replies) {
      const auto at = parent.kernel.find(reply.searched);
      ASSERT_NE(at, std::string::npos) << reply.searched << parent.kernel;
      EXPECT_EQ(parent.kernel.find(reply.searched, at + 1), std::string::npos) << reply.searched;
    }
    std::string child = replies[0].kernel;
    child.replace(child.find(reply.searched), reply.searched.size(), reply.put);
    edited.push_back(outcome("matmul_padded", child));
  }
  EXPECT_THAT(edited, ElementsAre("correct", "correct", "correct", "compile_failed", "correct"));
}

}  // namespace
}  // namespace kw::program
