// Tests of drafting a task from words: the model is told what is wrong with a bad draft; a good one
// waits for a person.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <tuple>

#include "kw.h"
#include "model_server.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::string block(const std::string& name, const std::string& text) {
  return "```text " + name + "\n" + text + "```\n\n";
}

const std::string kShapes =
    "show: [ { name: small, n: 1000 } ]\n"
    "check: [ { name: one, n: 1 }, { name: prime, n: 4099 } ]\n"
    "time: [ { name: large, n: 131101 } ]\n";
const std::string kReference =
    "template <class Real>\n"
    "void reference(int n, const Real* x, Real* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
    "}\n";
const std::string kKernel =
    "void twice(int n, const float* x, float* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = x[i] + x[i];\n"
    "}\n";

/// A task with an input that the reference does not use, so that a kernel may ignore it.
std::string idle_input_yaml() {
  std::string yaml = kGoodTaskYaml;
  const auto replace = [&](const std::string& what, const std::string& by) {
    yaml.replace(yaml.find(what), what.size(), by);
  };
  replace("  y: {", "  z: { dtype: f32, shape: [n], role: in }\n  y: {");
  replace("[n, x, y]", "[n, x, z, y]");
  return yaml;
}

std::string idle_input_reference() {
  std::string text = kReference;
  return text.replace(text.find("Real* y"), 7, "const Real*, Real* y");
}

/// A reply with files that the loader accepts and admission refuses.
std::string bad_reply() {
  return block("task.yaml", idle_input_yaml()) + block("shapes.yaml", kShapes) +
         block("reference.cpp", idle_input_reference()) + block("spec.md", "y is twice x.\n");
}

std::string good_reply() {
  return block("task.yaml", kGoodTaskYaml) + block("shapes.yaml", kShapes) +
         block("reference.cpp", kReference) + block("spec.md", "y is twice x.\n");
}

class Draft : public testing::Test {
 protected:
  Ran draft(const Words& more = {}) {
    Words words{"task",
                "new",
                "twice",
                "--describe",
                "y is twice x",
                "--model",
                "openai:test-model",
                "--base-url",
                server_.base_url()};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }
  Workspace w_{Whose::Suite};
  ModelServer server_;
};

TEST_F(Draft, IsMendedThenRefusedUntilAPersonAcceptsIt) {
  server_.reply("I name it so.\n" + block("../../twice/task.yaml", kGoodTaskYaml));
  server_.reply(bad_reply());
  server_.reply(block("task.yaml", kGoodTaskYaml) + block("reference.cpp", kReference));
  const Ran ran = draft({"--tokens", "1000000", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(server_.calls(), 3u);
  EXPECT_THAT(server_.prompt(0), AllOf(HasSubstr("`twice`"), HasSubstr("y is twice x")));
  EXPECT_THAT(server_.prompt(1), HasSubstr("'../../twice/task.yaml'"));
  EXPECT_THAT(server_.prompt(2), HasSubstr("'z ignored'"));
  const json drafted = ran.json();
  EXPECT_EQ(drafted["is_admitted"], true);
  EXPECT_EQ(drafted["is_accepted"], false);
  EXPECT_EQ(drafted["spent"]["calls"], 3);
  EXPECT_EQ(drafted["spent"]["tokens"], 3600);
  EXPECT_THAT(w_.read("tasks/twice/DRAFT.md"),
              AllOf(HasSubstr("> y is twice x"), HasSubstr("kw task accept"),
                    HasSubstr("openai:test-model")));

  w_.write("kernel.cpp", kKernel);
  const Words judge{"judge", "kernel.cpp", "--task", "tasks/twice", "--until", "check"};
  for (const Words& words : {judge, Words{"optimize", "tasks/twice", "--attempts", "1"},
                             Words{"sweep", "tasks/twice", "--dim", "n=64..128"}}) {
    const Ran refused = w_.kw(words);
    EXPECT_EQ(refused.code, 2) << words.front();
    EXPECT_THAT(refused.err, HasSubstr("kw task accept tasks/twice")) << words.front();
  }
  EXPECT_EQ(w_.kw({"task", "check", "tasks/twice"}).code, 0) << "looking is free";
  EXPECT_EQ(draft().code, 2) << "an existing folder is not paid for again";
  EXPECT_EQ(server_.calls(), 3u);

  EXPECT_EQ(w_.kw({"task", "accept", "twice"}).code, 0);
  EXPECT_EQ(w_.read("tasks/twice/DRAFT.md"), "");
  std::filesystem::create_directory(w_.path() / "temporary");
  const Ran judged = w_.kw(judge, {"TMPDIR=" + (w_.path() / "temporary").string()});
  EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
  EXPECT_TRUE(std::filesystem::is_empty(w_.path() / "temporary")) << "of a worker that was ended";
  EXPECT_THAT(w_.kw({"task", "accept", "twice"}).err, HasSubstr("is no draft"));
}

TEST_F(Draft, ThatNeverPassesStaysADraft) {
  server_.reply(bad_reply());
  const Ran ran = draft({"--tries", "1", "--yes"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("not yet: "), HasSubstr("a draft: read it")));
  EXPECT_THAT(w_.read("tasks/twice/DRAFT.md"), HasSubstr("does not pass its checks yet"));
  EXPECT_EQ(w_.kw({"task", "accept", "tasks/twice"}).code, 1);
  w_.write("tasks/twice/task.yaml", kGoodTaskYaml);
  w_.write("tasks/twice/reference.cpp", kReference);
  EXPECT_EQ(w_.kw({"task", "accept", "tasks/twice"}).code, 0) << "mended by hand";
}

TEST_F(Draft, IsAcceptedUnreadWithYes) {
  server_.reply(good_reply());
  const Ran ran = draft({"--yes"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(w_.read("tasks/twice/DRAFT.md"), "");
}

TEST_F(Draft, KilledItGoesOnWithoutPayingTwice) {
  server_.reply("I would rather not.");
  net::TestAnswer hangs = streamed("Nor now.");
  hangs.pieces.resize(1);
  hangs.end = net::TestAnswer::End::Hang;
  server_.add(hangs);
  platform::Process process =
      w_.start({"task", "new", "twice", "--describe", "y is twice x", "--model",
                "openai:test-model", "--base-url", server_.base_url(), "--calls", "2"});
  wait_until([&] { return server_.calls() > 1 || !process.is_running(); });
  process.kill_tree();
  std::ignore = process.wait(kPatience);
  ASSERT_EQ(server_.calls(), 2u);
  server_.reply("Nor ever.");
  const Ran ran = draft({"--calls", "2"});
  EXPECT_EQ(ran.code, 3) << "no reply held a task";
  ASSERT_EQ(server_.calls(), 3u) << "the first reply was kept, and counts: " << ran.err;
  EXPECT_EQ(server_.prompt(2), server_.prompt(1));
  EXPECT_EQ(draft({"--calls", "2"}).code, 3);
  EXPECT_EQ(server_.calls(), 3u) << "both replies are paid, and no more may be asked for";
}

TEST_F(Draft, KilledItGoesOnInItsScript) {
  w_.write("replies.txt", "===\nI would rather not.\n===\nNor now.\n===\nNor ever.\n");
  const auto draft = [&](const char* calls) {
    return w_.kw({"task", "new", "twice", "--describe", "y is twice x", "--model",
                  "scripted:replies.txt", "--calls", calls});
  };
  EXPECT_EQ(draft("1").code, 3);
  EXPECT_EQ(draft("2").code, 3);
  std::string kept;
  for (const auto& entry : std::filesystem::directory_iterator(w_.path() / "runs/drafts/twice"))
    kept += platform::read_file(entry.path()).value();
  EXPECT_THAT(kept, AllOf(HasSubstr("I would rather not."), HasSubstr("Nor now.")));
}

TEST_F(Draft, RepliesOfEarlierDraftsAreServedToThoseThatWantThem) {
  server_.reply("I would rather not.");
  for (int round = 1; round <= 2; ++round) {
    const Ran ran = draft({"--tries", "1", "--cache-replies"});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_EQ(server_.calls(), 1u) << "round " << round;
    // Deletes the draft's own replies; those that all drafts and runs share are kept elsewhere.
    EXPECT_GT(std::filesystem::remove_all(w_.path() / "runs/drafts/twice"), 0u);
  }
  server_.reply("Nor now.");
  EXPECT_EQ(draft({"--tries", "1"}).code, 3);
  EXPECT_EQ(server_.calls(), 2u) << "nobody asked for them";
}

TEST_F(Draft, ARateOfRequestsIsKept) {
  for (const char* reply : {"I would rather not.", "Nor now."}) server_.reply(reply);
  platform::Process process = w_.start_audible(
      {"task", "new", "twice", "--describe", "y is twice x", "--model", "openai:test-model",
       "--base-url", server_.base_url(), "--requests-per-minute", "1"},
      (w_.path() / "err.txt").string());
  const auto is_waiting = [&] { return w_.read("err.txt").contains("within the rate limit"); };
  wait_until([&] { return is_waiting() || server_.calls() > 1 || !process.is_running(); });
  EXPECT_TRUE(is_waiting()) << w_.read("err.txt");
  EXPECT_EQ(server_.calls(), 1u) << "the second may be sent only after a minute";
  process.kill_tree();
  std::ignore = process.wait(kPatience);
}

TEST_F(Draft, WrongFlagsCostNothing) {
  const auto error = [&](const Words& words) {
    const Ran ran = w_.kw(words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error({"task", "new", "t", "--describe", "x"}),
              HasSubstr("needs exactly one --model"));
  EXPECT_THAT(error({"task", "new", "t", "--model", "openai:m"}), HasSubstr("give --describe"));
  EXPECT_THAT(error({"task", "new", "t", "--cache-replies"}), HasSubstr("give --describe"));
  EXPECT_THAT(error({"task", "new", "t", "--describe", "x", "--model", "scripted:x",
                     "--requests-per-minute", "-1"}),
              HasSubstr("--requests-per-minute: -1 is too small: at least 0"));
  EXPECT_THAT(error({"task", "new", "T-1", "--describe", "x", "--model", "openai:m"}),
              HasSubstr("cannot name a task"));
  EXPECT_THAT(error({"task", "new", "t", "--describe", "x", "--from", "a.c"}),
              HasSubstr("give one"));
  EXPECT_EQ(server_.calls(), 0u);
}

}  // namespace
}  // namespace kw::program
