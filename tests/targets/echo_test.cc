// A kernel of the target echo, which the program does not know, goes through screen, compile,
// check, prompt and report.
// SPDX-License-Identifier: Apache-2.0
#include "echo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "cli/target_flags.h"
#include "compile/target_compiler.h"
#include "engine/task_workbench.h"
#include "evaluate/prepare.h"
#include "propose/prompt.h"
#include "propose/reply.h"
#include "report/certificate.h"
#include "report/run_folder.h"
#include "report/run_for_test.h"
#include "task/load.h"

namespace kw::echo {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNaive = "; kw: technique plain\nplay 2\n";

task::Definition twice() {
  task::TaskFiles files{"tasks/twice", {}};
  files.texts["task.yaml"] = R"(name: twice
family: elementwise
summary: y becomes two x
dims: [n]
scalars:
  n: { dtype: i32 }
tensors:
  x: { dtype: f32, shape: [n], role: in }
  y: { dtype: f32, shape: [n], role: out }
signature: [n, x, y]
gate: { kind: relative, c: 4, scale: 0.5 }
rms: { factor: 3 }
work:
  floor: { bytes: "8 * n", flops: "n" }
  nominal: { read_bytes: "4 * n", write_bytes: "4 * n", flops: "n", items: "n" }
)";
  files.texts["shapes.yaml"] = R"(show:
  - { name: small, n: 100 }
check:
  - { name: odd, n: 37 }
  - { name: for_gpus, n: 41, for: [cuda] }
  - { name: for_echoes, n: 43, for: [echo] }
time:
  - { name: large, n: 3001 }
)";
  files.texts["spec.md"] =
      "# twice\n\nEach element is doubled.\n\n**On a GPU.** Mind the blocks.\n\n"
      "**On an echo.** Mind the valley.\n";
  files.texts["reference.cpp"] =
      "template <class Real>\nvoid reference(int n, const Real* x, Real* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n";
  files.texts["baselines/naive.echo"] = kNaive;
  auto definition = task::parse_task(files);
  EXPECT_TRUE(definition) << definition.error().what;
  return std::move(*definition);
}

/// The references' code, which this machine runs and which is no concern of the target.
class References final : public compile::Compiler {
 public:
  explicit References(platform::Path objects) : objects_(std::move(objects)) {}
  Result<compile::CompileResult> build(const BuildUnit& unit) override {
    auto result = KW_TRY(compile::keep_object(objects_, unit.role, "elf-so"));
    auto& kernel = world().objects[result.object.front().sha256].kernel;
    if (unit.role == "reference_f64")
      kernel = run<double>;
    else
      kernel = run<float>;
    return result;
  }
  const std::string& identity() const override { return identity_; }

 private:
  template <class Real>
  static device::CallResult run(const std::vector<std::vector<device::FakeArgument>>& sets) {
    for (const auto& set : sets)
      for (std::int32_t i = 0; i < set[0].value<std::int32_t>(); ++i)
        set[2].tensor<Real>()[i] = 2 * set[1].tensor<Real>()[i];
    return device::returned_after(1e6);
  }
  platform::Path objects_;
  std::string identity_ = "references";
};

class Echo : public testing::Test {
 protected:
  static void SetUpTestSuite() { echo_ = add(); }

  Candidate kernel(std::string_view source) const {
    auto candidate = task::make_candidate("mine", source, Origin::Human, {}, echo_);
    EXPECT_TRUE(candidate) << task::to_text(candidate.error());
    return std::move(*candidate);
  }

  engine::TaskWorkbench workbench() const {
    engine::TaskWorkbenchOptions options;
    options.target = echo_;
    options.max_bytes = 1 << 20;
    options.jail = JailLevel::None;
    auto bench = engine::TaskWorkbench::create(
        twice(), {{"10_loud.echo", "; kw: technique loudness\nplay 2\n"}, {"20_gpu.cu", ""}},
        options);
    EXPECT_TRUE(bench) << bench.error().what;
    return std::move(*bench);
  }

  /// Screens, compiles and checks a kernel against the task's baseline.
  Evaluation judge(std::string_view source) const {
    const auto objects = *platform::TempDir::create("kw-echo");
    const auto bench = workbench();
    EvaluationRequest request = bench.request(kernel(source), &bench.baselines().front()).value();
    request.id = "echo", request.until = Stage::Check, request.seed = 7;
    References host(objects.path());
    compile::TargetCompiler compiler(host, {{echo_, [&] {
                                               return session::toolchains()[echo_].open(
                                                   objects.path(), JailLevel::None);
                                             }}});
    auto prepared = evaluate::prepare(request, compiler, 1).value();
    if (prepared.ended) return *prepared.ended;
    for (const BuildUnit& unit : request.units)
      if (unit.target == echo_)
        world().objects[unit.object.front().sha256].kernel =
            player_of(platform::read_file(unit.object.front().path).value());
    const auto worker = worker::Worker::open(echo_, {}).value();
    return worker->judge(request).value();
  }

  static inline Target echo_{};
};

TEST_F(Echo, IsReadFromFilesAndFlags) {
  EXPECT_EQ(target_of_file("a/b.echo"), echo_);
  cli::TargetFlags flags;
  EXPECT_EQ(flags.aim("mine.echo")->target, echo_);
  flags.target = "echo";
  EXPECT_EQ(flags.aim("")->target, echo_);
  flags.arch = "sm_90a";
  EXPECT_THAT(flags.aim(""), IsErrorAbout(ErrorCode::Contradiction, "--arch"));
  flags.target = "ecco";
  EXPECT_THAT(flags.aim(""), IsErrorAbout(ErrorCode::BadInput, "--target"));
  EXPECT_EQ(target_names(" or "), "cpu or cuda or echo");
}

TEST_F(Echo, HasDirectivesBehindItsOwnComments) {
  EXPECT_THAT(kernel("; kw: technique a, b\nplay 2\n").techniques, testing::ElementsAre("a", "b"));
  EXPECT_THAT(kernel("// kw: technique a\nplay 2\n").techniques, testing::IsEmpty());
  const auto plan = task::make_candidate("mine", "; kw: launch k\n", Origin::Human, {}, echo_);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().front().text, HasSubstr("belongs to a launch plan"));
}

TEST_F(Echo, ATaskHasItsBaselinesWorkloadsAndIdeas) {
  const auto bench = workbench();
  ASSERT_EQ(bench.baselines().size(), 1u);
  EXPECT_EQ(bench.baselines().front().name, "naive");
  ASSERT_EQ(bench.ideas().size(), 1u);
  EXPECT_EQ(bench.ideas().front().name, "10_loud");
  std::vector<std::string> names;
  for (const Workload& w : bench.workloads()) names.push_back(w.name);
  EXPECT_THAT(names, testing::ElementsAre("small", "odd", "for_echoes", "large"));
  EXPECT_EQ(search::technique_cards(echo_, search::WorkClass::Other).front().name, "loudness");
}

TEST_F(Echo, AKernelIsScreenedCompiledAndChecked) {
  const Evaluation right = judge("play 2\n");
  EXPECT_EQ(right.verdict.outcome, Outcome::Correct) << right.verdict.evidence;
  EXPECT_EQ(right.verdict.stage, Stage::Check);
  const Evaluation wrong = judge("play 3\n");
  EXPECT_EQ(wrong.verdict.outcome, Outcome::WrongResult) << wrong.verdict.evidence;
  const Evaluation silent = judge("hum 2\n");
  EXPECT_EQ(silent.verdict.stage, Stage::Compile);
  EXPECT_EQ(silent.verdict.outcome, Outcome::CompileFailed) << silent.verdict.evidence;
  const Evaluation forged = judge("play 2\nforge\n");
  EXPECT_EQ(forged.verdict.stage, Stage::Screen);
  EXPECT_EQ(forged.verdict.evidence, "an echo cannot forge");
}

TEST_F(Echo, AModelIsToldOfItAndItsReplyIsRead) {
  const auto folder = *platform::TempDir::create("kw-echo-data");
  ASSERT_TRUE(platform::make_dirs(folder.path() / "prompts"));
  ASSERT_TRUE(platform::write_file_atomic(folder.path() / "prompts" / "system_echo.md",
                                          "Kernels play. Options: {{{option_lines}}}\n", false));
  const auto data = memory::DataFiles::open(folder.path()).value();
  const auto book = propose::PromptBook::open(data);
  ASSERT_TRUE(book) << book.error().what;
  const task::Definition definition = twice();
  Attempt parent;
  parent.number = 1;
  parent.candidate = kernel(kNaive);
  parent.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "off"};
  propose::Situation situation;
  situation.number = 2;
  situation.errand = Errand::Repair;
  situation.task = &definition;
  situation.target = echo_;
  situation.device = &world().facts;
  situation.parent = &parent;
  const auto prompt = book->build(situation);
  ASSERT_TRUE(prompt) << prompt.error().what;
  EXPECT_THAT(prompt->system, AllOf(HasSubstr("Kernels play."), HasSubstr("Options: none.")));
  EXPECT_THAT(prompt->user,
              AllOf(HasSubstr("one line: play FACTOR, for twice"), HasSubstr("```echo\n"),
                    HasSubstr("There are no libraries."), HasSubstr("Mind the valley."),
                    Not(HasSubstr("Mind the blocks."))));
  const auto reply = propose::parse_reply(
      "Louder.\n\n```python\nplay()\n```\n\n```echo\nplay 2\n```\n", {"twice", echo_, kNaive});
  EXPECT_EQ(reply.source, "play 2\n") << reply.evidence;
}

TEST_F(Echo, AWinIsReported) {
  report::RunData data = report::run_data();
  data.run.config.task = "twice", data.run.config.target = echo_;
  data.run.config.task_sha256 = std::string(64, 'a');
  data.best->candidate.target = echo_;
  data.device = world().facts;
  for (WorkloadResult& w : data.confirmation->workloads)
    w.samples.assign(7, {.candidate_ns = 1000, .opponent_ns = 3000});
  EXPECT_EQ(report::best_file(data.run.config), "twice.echo");
  const std::string certificate = report::certificate(data);
  EXPECT_THAT(certificate, Not(HasSubstr("\"flags\"")));
  const auto read = report::read_certificate(certificate, "certificate.json");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->target, echo_);
  EXPECT_THAT(report::summary_table(data, report::digest()), HasSubstr("tiled"));
}

}  // namespace
}  // namespace kw::echo
