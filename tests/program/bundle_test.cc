// Tests of runs whose kernels are judged on another machine: a bundle goes out and results come
// back until a winner is confirmed. Also files that are damaged, foreign, or come twice.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <thread>

#include "bundle_files.h"
#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

class Bundle : public testing::Test {
 protected:
  void SetUp() override {
    write_easy_task(w_, "twice");
    w_.write("twice/candidates/001_right.cpp", kFasterKernel);
  }

  Ran optimize(const Words& more = {}) const {
    Words words{"optimize", "twice",  "--carrier",  "bundle",   "--attempts",
                "2",        "--json", "--baseline", "reference"};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }

  std::string bundle() const { return (w_.path() / "runs" / "twice.cpu.bundle").string(); }

  std::string worker() const { return (w_.programs() / "kw-worker").string(); }

  Ran judge(const std::string& out) const {
    return ended(platform::run({worker(), "--bundle", bundle(), "--out", out}, options(),
                               std::chrono::minutes(3)));
  }

  platform::SpawnOptions options() const {
    platform::SpawnOptions spawn;
    spawn.cwd = w_.path();
    for (const char* name : {"PATH", "TMPDIR"})
      if (const auto entry = platform::env_of_ours(name)) spawn.env.push_back(*entry);
    return spawn;
  }

  std::string at(const std::string& file) const { return (w_.path() / file).string(); }

  Workspace w_{Whose::Suite};
};

TEST_F(Bundle, GoesOutAndComesBackUntilTheRunEnds) {
  Ran ran = optimize();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  int rounds = 0;
  for (; ran.code == 3 && rounds < 6; ++rounds) {
    ASSERT_THAT(ran.err, HasSubstr("kw-worker --bundle")) << ran.out;
    const std::string out = at("results" + std::to_string(rounds));
    const Ran judged = judge(out);
    if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
    ASSERT_EQ(judged.code, 0) << judged.err;
    const bool has_run = w_.kw({"show", "twice-1"}).code == 0;
    ran = has_run ? w_.kw({"resume", "twice-1", "--results", out, "--json"})
                  : optimize({"--results", out});
  }
  EXPECT_GE(rounds, 2) << "baselines, then attempts; the confirmation where one was faster";
  EXPECT_THAT(ran.code, testing::AnyOf(0, 1)) << ran.err;
  EXPECT_EQ(ran.json()["best"]["name"], "001_right");
}

TEST_F(Bundle, RefusesFilesThatAreDamagedForeignOrCutOff) {
  const Ran ran = optimize();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 3) << ran.out;
  const Ran judged = judge(at("good"));
  if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
  ASSERT_EQ(judged.code, 0) << judged.err;
  std::string text = w_.read("good");
  w_.write("cut", text.substr(0, text.size() - 9));
  text[text.size() / 2] ^= 1;
  w_.write("damaged", text);
  w_.write("foreign", "{\"answers\": []}\n");
  w_.write("newer", "kernelwright-results 2 00 0\n");
  EXPECT_THAT(optimize({"--results", "cut"}).err, HasSubstr("cut off"));
  EXPECT_THAT(optimize({"--results", "damaged"}).err, HasSubstr("damaged"));
  EXPECT_THAT(optimize({"--results", "foreign"}).err, HasSubstr("this is no kernelwright-results"));
  EXPECT_THAT(optimize({"--results", "newer"}).err, HasSubstr("version 2"));
  // A workspace that packed no bundle accepts no results.
  const Workspace other(Whose::Suite);
  write_easy_task(other, "twice");
  const Ran refused =
      other.kw({"optimize", "twice", "--carrier", "bundle", "--results", at("good")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("this workspace never made"));
  // Reading the same results twice changes nothing.
  EXPECT_THAT(optimize({"--results", "good"}).err, testing::ContainsRegex("[1-9] new results"));
  EXPECT_THAT(optimize({"--results", "good"}).err, HasSubstr("0 new results"));
}

TEST_F(Bundle, ResultsOfAnotherMachineOrAnotherBundleAreNotMixed) {
  const Ran ran = optimize();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 3) << ran.out;
  const Ran judged = judge(at("good"));
  if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
  ASSERT_EQ(judged.code, 0) << judged.err;
  const auto good = body_of(w_.read("good"));
  EXPECT_EQ(good["bundle"], hash_of(w_.read("runs/twice.cpu.bundle")));
  EXPECT_FALSE(good["facts"]["ceilings"].empty()) << "measured there, since nobody knew them";

  // A worker continues only a results file of its own bundle and device.
  auto other_device = good, other_bundle = good;
  other_device["facts"]["id"] = "cpu-of-somebody-else";
  other_device["facts"]["model"] = "Other CPU";
  other_bundle["bundle"] = std::string(64, 'a');
  w_.write("of_other_device", results_file(other_device));
  w_.write("of_other_bundle", results_file(other_bundle));
  for (const auto& [file, words] : {std::pair("of_other_device", "results of another device"),
                                    std::pair("of_other_bundle", "results of another bundle")}) {
    const std::string before = w_.read(file);
    const Ran refused = judge(at(file));
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(words));
    EXPECT_EQ(w_.read(file), before);
  }

  // A workspace that has times of one device refuses those of another.
  EXPECT_THAT(optimize({"--results", "good"}).err, testing::ContainsRegex("[1-9] new results"));
  const Ran foreign = optimize({"--results", "of_other_device"});
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, testing::AllOf(HasSubstr("from another device (Other CPU, "),
                                          HasSubstr("times cannot be compared")));
}

// Files with a valid checksum may still hold any numbers, so each is checked.
TEST_F(Bundle, NumbersThatCannotBeEndInWords) {
  const Ran ran = optimize();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 3) << ran.out;
  const std::string whole = w_.read("runs/twice.cpu.bundle");
  const auto asked = body_of(whole);
  const std::string request = "/evaluations/0/request";
  for (const auto& [place, value] :
       {std::pair<std::string, nlohmann::json>("/workloads/0/tensors/0/sizes/0", -5),
        {"/workloads/0/tensors/0/pitch", -1},
        {"/workloads/0/tensors/0/sizes/0", std::int64_t{1} << 60},
        {"/workloads/0/tensors/0/alignment", 0},
        {"/measure/budget_ns", -1},
        {"/measure/pairs", -7},
        {"/units", nlohmann::json::array()},
        {"/workloads/0/scalars", nlohmann::json::array()},
        {"/workloads/0/tensors/0/sizes", {std::int64_t{1} << 47}}}) {
    SCOPED_TRACE(place + " = " + value.dump());
    auto changed = asked;
    changed[nlohmann::json::json_pointer(request + place)] = value;
    w_.write("runs/twice.cpu.bundle", carried_file("bundle", changed));
    const Ran judged = judge(at("none" + std::to_string(value.dump().size())));
    EXPECT_EQ(judged.signal, 0) << judged.err;
    EXPECT_EQ(judged.code, 2) << judged.err;
    EXPECT_THAT(judged.err, HasSubstr("kw-worker: "));
  }
  w_.write("runs/twice.cpu.bundle", whole);
  const Ran judged = judge(at("good"));
  if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
  ASSERT_EQ(judged.code, 0) << judged.err;
  const auto good = body_of(w_.read("good"));
  const std::string evaluation = "/answers/0/evaluation";
  for (const auto& [place, value] : {std::pair<std::string, nlohmann::json>("/speedup/value", -2),
                                     {"/speedup/value", nullptr},
                                     {"/speedup/value", 1e12},
                                     {"/workloads/0/median_ns", -1},
                                     {"/workloads/0/median_ns", nullptr},
                                     {"/stage_ns", {{"measure", -1}}}}) {
    SCOPED_TRACE(place + " = " + value.dump());
    auto changed = good;
    changed[nlohmann::json::json_pointer(evaluation + place)] = value;
    w_.write("bad", results_file(changed));
    const Ran taken = optimize({"--results", "bad"});
    EXPECT_EQ(taken.code, 2) << taken.err;
    EXPECT_THAT(taken.err, HasSubstr("kw: bad: evaluation"));
  }
  EXPECT_THAT(optimize({"--results", "good"}).err, HasSubstr(" new result")) << "none was taken";
}

TEST_F(Bundle, AKilledWorkerGoesOnWhereItWas) {
  const Ran ran = optimize();
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 3) << ran.out;
  auto process =
      platform::spawn({worker(), "--bundle", bundle(), "--out", at("results")}, options());
  ASSERT_TRUE(process);
  for (int i = 0; i < 600 && !std::filesystem::exists(at("results")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  process->kill_tree();
  const std::string before = w_.read("results");
  const Ran judged = judge(at("results"));
  if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
  EXPECT_EQ(judged.code, 0) << judged.err;
  EXPECT_GE(w_.read("results").size(), before.size());
  EXPECT_THAT(optimize({"--results", "results"}).err, HasSubstr("new result"));
}

}  // namespace
}  // namespace kw::program
