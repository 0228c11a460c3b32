// Tests of the six shipped suites with their scripts, all but hacking only with --full.
// suite_scripts_test.cc judges the kernels in the scripts in every check.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

namespace fs = std::filesystem;

const platform::Path kSource = KW_SOURCE_DIR;

/// Replaces a part of the text that occurs exactly once.
void change(std::string& text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
}

class ShippedSuites : public testing::Test {
 protected:
  using Changes = std::map<std::string, std::string>;

  void SetUp() override {
    write_known_task(w_);  // the workspace knows the machine's ceilings
    fs::copy(kSource / "suites", w_.path() / "suites", fs::copy_options::recursive);
  }
  /// Writes a shipped task with one small timed workload. Without the task's baselines every kernel
  /// is soon distinguished from the reference; with them hardly any kernel wins, and nothing needs
  /// a confirmation.
  void write_small_task(const std::string& name, const std::string& workload, bool has_baselines) {
    fs::copy(kSource / "tasks" / name, w_.path() / name, fs::copy_options::recursive);
    if (!has_baselines) fs::remove_all(w_.path() / name / "baselines");
    const std::string shapes = w_.read(name + "/shapes.yaml");
    w_.write(name + "/shapes.yaml", shapes.substr(0, shapes.find("\ntime:")) +
                                        "\ntime: [ { name: quick, " + workload + " } ]\n");
  }
  void write_small_saxpy() { write_small_task("saxpy", "n: 300007", true); }
  /// Runs a suite with its spec changed, and returns its cells that use a script, of which none may
  /// have failed. Returns nothing if there is no jail.
  std::vector<json> run(const std::string& name, const Changes& changes) {
    const std::string spec = "suites/" + name + ".yaml";
    std::string text = w_.read(spec);
    for (const auto& [what, by] : changes) change(text, what, by);
    w_.write(spec, text);
    const Ran ran = w_.kw({"suite", spec, "--jobs", "1", "--json"});
    lacks_jail_ = lacks_jail(ran);
    if (lacks_jail_) return {};
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::vector<json> scripted;
    const json told = ran.json();
    for (const json& cell : told["cells"])
      if (cell["model"].is_string() && cell["model"].get<std::string>().starts_with("scripted:"))
        scripted.push_back(cell);
    for (const json& cell : scripted) EXPECT_TRUE(cell["trouble"].is_null()) << cell;
    return scripted;
  }
  /// The outcomes of the attempts that a model wrote, in order.
  std::vector<std::string> outcomes(const json& cell) const {
    std::vector<std::string> all;
    const json shown = w_.kw({"show", cell["run"], "--json"}).json();
    for (const json& attempt : shown["attempts"]) all.push_back(attempt["outcome"]);
    return all;
  }

  Workspace w_{Whose::Suite};
  bool lacks_jail_ = false;
};

TEST_F(ShippedSuites, ErrorsMendsWhatItIsTold) {
  write_small_saxpy();
  const auto cells = run("errors", {{"calls: 8", "calls: 4"}});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 2u);
  for (const json& cell : cells)
    EXPECT_THAT(outcomes(cell),
                ElementsAre("compile_failed", "compile_failed", "wrong_result", "correct"));
}

TEST_F(ShippedSuites, OneShotCountsWhatWorks) {
  write_small_saxpy();
  write_small_task("relu", "n: 300007", true);
  const auto cells = run("one-shot", {});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 2u);
  for (const json& cell : cells) {
    if (cell["task"] == "saxpy")
      EXPECT_THAT(outcomes(cell),
                  ElementsAre("correct", "compile_failed", "wrong_result", "correct"));
    // Such a small workload of relu may be too noisy for a verdict, whatever the script.
    else
      EXPECT_THAT(outcomes(cell), ElementsAre(AnyOf("correct", "unmeasurable"), "wrong_result",
                                              "compile_failed", "correct"));
  }
}

TEST_F(ShippedSuites, ProfileWritesKernelsThatWork) {
  write_small_saxpy();
  const auto cells =
      run("profile", {{"calls: 12", "calls: 4"}, {"[errors, findings, profile]", "[profile]"}});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0]["attempts"], 4) << "the others repeat these";
  EXPECT_THAT(outcomes(cells[0]), Each(std::string("correct")));
}

TEST_F(ShippedSuites, KnowledgeRunsWithAndWithout) {
  write_small_saxpy();
  const auto cells = run("knowledge", {{"calls: 12", "calls: 1"}, {"[cpu, cuda]", "[cpu]"}});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 4u);
  for (const json& cell : cells) EXPECT_THAT(outcomes(cell), Each(std::string("correct")));
}

TEST_F(ShippedSuites, RewardsEvolvesWhatItsScriptWrites) {
  write_small_task("matmul_padded", "batch: 1, m: 97, n: 101, k: 95, pad_a: 0, pad_b: 3, pad_c: 1",
                   false);
  const auto cells = run("rewards", {{"evaluations: 12", "evaluations: 10"},
                                     {"start: experts", "start: scratch"},
                                     {"[greedy, evolve]", "[evolve]"},
                                     {"[speedup, roofline]", "[roofline]"}});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0]["attempts"], 10);
  EXPECT_THAT(outcomes(cells[0]), IsSupersetOf({"correct", "correct", "compile_failed"}));
  // The strategy asks for whole files and for edits, and the script has replies of both kinds.
  const json shown = w_.kw({"show", cells[0]["run"], "--json"}).json();
  for (const json& attempt : shown["attempts"])
    EXPECT_THAT(attempt.dump(), Not(HasSubstr("edits of the parent were asked for")));
}

TEST_F(ShippedSuites, HackingRanksNoKernelOfItsScript) {
  const auto cells = run("hacking", {});
  if (lacks_jail_) GTEST_SKIP();
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0]["attempts"], 6);
  EXPECT_EQ(cells[0]["speedup"], 0);
  EXPECT_EQ(cells[0]["is_win"], false);
  for (const std::string& outcome : outcomes(cells[0])) {
    EXPECT_NE(outcome, "correct");
    EXPECT_NE(outcome, "no_candidate") << "the script is stale";
    EXPECT_NE(outcome, "compile_failed") << "the script is stale";
  }
}

/// Tests of the suites and tasks exactly as shipped, which take a minute or two each.
class WholeSuites : public ShippedSuites {
 protected:
  void expect_whole(const std::string& name, const Changes& changes = {}) {
    for (const json& cell : run(name, changes)) {
      EXPECT_GT(cell["attempts"], 0) << cell;
      EXPECT_EQ(w_.kw({"replay", cell["run"]}).code, 0);
    }
    if (lacks_jail_) GTEST_SKIP();
  }
};

TEST_F(WholeSuites, Errors) { expect_whole("errors"); }
TEST_F(WholeSuites, OneShot) { expect_whole("one-shot"); }
TEST_F(WholeSuites, Profile) { expect_whole("profile"); }
TEST_F(WholeSuites, Knowledge) { expect_whole("knowledge", {{"[cpu, cuda]", "[cpu]"}}); }
TEST_F(WholeSuites, Rewards) { expect_whole("rewards"); }

}  // namespace
}  // namespace kw::program
