// Tests of prompts: what they hold for each errand, what they never hold, and what a budget leaves
// out.
// SPDX-License-Identifier: Apache-2.0
#include "propose/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/error_for_test.h"
#include "base/text.h"
#include "memory/shipped_task.h"
#include "propose/size_class.h"
#include "propose/test_situation.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class PromptTest : public testing::Test {
 protected:
  PromptTest() {
    situation_.number = 9;
    situation_.task = &task_;
    situation_.device = &device_;
    situation_.goals = task_.task.goals;
    situation_.baseline = "omp";
    situation_.baseline_ns = 2.5e6;
  }

  Prompt build(std::int64_t max_tokens = 24'000) {
    auto prompt = book_.build(situation_, {max_tokens});
    EXPECT_TRUE(prompt.has_value()) << describe(prompt.error());
    return prompt ? std::move(*prompt) : Prompt{};
  }

  void tell(const std::vector<AttemptLine>& lines) {
    history_ = test_history(lines);
    situation_.history = &history_;
  }

  void set_errand(Errand errand) {
    situation_.errand = errand;
    parent_ = test_attempt(8, errand == Errand::Improve ? Outcome::Correct : Outcome::WrongResult,
                           errand == Errand::Improve ? 2 : 0);
    parent_.parent = 7;
    situation_.parent = errand == Errand::Write ? nullptr : &parent_;
  }

  const task::Definition task_ = test_task();
  const DeviceFacts device_ = test_device();
  const PromptBook book_ = shipped_prompts();
  Attempt parent_;
  Attempt best_ = test_attempt(5, Outcome::Correct, 4);
  History history_;
  Situation situation_;
};

/// Lines of a history in which only attempt 3 is a gain.
std::vector<AttemptLine> lines_with_a_gain(int count) {
  std::vector<AttemptLine> lines;
  for (int i = 1; i <= count; ++i)
    lines.push_back(test_line(i, i == 3 ? OutcomeClass::NewBest : OutcomeClass::NoGain));
  return lines;
}

TEST_F(PromptTest, AFirstPromptHoldsTheContractTheMachineAndTheGoal) {
  const Prompt prompt = build();
  EXPECT_THAT(prompt.system,
              AllOf(HasSubstr("defines the function `twice`"), HasSubstr("-march=native"),
                    HasSubstr("// kw: tune"), HasSubstr("// kw: require"), HasSubstr("fast_math"),
                    HasSubstr("6 threads"), HasSubstr("at most 1 MiB"), Not(HasSubstr("SEARCH"))));
  EXPECT_THAT(
      prompt.user,
      AllOf(HasSubstr("void twice(int rows, int cols, int pitch, const float* x, float* y)"),
            HasSubstr("rows `cols + pad` elements apart"), HasSubstr("Each element is doubled"),
            HasSubstr("at most 4 u (|truth| + 0.5)"), HasSubstr("at most 3 times"),
            HasSubstr("rows = 11"), HasSubstr("x is [12, 250]"),
            HasSubstr("`pad` is no argument")));
  EXPECT_THAT(prompt.user,
              AllOf(HasSubstr("Test Processor 9000, 6 usable cores"), HasSubstr("avx2, fma"),
                    HasSubstr("L3 24 MiB for 6 cores"),
                    HasSubstr("copy in DRAM, 6 threads: 45.0 GB/s"), Not(HasSubstr("20.0 GB/s"))));
  EXPECT_THAT(prompt.user,
              AllOf(HasSubstr("baseline `omp`, 2.50 ms a call"), HasSubstr("8 times the baseline"),
                    HasSubstr("0.85 of the roofline"), HasSubstr("Write a first kernel")));
  EXPECT_THAT(prompt.dropped, IsEmpty());
  EXPECT_GT(prompt.tokens, 1000);
}

TEST_F(PromptTest, TheLimitOfTheReplyIsToldWhereItIsKnown) {
  EXPECT_THAT(build().system, Not(HasSubstr("tokens, thinking included")));
  const auto prompt = book_.build(situation_, {24'000, 4096});
  ASSERT_TRUE(prompt.has_value());
  EXPECT_THAT(prompt->system, HasSubstr("The reply may take 4096 tokens, thinking included"));
}

TEST_F(PromptTest, TheMacroOfTheRealTypeIsExplainedWhereAnExampleUsesIt) {
  situation_.target = Target::Cuda;
  EXPECT_THAT(build().system, Not(HasSubstr("KW_REAL")));
  situation_.examples = {{"an example", "extern KW_REAL x;\n"}};
  EXPECT_THAT(build().system, HasSubstr("`KW_REAL` (the type"));
  EXPECT_THAT(build().system, Not(HasSubstr("cuda_bf16.h` for"))) << "the task has floats alone";
}

TEST_F(PromptTest, EveryErrandRendersWithAndWithoutEverything) {
  for (const Errand errand : {Errand::Write, Errand::Repair, Errand::Rethink, Errand::Improve})
    for (const bool is_rich : {false, true}) {
      set_errand(errand);
      situation_.device = is_rich ? &device_ : nullptr;
      situation_.best = is_rich ? &best_ : nullptr;
      situation_.examples.clear();
      situation_.cautions.clear();
      situation_.instructions.clear();
      situation_.history = nullptr;
      if (is_rich) {
        situation_.examples = {{"an example", "int example;\n"}};
        situation_.cautions = {"do not tile along z"};
        situation_.instructions = {"no intrinsics, please"};
        tell({test_line(1, OutcomeClass::NewBest), test_line(2, OutcomeClass::Failed)});
        parent_.evaluation.findings = {{FindingKind::Note, 1, "a finding", "a frame\n", ""}};
      }
      const Prompt prompt = build();
      SCOPED_TRACE(prompt.user);
      EXPECT_THAT(prompt.system + prompt.user, Not(HasSubstr("{{")));
      const bool has_parent = errand != Errand::Write;
      EXPECT_EQ(has(prompt.user, "// kernel 8"), has_parent);
      for (const char* word : {"an example", "int example;", "do not tile along z",
                               "no intrinsics, please", "words of 2", "// kernel 5"})
        EXPECT_EQ(has(prompt.user, word), is_rich) << word;
      EXPECT_EQ(has(prompt.user, "a finding"), is_rich && has_parent);
      EXPECT_EQ(has(prompt.user, "a frame"), is_rich && has_parent);
    }
}

TEST_F(PromptTest, ErrandsAskForDifferentThings) {
  set_errand(Errand::Repair);
  EXPECT_THAT(build().user,
              AllOf(HasSubstr("failed at the stage `check`: wrong result. Evidence: evidence 8"),
                    HasSubstr("Mend it")));
  set_errand(Errand::Rethink);
  EXPECT_THAT(build().user, AllOf(HasSubstr("it was made from (attempt 7)"),
                                  HasSubstr("Write the whole file anew")));
  set_errand(Errand::Improve);
  EXPECT_THAT(build().user, AllOf(HasSubstr("Attempt 8 is correct and runs at 2 times"),
                                  HasSubstr("Make it faster")));
}

TEST_F(PromptTest, TheGapToEachGoalIsTold) {
  best_.evaluation.roofline_fraction = 0.9;
  situation_.best = &best_;
  situation_.goals.time_ns = 1e6;
  best_.evaluation.workloads.resize(1);
  best_.evaluation.workloads[0].group = Group::Time;
  best_.evaluation.workloads[0].median_ns = 3e6;
  EXPECT_THAT(build().user,
              AllOf(HasSubstr("attempt 5 with 4 times"),
                    HasSubstr("8 times the baseline's speed; needs a kernel 2 times faster"),
                    HasSubstr("0.85 of the roofline; reached by the best so far"),
                    HasSubstr("1.00 ms on the slowest timed workload; needs a kernel 3 times")));
}

TEST_F(PromptTest, ConstantsOfAShapeAreTaughtWhereTheWinnerIsBuiltForEach) {
  EXPECT_THAT(build().system, Not(HasSubstr("KW_CONST_")));
  situation_.has_shape_builds = true;
  EXPECT_THAT(build().system, HasSubstr("`#ifdef KW_CONST_n`"));
  situation_.target = Target::Cuda;
  EXPECT_THAT(build().system, HasSubstr("`#ifdef KW_CONST_n`"));
}

TEST_F(PromptTest, SizesAreToldByClassAndNoSectionStandsEmpty) {
  EXPECT_THAT(build().user, Not(HasSubstr("How large")));
  situation_.size_classes = {"One call: bytes moved 10 MB to 100 MB."};
  EXPECT_THAT(build().user, HasSubstr("- One call: bytes moved 10 MB to 100 MB.\n"));
  task::Definition silent = task_;
  silent.task.spec = "# twice\n";
  situation_.task = &silent;
  EXPECT_THAT(build().user, Not(HasSubstr("## Specification")));
}

// Edits need something to edit.
TEST_F(PromptTest, EditsAreTaughtWhereThereIsAParent) {
  for (const Target target : {Target::Cpu, Target::Cuda})
    for (const Errand errand : {Errand::Write, Errand::Improve, Errand::Repair}) {
      situation_.target = target;
      set_errand(errand);
      const std::string system = build().system;
      EXPECT_EQ(has(system, "<<<<<<< SEARCH"), errand != Errand::Write);
      EXPECT_THAT(system, HasSubstr("whole file in one fenced block"));
    }
}

TEST_F(PromptTest, FewerBitsAndTheTruthAreSpokenOfOnlyWhereSomethingIsRounded) {
  for (const Target target : {Target::Cpu, Target::Cuda})
    for (const bool is_exact : {false, true}) {
      task::Definition copy = task_;
      if (is_exact) copy.task.gate = {GateKind::Exact, 0, 0, 0, 0, 0};
      situation_.task = &copy;
      situation_.target = target;
      const Prompt prompt = build();
      for (const char* words : {"fewer bits", "float64 truth", "fast_math", "Inside the tolerance"})
        EXPECT_EQ(has(prompt.system + prompt.user, words), !is_exact) << words;
      EXPECT_THAT(prompt.system, Not(HasSubstr("3xTF32"))) << "there are no products here";
    }
}

TEST_F(PromptTest, CuteIsOfferedOnlyWhereItCompiles) {
  situation_.target = Target::Cuda;
  for (const bool has_dialect_headers : {false, true}) {
    situation_.has_dialect_headers = has_dialect_headers;
    const Prompt prompt = build();
    for (const char* words : {"dialect cute", "CUTLASS"})
      EXPECT_EQ(has(prompt.system + prompt.user, words), has_dialect_headers) << words;
  }
}

TEST_F(PromptTest, RowsWithPaddingAreSpokenOfOnlyWhereThereAreAny) {
  for (const Target target : {Target::Cpu, Target::Cuda}) {
    situation_.target = target;
    situation_.task = &task_;
    EXPECT_THAT(build().system,
                AllOf(HasSubstr("rows with padding"), HasSubstr("between the rows")));
    task::Definition contiguous = task_;
    for (task::TensorSpec& tensor : contiguous.tensors) tensor.pitch.reset();
    situation_.task = &contiguous;
    EXPECT_THAT(build().system, AllOf(Not(HasSubstr("padding")), Not(HasSubstr("between the rows")),
                                      HasSubstr("one byte before or after a tensor")));
  }
}

// A section that is not shown must not leave an empty line within a list or a block of code.
TEST_F(PromptTest, ListsAndPlansHaveNoHoles) {
  situation_.target = Target::Cuda;
  for (const bool has_builds : {false, true}) {
    situation_.has_shape_builds = has_builds;
    const std::string text = build().system;
    EXPECT_THAT(text, Not(HasSubstr("args(a, b, ...)\n\n")));
    EXPECT_THAT(text, HasSubstr("later prompts.\n- "));
    situation_.target = Target::Cpu;
    EXPECT_THAT(build().system, AllOf(HasSubstr("later prompts.\n\n## What is rejected"),
                                      Not(HasSubstr("is a knob too.\n\n"))));
    situation_.target = Target::Cuda;
  }
}

TEST_F(PromptTest, EqualSituationsGiveEqualPrompts) {
  tell({test_line(1, OutcomeClass::NewBest)});
  EXPECT_EQ(build().user, build().user);
}

// The evidence and findings have the wording of the referee's pattern rules and name the sizes of a
// hidden shape.
TEST_F(PromptTest, NothingTellsHiddenShapesOrSeeds) {
  set_errand(Errand::Repair);
  const std::string place = "workload 'secret_wide', tensor 'y'";
  parent_.evaluation.verdict.evidence = place + ": 39 of 39595 elements looked at are wrong";
  parent_.evaluation.findings = {
      {FindingKind::Mismatch, 1,
       "In " + place +
           ": 39 of 39595 elements looked at are wrong. Only the last 3 of 7919 indices of "
           "dimension "
           "1 are wrong: the tail of the last tile, as if tiles had size 4.",
       "at                       got            want   difference\n"
       "[0, 7916]               0            1.5     -1.5\n"
       "[2, 12]                 0            1.5     -1.5\n",
       place},
      {FindingKind::Note, 2,
       "secret_tall: the largest error uses 0.61 of what the tolerance allows.", "", "secret_tall"},
      {FindingKind::Mismatch, 3,
       "In workload 'secret_tall', tensor 'y': 6829 of 47803 elements looked at are wrong. Only "
       "the "
       "last index of dimension 1 (6) is wrong: the last column is missing or off by one.",
       "", "workload 'secret_tall', tensor 'y'"}};
  WorkloadResult result;
  result.name = "secret_wide";
  result.seed = 918273645546372819U;
  parent_.evaluation.workloads = {result};
  AttemptLine line = test_line(8, OutcomeClass::Failed);
  line.words = "failed at check: wrong_result (" + parent_.evaluation.verdict.evidence + ")";
  tell({line});
  for (const Errand errand : {Errand::Repair, Errand::Rethink}) {
    situation_.errand = errand;
    const Prompt prompt = build();
    const std::string text = prompt.system + prompt.user;
    SCOPED_TRACE(prompt.user);
    for (const char* secret : {"secret", "7919", "7920", "7918", "7916", "6829", "47803", "39595",
                               "(6)", "918273645546372819"})
      EXPECT_FALSE(has(text, secret)) << secret;
    EXPECT_THAT(
        text,
        AllOf(HasSubstr("a hidden workload"), HasSubstr("Only the last 3 indices of dimension 1"),
              HasSubstr("tiles had size 4"), HasSubstr("a share of 0.001 of the elements"),
              HasSubstr("[0, end-2]"), HasSubstr("[2, 12]"),
              HasSubstr("A hidden workload: the largest error uses 0.61")));
  }
}

TEST_F(PromptTest, TimedAndHiddenWorkloadsOfShippedTasksStayOutOfFirstPrompts) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  int looked_at = 0;
  for (const std::string& name : data->folders("tasks")) {
    const auto definition = task::parse_task(*memory::shipped_task(*data, name));
    ASSERT_TRUE(definition.has_value()) << name;
    situation_.task = &*definition;
    // Tasks of 16-bit types exist for cuda only.
    situation_.target = name.contains("f16") ? Target::Cuda : Target::Cpu;
    const auto resolved = task::resolve(*definition, situation_.target, std::int64_t{1} << 50);
    ASSERT_TRUE(resolved.has_value()) << name << ": " << describe(resolved.error());
    situation_.size_classes = describe_size_classes(*definition, resolved->workloads);
    EXPECT_FALSE(situation_.size_classes.empty()) << name;
    const Prompt prompt = build();
    std::string shown = prompt.system + prompt.user;
    // The specification is not searched for hidden sizes, because the task's author decides what it
    // says.
    const std::size_t spec_begin = shown.find("## Specification");
    shown.erase(spec_begin, shown.find("## Tolerance") - spec_begin);
    std::set<std::pair<std::string, std::int64_t>> may_be_said;
    for (const task::WorkloadSpec& spec : definition->workloads)
      if (spec.group == Group::Show) may_be_said.insert(spec.dims.begin(), spec.dims.end());
    for (const task::WorkloadSpec& spec : definition->workloads) {
      if (spec.group == Group::Show) continue;
      EXPECT_FALSE(has(shown, "\n- " + spec.name + ": ")) << name << " " << spec.name;
      for (const auto& [dim, value] : spec.dims) {
        if (value < 100 || may_be_said.contains({dim, value})) continue;
        ++looked_at;
        EXPECT_FALSE(has(shown, dim + " = " + std::to_string(value))) << name << " " << spec.name;
        for (const std::string& line : situation_.size_classes)
          EXPECT_FALSE(has(line, std::to_string(value) + ";") ||
                       has(line, " " + std::to_string(value)))
              << line;
      }
    }
  }
  EXPECT_GT(looked_at, 50);
}

TEST_F(PromptTest, ABudgetDropsInTheOrderThatIsPromised) {
  set_errand(Errand::Improve);
  situation_.best = &best_;
  best_.candidate.source += std::string(4000, 'b') + "\n";
  tell(lines_with_a_gain(40));
  situation_.examples = {{"near", std::string(3000, 'n')}, {"far", std::string(3000, 'f')}};
  situation_.cautions = {std::string(2000, 'x'), std::string(2000, 'y')};
  situation_.instructions = {"an instruction stays"};
  for (int i = 1; i <= 5; ++i)
    parent_.evaluation.findings.push_back(
        {FindingKind::Roofline, i, "finding " + std::to_string(i) + std::string(700, '.'), "", ""});

  const std::int64_t whole = build(1'000'000).tokens;
  const auto dropped_at = [&](std::int64_t tokens) {
    const Prompt prompt = build(tokens);
    EXPECT_TRUE(prompt.is_over_budget || prompt.tokens <= tokens);
    for (const char* kept :
         {"an instruction stays", "// kernel 8", "float* y);", "8 times the baseline",
          "Each element is doubled", "Test Processor", "finding 1", "finding 3", "Make it faster"})
      EXPECT_THAT(prompt.user, HasSubstr(kept)) << tokens;
    return prompt.dropped;
  };
  EXPECT_THAT(dropped_at(whole), IsEmpty());
  const Prompt first = build(whole - 100);
  EXPECT_THAT(first.dropped, ElementsAre(HasSubstr("lines of history without a gain")));
  EXPECT_THAT(first.user, AllOf(Not(HasSubstr("words of 1\n")), HasSubstr("words of 3"),
                                HasSubstr("words of 40"), HasSubstr("older lines are left out")));
  EXPECT_THAT(dropped_at(whole - 1000),
              ElementsAre("33 lines of history without a gain", "the code of the best"));
  const Prompt third = build(whole - 2200);
  EXPECT_THAT(third.dropped, ElementsAre("33 lines of history without a gain",
                                         "the code of the best", "1 example"));
  EXPECT_THAT(third.user, AllOf(HasSubstr("nnnn"), Not(HasSubstr("ffff"))));
  EXPECT_THAT(dropped_at(whole - 3800),
              ElementsAre(HasSubstr("33 lines"), "the code of the best", "2 examples",
                          "6 lines of history without a gain", "1 line of history with a gain",
                          "1 caution"));
  const Prompt last = build(1);
  EXPECT_TRUE(last.is_over_budget);
  EXPECT_THAT(last.dropped,
              ElementsAre(HasSubstr("33 lines"), "the code of the best", "2 examples",
                          "6 lines of history without a gain", "1 line of history with a gain",
                          "2 cautions", "2 findings"));
}

TEST_F(PromptTest, EverythingThatCanGoHasItsPlaceInTheOrder) {
  set_errand(Errand::Improve);
  situation_.best = &best_;
  best_.candidate.source += std::string(400, 'b') + "\n";
  const Attempt beside = test_attempt(2, Outcome::Correct, 1.5);
  situation_.shown = {&beside};
  tell(lines_with_a_gain(8));
  const std::string words(400, '.');
  situation_.examples = {{"near", "example" + words}};
  situation_.remembered = {{"remembered" + words, "why", ""}};
  situation_.insights = {"insight" + words};
  situation_.cautions = {"caution" + words};
  situation_.task_instructions = {"instruction of the task" + words};
  situation_.reading = "reading" + words;
  for (int i = 1; i <= 4; ++i)
    parent_.evaluation.findings.push_back({FindingKind::Roofline, i, "finding " + words, "", ""});
  const std::vector<std::string> order{"1 line of history without a gain",
                                       "the code of the best",
                                       "1 source beside the parent's",
                                       "1 example",
                                       "6 lines of history without a gain",
                                       "1 line of history with a gain",
                                       "1 thing from memory",
                                       "1 insight",
                                       "1 caution",
                                       "1 instruction of the task",
                                       "the judge's reading",
                                       "1 finding"};
  EXPECT_EQ(build(1).dropped, order);
  // At every budget, a part is left out only if all parts before it in the order are left out.
  const std::int64_t whole = build(1'000'000).tokens;
  for (std::int64_t tokens = whole; tokens > 0; tokens -= whole / 100) {
    const auto dropped = build(tokens).dropped;
    ASSERT_LE(dropped.size(), order.size());
    for (std::size_t i = 0; i + 1 < dropped.size(); ++i) EXPECT_EQ(dropped[i], order[i]) << tokens;
  }
}

TEST_F(PromptTest, AUserReplacesATemplateAndHearsOfAWrongVariable) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "kw_prompt_test";
  std::filesystem::create_directories(folder / "prompts");
  const auto open_with = [&](const std::string& text) -> Result<PromptBook> {
    std::ofstream(folder / "prompts" / "write.md") << text;
    return PromptBook::open(KW_TRY(memory::DataFiles::open(folder)));
  };
  const auto mine = open_with("Make `{{function}}` sing.\n");
  ASSERT_TRUE(mine.has_value());
  EXPECT_THAT(mine->build(situation_)->user, HasSubstr("Make `twice` sing."));
  const auto wrong = open_with("\n{{functon}}\n");
  EXPECT_THAT(wrong, IsErrorAbout(ErrorCode::NotFound, "functon -> function"));
  EXPECT_THAT(wrong, IsErrorAt("prompts/write.md:2"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kw::propose
