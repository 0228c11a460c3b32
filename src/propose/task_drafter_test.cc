// Tests of drafting with scripted models: what the model is told, how files are merged, and what
// ends it.
// SPDX-License-Identifier: Apache-2.0
#include "propose/task_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "llm/scripted.h"
#include "platform/clock.h"

namespace kw::propose {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kTaskYaml =
    "```yaml task.yaml\nname: twice\nfamily: elementwise\nsummary: y is 2 x\ndims: [n]\n"
    "scalars:\n  n: { dtype: i32 }\ntensors:\n  x: { dtype: f32, shape: [n], role: in }\n"
    "  y: { dtype: f32, shape: [n], role: out }\nsignature: [n, x, y]\n"
    "gate: { kind: relative, c: 4, scale: 1 }\nwork:\n  floor: { bytes: \"8 * n\", flops: n }\n"
    "  nominal: { read_bytes: \"4 * n\", write_bytes: \"4 * n\", flops: n, items: n }\n```\n";
const std::string kShapes =
    "```yaml shapes.yaml\nshow: [ { name: small, n: 1000 } ]\ncheck: [ { name: prime, n: 4099 } ]\n"
    "time: [ { name: large, n: 1048576 } ]\n```\n";
const std::string kReference =
    "```cpp reference.cpp\ntemplate <class Real>\nvoid reference(int n, const Real* x, Real* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n```\n";
const std::string kSpec = "```md spec.md\ny is 2 x.\n```\n";
const std::string kWhole = kTaskYaml + kShapes + kReference + kSpec;

/// Records what the model is asked.
class Listening final : public llm::ChatModel {
 public:
  explicit Listening(std::unique_ptr<llm::ChatModel> inner) : inner_(std::move(inner)) {}
  Result<ChatReply> complete(const ChatRequest& request, llm::Call& call) override {
    asked.push_back(request);
    return inner_->complete(request, call);
  }
  const std::string& name() const override { return inner_->name(); }
  std::vector<ChatRequest> asked;

 private:
  std::unique_ptr<llm::ChatModel> inner_;
};

class Drafting : public testing::Test {
 protected:
  Result<DraftedTask> draft(const std::vector<std::string>& replies, const TaskCheck& check,
                            int tries = 4) {
    std::string script;
    for (const std::string& reply : replies) script += "===\n" + reply;
    auto entries = llm::parse_script(script, "test.txt");
    KW_ASSERT(entries.has_value());
    llm::ScriptedOptions options;
    options.name = "scripted:test";
    options.clock = &clock_;
    model_ = std::make_unique<Listening>(
        llm::make_scripted_chat(std::move(*entries), std::move(options)));
    TaskDrafterOptions drafting;
    drafting.tries = tries;
    auto drafter = TaskDrafter::open(memory::DataFiles::open(std::nullopt).value(), *model_,
                                     std::move(drafting));
    KW_ASSERT(drafter.has_value());
    return drafter->draft("twice", "y is twice x", check);
  }
  std::string last_words() const { return model_->asked.back().messages.back().text; }

  static Result<std::vector<std::string>> admits(const task::Definition&) {
    return std::vector<std::string>();
  }

  platform::FakeClock clock_;
  std::unique_ptr<Listening> model_;
};

TEST_F(Drafting, AGoodReplyIsEnough) {
  const auto drafted = draft({kWhole}, admits);
  ASSERT_TRUE(drafted.has_value()) << describe(drafted.error());
  EXPECT_TRUE(drafted->is_good());
  EXPECT_EQ(drafted->tries, 1);
  EXPECT_THAT(drafted->files, SizeIs(4));
  const auto& messages = model_->asked.front().messages;
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_THAT(messages[1].text, AllOf(HasSubstr("`twice`"), HasSubstr("y is twice x")));
}

TEST_F(Drafting, WhatIsWrongGoesBackAndOnlyChangesNeedComeAgain) {
  int checks = 0;
  const auto drafted = draft(
      {"Sure! What should it compute?\n",
       kTaskYaml + "```yaml shapes.yaml\nshow: 3\n```\n" + kReference, kShapes + kSpec, kSpec},
      [&](const task::Definition& definition) -> Result<std::vector<std::string>> {
        EXPECT_EQ(definition.task.name, "twice");
        if (++checks == 1) return std::vector<std::string>{"zeros on large: passed"};
        return std::vector<std::string>();
      });
  ASSERT_TRUE(drafted.has_value()) << describe(drafted.error());
  EXPECT_TRUE(drafted->is_good());
  EXPECT_EQ(drafted->tries, 4);
  ASSERT_THAT(model_->asked, SizeIs(4));
  EXPECT_THAT(model_->asked[1].messages.back().text, HasSubstr("no fenced block of the reply"));
  EXPECT_THAT(model_->asked[2].messages.back().text, HasSubstr("spec.md is missing"));
  EXPECT_THAT(model_->asked[3].messages.back().text, HasSubstr("zeros on large: passed"));
  const auto& messages = model_->asked[3].messages;
  ASSERT_THAT(messages, SizeIs(4)) << "no older replies pile up";
  EXPECT_THAT(messages[2].text, AllOf(HasSubstr("```yaml task.yaml\nname: twice"),
                                      HasSubstr("time: [ { name: large")));
}

TEST_F(Drafting, ADraftThatNeverPassesKeepsItsProblems) {
  std::string renamed = kWhole;
  renamed.replace(renamed.find("name: twice"), 11, "name: other");
  const auto drafted = draft({renamed, renamed}, admits, 2);
  ASSERT_TRUE(drafted.has_value());
  EXPECT_FALSE(drafted->is_good());
  EXPECT_THAT(drafted->problems, ElementsAre("task.yaml: the name is 'twice', not 'other'"));
  EXPECT_THAT(drafted->files, SizeIs(4));
}

TEST_F(Drafting, WhatTheLoaderSaysIsTold) {
  std::string wrong = kWhole;
  wrong.replace(wrong.find("role: in "), 9, "rolle: in ");
  const auto drafted = draft({wrong, kWhole}, admits);
  ASSERT_TRUE(drafted.has_value());
  EXPECT_TRUE(drafted->is_good());
  EXPECT_THAT(last_words(), HasSubstr("rolle"));
}

TEST_F(Drafting, ALaterCallThatFailsEndsItWithWhatThereIs) {
  const auto drafted = draft({kTaskYaml}, admits);
  ASSERT_TRUE(drafted.has_value());
  EXPECT_EQ(drafted->tries, 1);
  EXPECT_THAT(drafted->ended, Not(IsEmpty()));
  EXPECT_FALSE(drafted->is_good());
  EXPECT_FALSE(draft({"!401\nno key\n"}, admits).has_value()) << "no reply, no draft";
}

TEST_F(Drafting, AMachineThatCannotJudgeIsAnError) {
  const auto drafted = draft({kWhole}, [](const task::Definition&) {
    return Result<std::vector<std::string>>(
        fail(ErrorCode::NoJail, About{"of the test"}, "no jail", "", Advice::Stop));
  });
  EXPECT_THAT(drafted, IsErrorAbout(ErrorCode::NoJail, "of the test"));
}

}  // namespace
}  // namespace kw::propose
