// Tests of roles: what a model is asked, which replies can be read, and when rules give the advice.
// SPDX-License-Identifier: Apache-2.0
#include "propose/counsel.h"

#include <gmock/gmock.h>

#include <deque>

#include "llm/retried_for_test.h"
#include "propose/manner.h"
#include "propose/schema.h"
#include "propose/test_situation.h"
#include "propose/weakened.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

class FakeRole final : public llm::ChatModel {
 public:
  explicit FakeRole(std::string name) : name_(std::move(name)) {}
  Result<ChatReply> complete(const ChatRequest& request, llm::Call& call) override {
    asked.push_back(request);
    scopes.push_back(call.scope);
    ChatReply reply;
    if (answers.empty()) return fail("no connection", name_, Advice::Retry);
    reply.text = answers.front();
    reply.usage = {10, 0, 0, 5, false};
    answers.pop_front();
    return reply;
  }
  const std::string& name() const override { return name_; }

  std::deque<std::string> answers;
  std::vector<ChatRequest> asked;
  std::vector<std::string> scopes;

 private:
  const std::string name_;
};

class CounselTest : public testing::Test {
 protected:
  CounselTest() {
    parent_.candidate.source = "one\ntwo\nthree\nfour\n";
    parent_.evaluation.findings.push_back(
        {FindingKind::Mismatch, 1, "Every second row is wrong.", "", ""});
    parent_.evaluation.findings.push_back(
        {FindingKind::Roofline, 2, "It reaches 0.3 of DRAM.", "", ""});
    situation_.number = 4;
    situation_.errand = Errand::Improve;
    situation_.task = &task_;
    situation_.device = &device_;
    situation_.baseline = "omp";
    situation_.parent = &parent_;
    situation_.view = &view_;
    situation_.manner = &manner_;
  }
  Reading consult(const std::string& role, const std::string& prompt) {
    view_.role = role;
    view_.prompt = prompt;
    ModelCounselOptions options;
    options.reply = reply_;
    options.learned = [this](const Situation&) { return learned_; };
    ModelCounsel counsel(shipped_prompts(), {{"judge", &tried_judge_}}, {&tried_writer_}, options);
    auto reading = counsel.consult(situation_);
    EXPECT_TRUE(reading) << describe(reading.error());
    return reading.value_or(Reading{});
  }

  const task::Definition task_ = test_task();
  const DeviceFacts device_ = test_device();
  Attempt parent_ = test_attempt(3, Outcome::Correct, 1.5);
  std::string learned_;
  ReplySettings reply_;
  Situation situation_;
  View view_;
  Manner manner_;
  FakeRole judge_{"fake:judge"};
  FakeRole writer_{"fake:writer"};
  llm::Retried tried_judge_{judge_};
  llm::Retried tried_writer_{writer_};
};

const char* const kPlan =
    R"(Sure: {"technique": "tiling", "instruction": "Tile the rows.", "first_line": 2, "last_line": 3})";

TEST_F(CounselTest, ARoleWithoutAModelIsPlayedByTheWriter) {
  writer_.answers = {kPlan};
  const Reading plan = consult("planner", "tree_plan");
  EXPECT_EQ(plan.role, "planner");
  EXPECT_EQ(plan.attempt, 3);
  EXPECT_EQ(plan.asked_for, 4);
  EXPECT_EQ(plan.technique, "tiling");
  EXPECT_EQ(plan.first_line, 2);
  EXPECT_EQ(plan.last_line, 3);
  EXPECT_THAT(plan.words, AllOf(HasSubstr("technique: tiling"), HasSubstr("Tile the rows.")));
  EXPECT_EQ(plan.usage.total(), 15);
  EXPECT_EQ(writer_.scopes.at(0), "planner for attempt 4");
  ASSERT_EQ(writer_.asked.at(0).messages.size(), 1u) << "no rules of kernels: it writes none";
  EXPECT_THAT(writer_.asked.at(0).messages.back().text,
              AllOf(HasSubstr("You write no code"), HasSubstr("# Task: twice"),
                    HasSubstr("   2 | two"), HasSubstr("0.3 of DRAM")));
}

TEST_F(CounselTest, APersonsTemperatureGoesBeforeTheMethods) {
  writer_.answers = {kPlan, kPlan};
  view_.temperature = 0.8;
  consult("planner", "tree_plan");
  EXPECT_EQ(writer_.asked.back().temperature, 0.8);
  reply_ = {.max_tokens = 900, .temperature = 0.2, .effort = "high"};
  consult("planner", "tree_plan");
  EXPECT_EQ(writer_.asked.back().temperature, 0.2);
  EXPECT_EQ(writer_.asked.back().effort, "high");
  EXPECT_EQ(writer_.asked.back().max_tokens, 900);
}

TEST_F(CounselTest, OfSeveralWritersTheChosenOnePlaysAndWhereItIsOutOfReachTheNext) {
  FakeRole other("fake:other");
  llm::Retried tried_other(other);
  ModelCounsel counsel(shipped_prompts(), {}, {&tried_writer_, &tried_other}, {});
  view_.role = "planner";
  view_.prompt = "tree_plan";
  situation_.writer = 2;
  other.answers = {kPlan};
  EXPECT_TRUE(counsel.consult(situation_));
  EXPECT_THAT(writer_.asked, IsEmpty());
  writer_.answers = {kPlan};
  EXPECT_TRUE(counsel.consult(situation_)) << "the other has no answer left";
  EXPECT_EQ(other.asked.size(), 1u + llm::RetryPolicy().max_tries);
  EXPECT_EQ(writer_.asked.size(), 1u);
  EXPECT_FALSE(counsel.consult(situation_)) << "nobody can be asked";
}

TEST_F(CounselTest, AModelInTheRoleIsAsked) {
  judge_.answers = {R"({"critical_issue": "i", "why_it_matters": "w", "minimal_fix_hint": "h"})"};
  EXPECT_EQ(consult("judge", "judge_fix").words,
            "- critical issue: i\n- why it matters: w\n- minimal fix hint: h");
  EXPECT_THAT(writer_.asked, IsEmpty());
}

TEST_F(CounselTest, AReplyOutsideItsSchemaIsAskedForOnceMore) {
  std::string many;
  for (int i = 0; i < 21; ++i) many += "word ";
  judge_.answers = {
      R"({"critical_issue": ")" + many + R"(", "why_it_matters": "w", "minimal_fix_hint": "h"})",
      R"({"critical_issue": "short", "why_it_matters": "w", "minimal_fix_hint": "h"})"};
  const Reading reading = consult("judge", "judge_fix");
  EXPECT_THAT(reading.words, HasSubstr("critical issue: short"));
  EXPECT_EQ(reading.trouble, "");
  EXPECT_EQ(reading.usage.total(), 30) << "both are paid for";
  EXPECT_THAT(judge_.asked.at(1).messages.back().text,
              HasSubstr("'critical_issue' has 21 words, 20 are allowed"));
}

TEST_F(CounselTest, AfterTwoRulesSpeak) {
  judge_.answers = {"I think it is fine.", "Really."};
  const Reading reading = consult("judge", "judge_speed");
  EXPECT_THAT(reading.trouble, HasSubstr("no JSON object; fixed rules give the advice instead"));
  EXPECT_THAT(reading.words, HasSubstr("Every second row is wrong."));
}

/// Adds four performance counters that a judge is shown, and one that it is not shown.
void count(Evaluation& e) {
  KernelProfile kernel;
  kernel.kernel = "twice_kernel";
  kernel.counters = {{"launch__registers_per_thread", 96},
                     {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 31},
                     {"lts__t_sector_hit_rate.pct", 7},
                     {"sm__inst_executed.sum", 123456},
                     {"gpu__time_duration.sum", 4711}};
  e.profiles = {{"square", {kernel}, "Nsight Compute", ""}};
}

TEST_F(CounselTest, TheJudgeIsShownTheCountersOfTheKernelAndNamesThreeOrFourOfThem) {
  count(parent_.evaluation);
  const std::string rest =
      R"(], "bottleneck": "b", "optimisation_method": "m", "modification_plan": "p"})";
  const std::string three =
      R"("launch__registers_per_thread", "lts__t_sector_hit_rate.pct", "sm__inst_executed.sum")";
  judge_.answers = {R"({"metrics": ["achieved_occupancy", )" + three + rest,
                    R"({"metrics": [)" + three + rest};
  const Reading reading = consult("judge", "judge_speed");
  EXPECT_THAT(judge_.asked.at(0).messages.back().text,
              AllOf(HasSubstr("Counters of this very kernel"),
                    HasSubstr("launch__registers_per_thread = 96 (twice_kernel)"),
                    HasSubstr("\"metrics\": ["), Not(HasSubstr("gpu__time_duration"))))
      << "no other than the 24";
  EXPECT_THAT(judge_.asked.at(1).messages.back().text,
              HasSubstr("'metrics' names 'achieved_occupancy', which the list does not have"));
  EXPECT_EQ(reading.trouble, "");
  EXPECT_THAT(reading.words, HasSubstr("- metrics: launch__registers_per_thread, lts__"));
  EXPECT_THAT(reading.words, HasSubstr("- bottleneck: b"));
}

TEST_F(CounselTest, TheJudgeOfTheGapSeesMachineTimeBandwidthCountersFindingsAndGoal) {
  count(parent_.evaluation);
  WorkloadResult timed;
  timed.name = "square";
  timed.group = Group::Time;
  timed.median_ns = 250'000;
  timed.bytes_per_s = 3.2e11;
  parent_.evaluation.workloads = {timed};
  situation_.goals.speedup = 8;
  judge_.answers = {R"({"instructions": "i"})", R"({"instructions": "i"})"};
  consult("judge", "judge_gap");
  EXPECT_THAT(
      judge_.asked.at(0).messages.back().text,
      AllOf(HasSubstr("Test Processor 9000"), HasSubstr("45.0 GB/s"),
            HasSubstr("It took 0.25 ms, moving 320 GB/s."),
            HasSubstr("lts__t_sector_hit_rate.pct = 7"), HasSubstr("Every second row is wrong."),
            HasSubstr("Goal: 8 times"), HasSubstr("two\nthree")));
  situation_.feedback = FeedbackLevel::Findings;
  consult("judge", "judge_gap");
  EXPECT_THAT(judge_.asked.at(1).messages.back().text, Not(HasSubstr("320 GB/s")));
}

TEST_F(CounselTest, RulesAskNobody) {
  const Reading reading = consult("rules", "judge_speed");
  EXPECT_THAT(reading.words, HasSubstr("Change the one thing"));
  EXPECT_THAT(judge_.asked, IsEmpty());
  EXPECT_THAT(writer_.asked, IsEmpty());
}

TEST_F(CounselTest, TroubleOfTheSurroundingsIsAnError) {
  view_.role = "judge";
  view_.prompt = "judge_fix";
  ModelCounsel counsel(shipped_prompts(), {{"judge", &tried_judge_}}, {&tried_writer_}, {});
  const auto reading = counsel.consult(situation_);
  ASSERT_FALSE(reading) << "the run stops, and asks again when resumed";
  EXPECT_EQ(reading.error().advice, Advice::Stop);
}

TEST_F(CounselTest, ACriticTurnsDownOrLets) {
  Candidate written;
  written.source = "// written just now\n";
  situation_.written = &written;
  writer_.answers = {R"({"verdict": "revise", "reason": "the tail is missing"})",
                     R"({"verdict": "accept", "reason": "it may work"})", "what?", "what?"};
  const Reading no = consult("critic", "agent_review");
  EXPECT_TRUE(no.is_turned_down);
  EXPECT_THAT(no.words, HasSubstr("the tail is missing"));
  EXPECT_THAT(writer_.asked.at(0).messages.back().text, HasSubstr("// written just now"));
  EXPECT_FALSE(consult("critic", "agent_review").is_turned_down);
  EXPECT_FALSE(consult("critic", "agent_review").is_turned_down)
      << "one whom nobody understands turns nothing down";
}

TEST_F(CounselTest, TheWriterSeesCounselAnchorsTechniqueAndForm) {
  Reading plan;
  plan.role = "planner";
  plan.words = "- instruction: Tile the rows.";
  plan.first_line = 2;
  plan.last_line = 3;
  situation_.counsel = {plan};
  view_.prompt = "tree_code";
  manner_.form = ReplyForm::Edits;
  const Prompt prompt = shipped_prompts().build(situation_).value();
  EXPECT_THAT(prompt.user,
              AllOf(HasSubstr("From the planner, quoted:"), HasSubstr("Tile the rows."),
                    HasSubstr("one\n// >>> the plan begins here\ntwo\nthree\n// <<< the plan ends"),
                    HasSubstr("A whole file is no answer here.")));
  view_.prompt = "apply";
  manner_ = {};
  manner_.technique = "tiling";
  manner_.method = "make tiles";
  manner_.examples = {{"softmax", "rows were cut", "before();", "after();"},
                      {"twice/20_wide.cpp", "the answer", "b", "a"}};
  EXPECT_THAT(
      shipped_prompts().build(situation_)->user,
      AllOf(HasSubstr("**tiling** – make tiles."), HasSubstr("rows were cut"),
            HasSubstr("before();"), Not(HasSubstr("no answer here")), Not(HasSubstr("the answer"))))
      << "what was made for the very task stays out";
}

TEST_F(CounselTest, AProfileCanBeWithheld) {
  EXPECT_THAT(shipped_prompts().build(situation_)->user, HasSubstr("0.3 of DRAM"));
  view_.hides_profile = true;
  EXPECT_THAT(shipped_prompts().build(situation_)->user,
              AllOf(Not(HasSubstr("0.3 of DRAM")), HasSubstr("Every second row")));
}

TEST_F(CounselTest, EveryPromptOfAMethodCanBeBuilt) {
  const PromptBook book = shipped_prompts();
  Candidate written;
  written.source = "x\n";
  for (const char* prompt : {"tree_plan", "staged_diagnose", "judge_fix", "judge_speed",
                             "judge_gap", "agent_plan", "agent_review", "graph_choose"}) {
    view_.prompt = prompt;
    situation_.written = &written;
    const auto built = book.build_counsel(situation_);
    ASSERT_TRUE(built) << describe(built.error());
    EXPECT_TRUE(built->system.empty());
  }
  for (const char* prompt :
       {"tree_code", "tree_debug", "evolve_edit", "evolve_rewrite", "evolve_cross", "apply",
        "staged_step", "staged_patch", "forge_fix", "forge_speed", "forge_gap", "refine_previous",
        "agent_code", "agent_repair", "graph_first", "graph_chain", "graph_step"}) {
    view_.prompt = prompt;
    const auto built = book.build(situation_);
    ASSERT_TRUE(built) << describe(built.error());
  }
}

TEST_F(CounselTest, StagedSpeaksCuTeOnAGpuFromTheFirstKernelOn) {
  const PromptBook book = shipped_prompts();
  const auto sent = [&](const char* prompt, Target target) {
    view_.prompt = prompt;
    situation_.target = target;
    situation_.errand = situation_.parent == nullptr ? Errand::Write : Errand::Improve;
    const auto built = book.build(situation_);
    EXPECT_TRUE(built) << describe(built.error());
    return built ? built->user : std::string();
  };
  EXPECT_THAT(sent("staged_step", Target::Cuda), Not(HasSubstr("CuTe"))) << "without CUTLASS";
  situation_.has_dialect_headers = true;
  EXPECT_THAT(sent("staged_step", Target::Cuda), HasSubstr("Stay in CuTe's terms."));
  EXPECT_THAT(sent("staged_step", Target::Cpu), Not(HasSubstr("CuTe")));
  situation_.parent = nullptr;
  EXPECT_THAT(sent("staged_first", Target::Cuda),
              AllOf(HasSubstr("simplest kernel"), HasSubstr("`// kw: dialect cute`")));
  EXPECT_THAT(sent("staged_first", Target::Cpu),
              AllOf(HasSubstr("simplest kernel"), Not(HasSubstr("CuTe"))));
}

TEST(Schema, ReadsTheFirstObjectWhereverItStands) {
  const auto schema = schema_of("judge_speed");
  const std::vector<std::string> offered{"a", "b", "c", "d"};
  const auto fields = read_schema(
      "Here:\n```json\n{\"bottleneck\": \"a } brace\", \"optimisation_method\": \"m\",\n"
      "\"modification_plan\": \"p\", \"extra\": 1, \"metrics\": [\"a\", \"b\", \"c\"]}\n```\n",
      schema, offered);
  ASSERT_TRUE(fields) << fields.error();
  EXPECT_EQ(fields->at("bottleneck"), "a } brace");
  EXPECT_EQ(fields->at("metrics"), "a, b, c");
  const std::string rest =
      R"("bottleneck": "b", "optimisation_method": "m", "modification_plan": "p"})";
  EXPECT_THAT(read_schema("{" + rest, schema).value(), Not(Contains(Key("metrics"))))
      << "where none are shown";
  EXPECT_EQ(read_schema("{\"metrics\": [\"a\"], " + rest, schema, {"a"}).value().at("metrics"), "a")
      << "there are no three";
  const auto wrong = [&](const std::string& text) {
    return read_schema(text, schema, offered).error();
  };
  EXPECT_EQ(wrong(std::string(2'000'000, '{')), wrong("{")) << "and it ends";
  EXPECT_THAT(wrong("{" + rest), HasSubstr("'metrics' is missing"));
  EXPECT_THAT(wrong("{\"metrics\": [\"a\", \"b\", \"x\"]}"), HasSubstr("names 'x', which"));
  EXPECT_THAT(wrong("{\"metrics\": [\"a\", \"b\", \"a\"]}"), HasSubstr("names 'a' twice"));
  const auto bare = [&](const std::string& text) { return read_schema(text, schema).error(); };
  EXPECT_THAT(bare("{\"bottleneck\": 3}"), HasSubstr("is no text"));
  EXPECT_THAT(bare("{\"bottleneck\": \"b\"}"), HasSubstr("'optimisation_method' is missing"));
  EXPECT_THAT(wrong("{\"metrics\": [\"a\", \"b\"]}"), HasSubstr("2 names, 3 to 4"));
  EXPECT_THAT(wrong("{\"metrics\": [1, 2, 3]}"), HasSubstr("no name"));
  EXPECT_THAT(wrong("{ {{ \"\\"), HasSubstr("no JSON object"));
  EXPECT_THAT(read_schema(R"({"technique":"t","instruction":"i","first_line":-3,"last_line":1})",
                          schema_of("tree_plan"))
                  .error(),
              HasSubstr("no line number"));
  EXPECT_THAT(schema_of("write"), IsEmpty());
}

TEST(Weakened, IsWhatGivesUpATechniqueOrMostOfTheCode) {
  Candidate parent, child;
  for (int i = 0; i < 30; ++i) parent.source += "int line = tile + stride;  // remark\n";
  parent.techniques = {"tiling"};
  child = parent;
  EXPECT_EQ(why_weakened(parent, child), "");
  child.source = parent.source + "__syncthreads();\n";
  EXPECT_EQ(why_weakened(parent, child), "");
  child.techniques.clear();
  EXPECT_THAT(why_weakened(parent, child), HasSubstr("'tiling'"));
  child = parent;
  child.source = "for (;;) plain_loop();\n";
  EXPECT_THAT(why_weakened(parent, child), HasSubstr("of the code"));
}

TEST(CounselScopes, ComeBack) {
  EXPECT_EQ(scope_of_counsel("planner", 12), "planner for attempt 12");
  EXPECT_EQ(attempt_of_counsel("planner for attempt 12"), 12);
  EXPECT_EQ(attempt_of_counsel("attempt 12"), 0);
  EXPECT_EQ(attempt_of_counsel("reading of attempt 12"), 0);
}

TEST_F(CounselTest, TheLearnedJudgeAsksNobodyAndRulesSpeakWhereItHasNothingToSay) {
  learned_ = "- Apply `tiling`.";
  EXPECT_EQ(consult("learned", "judge_speed").words, "- Apply `tiling`.");
  learned_.clear();
  const Reading none = consult("learned", "judge_speed");
  EXPECT_THAT(none.words, HasSubstr("Every second row is wrong."));
  EXPECT_THAT(none.trouble, HasSubstr("fixed rules give the advice instead"));
  learned_ = "- Apply `tiling`.";
  parent_ = test_attempt(3, Outcome::WrongResult, 0);
  const Reading mend = consult("learned", "judge_fix");
  EXPECT_THAT(mend.words, HasSubstr("Mend what the first finding names"));
  EXPECT_EQ(mend.trouble, "") << "of what failed it has nothing to say";
  EXPECT_TRUE(judge_.asked.empty() && writer_.asked.empty());
}

}  // namespace
}  // namespace kw::propose
