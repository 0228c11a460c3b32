// Tests of reading task folders: the shipped tasks load, and every mistake is reported with its
// place.
// SPDX-License-Identifier: Apache-2.0
#include "task/load.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_for_test.h"
#include "task/resolve.h"

namespace kw::task {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 50;

const char* const kTask = R"(name: twice
family: elementwise
dims: [n, pad]
let: { rows: "n + 8" }
scalars:
  n: { dtype: i32 }
  a: { dtype: f32, value: 0.1 }
  ld: { dtype: i64, value: "n + pad" }
tensors:
  x:
    dtype: f32
    shape: [rows, n]
    role: in
    pitch: "n + pad"
    values: { kind: normal, mean: 0, std: 1 }
  y:
    dtype: f32
    shape: [rows, n]
    role: out
    align: 128
    compare: [["n % 3", all], ["n % 3 + 1", [1, n]]]
signature: [n, a, x, y]
gate: { kind: relative, c: 4, scale: 1 }
work:
  floor: { bytes: "12 * n", flops: "2 * n" }
  nominal: { read_bytes: "8 * n", write_bytes: "4 * n", flops: "2 * n", items: "n" }
goals: { roof: 0.9 }
)";

const char* const kShapes = R"(show: [ { name: small, n: 4, pad: 1 } ]
check:
  - { name: prime, n: 7, pad: 0, scalars: { a: -0.5 }, values: { x: { kind: integers, lo: 1, hi: 3 } } }
time:
  - { name: large, n: 4096, pad: 0, for: [cpu] }
  - { name: other, n: 9000, pad: 0, for: [cuda] }
)";

TaskFiles files(std::string task = kTask, std::string shapes = kShapes) {
  return {"tasks/twice",
          {{"task.yaml", std::move(task)},
           {"shapes.yaml", std::move(shapes)},
           {"reference.cpp", "template <class Real>\nvoid reference(int n, Real a) {}\n"}},
          {}};
}

/// A callback for borrow() that returns the same task for every name.
auto beside(TaskFiles other) {
  return [other = std::move(other)](std::string_view) -> Result<TaskFiles> { return other; };
}

/// The text with one exact replacement; asserts that `from` occurs.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A line "PLACE ABOUT" for each complaint about the task.
std::string errors_of(const TaskFiles& task) {
  const auto definition = parse_task(task);
  return definition ? "fine" : place_and_about(definition.error());
}
std::string task_error(std::string_view from, std::string_view to) {
  return errors_of(files(with(kTask, from, to)));
}
std::string shapes_error(std::string_view from, std::string_view to) {
  return errors_of(files(kTask, with(kShapes, from, to)));
}

/// What is wrong with a task whose input has integers of this type and in this range.
std::string integers_error(std::string_view dtype, std::string_view range) {
  const std::string typed =
      with(kTask, "dtype: f32\n    shape: [rows, n]\n    role: in",
           "dtype: " + std::string(dtype) + "\n    shape: [rows, n]\n    role: in");
  return errors_of(
      files(with(typed, "kind: normal, mean: 0, std: 1", "kind: integers, " + std::string(range)),
            with(kShapes, ", values: { x: { kind: integers, lo: 1, hi: 3 } }", "")));
}

TEST(LoadTask, IntegersMayBeAsLargeAsAKernelOfFewerBitsWouldMiss) {
  EXPECT_EQ(integers_error("u64", "lo: 0, hi: 9007199254740992"), "fine");
  EXPECT_NE(integers_error("u64", "lo: 0, hi: 9007199254740994"), "fine");
  EXPECT_EQ(integers_error("i64", "lo: -9007199254740992, hi: 0"), "fine");
  EXPECT_EQ(integers_error("u32", "lo: 0, hi: 4294967295"), "fine");
  EXPECT_NE(integers_error("u32", "lo: 0, hi: 4294967296"), "fine");
  EXPECT_NE(integers_error("u8", "lo: -1, hi: 255"), "fine");
  EXPECT_EQ(integers_error("f32", "lo: 0, hi: 16777216"), "fine");
  EXPECT_NE(integers_error("f32", "lo: 0, hi: 16777218"), "fine");
}

TEST(LoadTask, ReadsEverything) {
  const auto definition = parse_task(files()).value();
  EXPECT_EQ(definition.task.function, "twice");
  EXPECT_EQ(definition.task.signature.size(), 4u);
  EXPECT_EQ(definition.task.gate.kind, GateKind::Relative);
  EXPECT_EQ(definition.task.goals.roof, 0.9);
  EXPECT_FALSE(definition.task.has_magnitude);
  const auto resolved = resolve(definition, Target::Cpu, kPlenty).value();
  ASSERT_EQ(resolved.workloads.size(), 3u);
  const Workload& prime = resolved.workloads[1];
  EXPECT_EQ(prime.tensors[0].sizes, (std::vector<std::int64_t>{15, 7}));
  EXPECT_EQ(prime.tensors[0].values.kind, "integers");
  EXPECT_EQ(prime.tensors[1].alignment, 128);
  EXPECT_EQ(prime.tensors[1].initial, Initial::Poison);
  ASSERT_EQ(prime.tensors[1].compared.size(), 2u);
  EXPECT_EQ(prime.tensors[1].compared[0].ranges[0].lo, 1);
  EXPECT_EQ(prime.tensors[1].compared[0].ranges[0].hi, 2);
  EXPECT_EQ(prime.tensors[1].compared[1].ranges[1].hi, 7);
  EXPECT_EQ(prime.scalar("a")->real, -0.5);
  EXPECT_EQ(prime.scalar("n")->integer, 7);
  EXPECT_EQ(prime.work.floor_bytes, 84);
  const Workload& small = resolved.workloads[0];
  EXPECT_EQ(small.tensors[0].pitch, 5);
  EXPECT_EQ(small.scalar("ld")->integer, 5);
  EXPECT_EQ(small.scalar("a")->real, static_cast<double>(0.1f)) << "what the candidate receives";
}

TEST(LoadTask, RestrictionsOfAGpu) {
  const auto with = [](const std::string& restrictions) {
    TaskFiles all = files();
    all.texts["task.yaml"] += "restrictions: " + restrictions + "\n";
    return parse_task(all);
  };
  const auto definition = with("{ registers: 128, local_bytes: 8192, archs: [sm_80, sm_90a] }");
  ASSERT_TRUE(definition.has_value()) << definition.error().what;
  EXPECT_EQ(definition->task.restrictions.registers, 128);
  EXPECT_EQ(definition->task.restrictions.local_bytes, 8192);
  EXPECT_THAT(with("{ local_bytes: 32769 }"),
              IsErrorAbout(ErrorCode::BadInput, "tasks/twice/task.yaml:28:30 local_bytes"));
  EXPECT_EQ(definition->task.restrictions.archs, (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_THAT(with("{ registers: 256 }"),
              IsErrorAbout(ErrorCode::BadInput, "tasks/twice/task.yaml:28:28 registers"));
  EXPECT_THAT(with("{ archs: [sm_09] }"),
              IsErrorAbout(ErrorCode::BadInput,
                           testing::StartsWith("tasks/twice/task.yaml:28:25 archs: sm_09")));
}

TEST(LoadTask, SkipsWhatDoesNotFit) {
  const auto definition = parse_task(files()).value();
  const auto resolved = resolve(definition, Target::Cuda, 10'000).value();
  ASSERT_EQ(resolved.workloads.size(), 2u);
  ASSERT_EQ(resolved.skipped.size(), 1u);
  EXPECT_EQ(resolved.skipped[0].name, "other");
  EXPECT_EQ(resolved.skipped[0].reason,
            "the tensors of this workload have 619 MiB, and the limit is 9.77 KiB");
}

TEST(LoadTask, TimedWorkloadsHaveToFitTogether) {
  TaskFiles all = files();
  std::string& shapes = all.texts["shapes.yaml"];
  shapes = shapes.substr(0, shapes.find("time:")) +
           "time:\n  - { name: two, n: 2000, pad: 0 }\n  - { name: three, n: 3000, pad: 0 }\n"
           "  - { name: one, n: 1000, pad: 0 }\n";
  const auto definition = parse_task(all).value();
  const auto everything = resolve(definition, Target::Cpu, kPlenty).value();
  std::int64_t together = 0;
  for (const Workload& workload : everything.workloads)
    if (workload.group == Group::Time) together += workload.bytes();
  EXPECT_TRUE(resolve(definition, Target::Cpu, together)->skipped.empty());
  const auto resolved = resolve(definition, Target::Cpu, together * 2 / 3).value();
  ASSERT_EQ(resolved.skipped.size(), 1u);
  EXPECT_EQ(resolved.skipped[0].name, "three");
  EXPECT_EQ(resolved.skipped[0].reason.substr(0, 64),
            "the tensors of this workload have 68.8 MiB; with the other timed");
}

TEST(LoadTask, TypesOfTwoBytesAreForGpus) {
  std::string text = kTask;
  for (std::size_t at = 0; (at = text.find("dtype: f32\n", at)) != std::string::npos; ++at)
    text.replace(at, 10, "dtype: bf16");
  const auto definition = parse_task(files(text)).value();
  EXPECT_EQ(resolve(definition, Target::Cuda, kPlenty)->workloads.front().tensors.front().dtype,
            Dtype::BF16);
  EXPECT_THAT(resolve(definition, Target::Cpu, kPlenty), IsErrorAbout(ErrorCode::Unsupported, "x"));
}

TEST(LoadTask, AVariantHasTheTruthOfAnotherTask) {
  TaskFiles variant = files(with(kTask, "name: twice", "name: twice_more\ntruth_of: twice"));
  variant.texts.erase("reference.cpp");
  EXPECT_EQ(truth_of(files()).value(), "");
  EXPECT_EQ(truth_of(variant).value(), "twice");
  EXPECT_THAT(parse_task(variant), IsErrorAbout(ErrorCode::Missing, "reference.cpp"));
  ASSERT_TRUE(borrow(variant, beside(files())));
  EXPECT_EQ(parse_task(variant)->task.name, "twice_more");
  EXPECT_EQ(parse_task(variant)->reference, files().texts.at("reference.cpp"));
  TaskFiles other = files();
  other.texts["reference.cpp"] = "other";
  ASSERT_TRUE(borrow(variant, beside(other)));
  EXPECT_EQ(parse_task(variant)->reference, files().texts.at("reference.cpp")) << "its own stays";
}

/// A variant of the task `twice`, whose task.yaml states only the differences.
TaskFiles like_twice(const std::string& more = "") {
  return {"tasks/twice_half",
          {{"task.yaml", "name: twice_half\nlike: twice\n" + more}, {"spec.md", "Halves.\n"}},
          {}};
}

TEST(LoadTask, ReadsWhichMutantsAreExcused) {
  const std::string excuse =
      "excused: [ { mutant: \"x rounded*\", on: [large], why: too fine } ]\ngoals";
  const auto excused = parse_task(files(with(kTask, "goals", excuse)))->task.excused;
  ASSERT_EQ(excused.size(), 1u);
  EXPECT_EQ(excused[0].mutant, "x rounded*");
  EXPECT_EQ(excused[0].on, std::vector<std::string>{"large"});
  EXPECT_EQ(excused[0].why, "too fine");
  TaskFiles variant = like_twice("excused: [ { mutant: zeros, why: small } ]\n");
  ASSERT_TRUE(borrow(variant, beside(files(with(kTask, "goals", excuse)))));
  EXPECT_EQ(parse_task(variant)->task.excused.size(), 2u) << "its own and the other's";
  EXPECT_EQ(task_error("goals", "excused: [ { mutant: zeros } ]\ngoals"),
            "tasks/twice/task.yaml:27:12 an excuse: lacks why");
}

TEST(LoadTask, ATaskIsLikeAnotherButForWhatItSays) {
  TaskFiles twice = files(with(kTask, "family: elementwise", "family: elementwise\nsummary: two"));
  twice.texts["spec.md"] = "Twice.\n";
  twice.texts["baselines/naive.cu"] =
      "// kw: launch k grid(1) block(1) args(x, y)\nextern \"C\" __global__ void k() {}\n";
  twice.texts["candidates/010_mine.cpp"] = "void twice() {}\n";
  TaskFiles variant = like_twice("dtype: f16\ngate: { c: 8 }\nrms: { factor: 2 }\n");
  ASSERT_TRUE(borrow(variant, beside(twice)));
  EXPECT_EQ(truth_of(variant).value(), "twice");
  const auto definition = parse_task(variant);
  ASSERT_TRUE(definition.has_value()) << describe(definition.error());
  const Task& task = definition->task;
  EXPECT_EQ(task.name, "twice_half");
  EXPECT_EQ(task.function, "twice") << "so that one source of a library's call serves both";
  EXPECT_EQ(task.family, "elementwise");
  EXPECT_EQ(task.summary, "two");
  EXPECT_EQ(task.spec, "Halves.\n\nTwice.\n");
  EXPECT_EQ(definition->tensors[0].dtype, Dtype::F16);
  EXPECT_EQ(task.signature[2].dtype, Dtype::F16);
  EXPECT_EQ(task.signature[1].dtype, Dtype::F32) << "a scalar stays";
  EXPECT_EQ(task.gate.c, 8);
  EXPECT_EQ(task.gate.scale, 1);
  EXPECT_EQ(task.gate.rms_factor, 2);
  EXPECT_EQ(definition->like, std::vector<std::string>{"twice"});
  EXPECT_EQ(definition->baselines.size(), 1u);
  EXPECT_TRUE(definition->candidates.empty());
  const std::string before = task.sha256;
  variant.texts[kLikeFile] = with(variant.texts[kLikeFile], "std: 1", "std: 2");
  EXPECT_NE(parse_task(variant)->task.sha256, before);
}

TEST(LoadTask, WhatIsWrongBetweenATaskAndTheOneItIsLikeHasItsPlace) {
  const auto error = [](TaskFiles variant, const TaskFiles& other) -> std::string {
    if (const auto done = borrow(variant, beside(other)); !done)
      return place_and_about(done.error());
    return errors_of(variant);
  };
  EXPECT_EQ(error(like_twice(), {}), "tasks/twice_half/task.yaml:2:7 like: twice");
  EXPECT_EQ(error(like_twice("dims: [n]\n"), files()),
            "tasks/twice_half/task.yaml:3:1 task.yaml of a variant: unknown dims");
  EXPECT_THAT(error(like_twice("dtype: i32\n"), files()),
              testing::StartsWith("tasks/twice_half/task.yaml:3:8 dtype: i32"));
  EXPECT_EQ(error(like_twice("gate: { l2: 0.1 }\n"), files()),
            "tasks/twice_half/task.yaml:3:9 gate 'relative' of a variant: unknown l2");
  EXPECT_EQ(error(like_twice("dtype: f16\n"), files(with(kTask, "mean: 0", "mean: 70000"))),
            "tasks/twice/task.yaml:15:35 mean: 70000");
  EXPECT_EQ(error(like_twice(), files(with(kTask, "shape: [rows, n]\n    role: in",
                                           "shape: [rows, n - n]\n    role: in"))),
            "tasks/twice/task.yaml:12:19 small: x: size 0");
  TaskFiles broken = files();
  broken.texts["baselines/naive.cu"] = "// kw: lunch k\n";
  EXPECT_THAT(error(like_twice(), broken),
              testing::StartsWith("tasks/twice/baselines/naive.cu:1:8 directive lunch -> launch"));
}

TEST(LoadTask, ShippedTasksAreSound) {
  for (const std::string name : {"attention",
                                 "attention_bf16",
                                 "attention_f16",
                                 "conv2d",
                                 "fctd3d",
                                 "gelu",
                                 "histogram",
                                 "layernorm",
                                 "layernorm_padded",
                                 "layernorm_bf16",
                                 "layernorm_bf16_padded",
                                 "layernorm_f16",
                                 "layernorm_f16_padded",
                                 "matmul",
                                 "matmul_padded",
                                 "matmul_bf16",
                                 "matmul_bf16_padded",
                                 "matmul_bias_gelu_bf16",
                                 "matmul_bias_gelu_bf16_padded",
                                 "matmul_bias_gelu_f16",
                                 "matmul_bias_gelu_f16_padded",
                                 "matmul_f16",
                                 "matmul_f16_padded",
                                 "reduce_sum",
                                 "reduce_sum_padded",
                                 "relu",
                                 "rmsnorm",
                                 "rmsnorm_padded",
                                 "rmsnorm_bf16",
                                 "rmsnorm_bf16_padded",
                                 "rmsnorm_f16",
                                 "rmsnorm_f16_padded",
                                 "saxpy",
                                 "scan",
                                 "scan_padded",
                                 "softmax",
                                 "softmax_padded",
                                 "softmax_bf16",
                                 "softmax_bf16_padded",
                                 "softmax_f16",
                                 "softmax_f16_padded",
                                 "softsign",
                                 "swish",
                                 "transpose",
                                 "transpose_padded"}) {
    const auto definition = load_task(std::string(KW_SOURCE_DIR) + "/tasks/" + name);
    ASSERT_TRUE(definition.has_value()) << describe(definition.error());
    EXPECT_EQ(definition->task.name, name);
    EXPECT_FALSE(definition->baselines.empty());
    const bool is_half = name.contains("f16");
    const auto resolved = resolve(*definition, is_half ? Target::Cuda : Target::Cpu, kPlenty);
    ASSERT_TRUE(resolved.has_value()) << describe(resolved.error());
    EXPECT_TRUE(resolved->skipped.empty());
  }
}

TEST(LoadTask, NamesMissingFiles) {
  auto task = files();
  task.texts.erase("shapes.yaml");
  EXPECT_EQ(errors_of(task), "tasks/twice/shapes.yaml shapes.yaml");
  const auto missing = read_task_files(std::string(KW_SOURCE_DIR) + "/tasks/saxpi");
  EXPECT_THAT(missing, IsErrorAbout(ErrorCode::NotFound, "saxpi -> saxpy"));
  task = files();
  task.texts["reference.cpp"] = "// void reference() {}\nvoid reference(int n);\n";
  EXPECT_EQ(errors_of(task), "tasks/twice/reference.cpp:1:1 reference");
}

struct Wrong {
  const char* from;
  const char* to;
  const char* error;  ///< place and about, without the name of the file
};

TEST(LoadTask, NamesThePlaceOfWhatIsWrongInTheTask) {
  const Wrong cases[] = {
      {"family:", "famly:", "2:1 task.yaml: unknown famly -> family"},
      {"dtype: f32\n    shape: [rows, n]\n    role: in",
       "dtpye: f32\n    shape: [rows, n]\n    role: in",
       "11:5 tensor 'x': unknown dtpye -> dtype\n"
       "tasks/twice/task.yaml:11:5 tensor 'x': lacks dtype"},
      {"role: in\n", "role: inn\n", "13:11 role: inn -> in"},
      {"role: in\n", "role: [in]\n", "13:11 role: a list"},
      {"  y:\n", "  x:\n", "16:3 twice x"},
      {"[rows, n]", "[rows, m]", "12:19 shape: m"},
      {"\"n + pad\" }\ntensors", "\"n + pda\" }\ntensors", "8:33 ld: pda -> pad"},
      {"pitch: \"n + pad\"", "pitch: \"n +\"", "14:16 pitch: end, not a number, a name or '('"},
      {"pitch: \"n + pad\"", "pitch: \"n - 1\"", "14:12 small: x: pitch 3"},
      {"[rows, n]", "[\"n / pad\", n]", "12:13 prime: shape: divides by zero"},
      {"[rows, n]", "[\"4 - n\", n]", "12:13 small: x: size 0"},
      {"[rows, n]", "[9000000000000000000, n]", "10:3 small: x: 64 PiB"},
      {"[1, n]", "[1, \"n + 1\"]", "21:49 small: y: range 1 to 5"},
      {"[\"n % 3\", all]", "[rows, all]", "21:16 small: y: index 12"},
      {"[\"n % 3\", all]", "[all]", "21:15 compared dimensions"},
      {"dtype: f32\n    shape: [rows, n]\n    role: out",
       "dtype: f64\n    shape: [rows, n]\n    role: out", "16:3 y: f64"},
      {"a: { dtype: f32, value: 0.1 }", "a: { dtype: f16, value: 0.1 }", "7:15 scalar: f16"},
      {"align: 128", "align: 96", "20:12 align: 96"},
      {"signature: [n, a, x, y]", "signature: [n, a, x, z]",
       "22:22 signature: z\ntasks/twice/task.yaml:22:12 signature: lacks y"},
      {"signature: [n, a, x, y]", "signature: [n, a, x, y, x]", "22:25 signature: twice x"},
      {"kind: relative", "kind: relativ", "23:15 gate: relativ -> relative"},
      {"{ kind: relative, c: 4, scale: 1 }", "{ kind: dot, c: 4, k: n }", "23:15 magnitude"},
      {"name: twice", "name: while", "1:7 name: while"},
      {"name: twice", "name: 2x", "1:7 name: 2x"},
      {"dims: [n, pad]", "dims: [n, pad, min]", "3:16 dim: function min"},
      {"value: 0.1", "value: one", "7:27 a: one"},
      {"value: 0.1", "value: 1e39", "7:27 a: f32"},
      {"kind: normal, mean: 0, std: 1", "kind: normal, mean: 0, std: -1", "15:43 std: -1"},
      {"kind: normal, mean: 0, std: 1", "kind: uniform, lo: 2, hi: 1", "15:13 lo above hi"},
      {"role: out", "role: in", "21:14 compare: role in"},
      {"goals: { roof: 0.9 }", "goals: { roof: 90 }", "27:16 roof: above 1"},
      {"{ bytes: \"12 * n\"", "{ bytes: \"-12 * n\"", "25:19 small: work: -48"},
      {"name: twice", "name: \x01", "1:7 text file"},
      {"name: twice", "name: &a twice", "1:7 anchor"},
      {"name: twice", "name: *a", "1:7 syntax"},
      {"name: twice", "name: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "1:22 levels"},
      {"name: twice", "name: \"twice", "4:15 syntax"},
  };
  for (const auto& [from, to, error] : cases) {
    const auto got = task_error(from, to);
    EXPECT_TRUE(got.starts_with(std::string("tasks/twice/task.yaml:") + error))
        << "wanted " << error << "\ngot    " << got;
  }
}

TEST(LoadTask, NamesThePlaceOfWhatIsWrongInTheShapes) {
  const Wrong cases[] = {
      {"name: prime", "name: small", "3:13 workload: twice small"},
      {"name: prime, n: 7", "name: prime", "3:5 workload: lacks n"},
      {"n: 4,", "n: 4.5,", "1:27 n: 4.5"},
      {"n: 4,", "n: 99999999999999999999,", "1:27 n: 99999999999999999999"},
      {"for: [cpu]", "for: [gpu]", "5:43 target: gpu -> cpu"},
      {"x: { kind", "y: { kind", "3:66 y: values"},
      {"x: { kind", "xs: { kind", "3:66 tensor xs -> x"},
      {"a: -0.5", "n: 3", "3:45 scalar: dim n"},
      {"name: prime", "name: ../prime", "3:13 workload: name"},
      {"check:", "chek:", "2:1 shapes.yaml: unknown chek -> check"},
  };
  for (const auto& [from, to, error] : cases) {
    const auto got = shapes_error(from, to);
    EXPECT_TRUE(got.starts_with(std::string("tasks/twice/shapes.yaml:") + error))
        << "wanted " << error << "\ngot    " << got;
  }
  EXPECT_EQ(shapes_error("n: 4096", "n: 4294967296"), "tasks/twice/task.yaml:6:3 large: n: i32");
}

TEST(LoadTask, ShowsAtMostTwentyComplaints) {
  std::string task = kTask;
  for (int i = 0; i < 30; ++i) task += "wrong" + std::to_string(i) + ": 1\n";
  const auto text = errors_of(files(task));
  EXPECT_EQ(std::ranges::count(text, '\n'), 20);
  EXPECT_TRUE(text.ends_with("and 10 more")) << text;
}

TEST(LoadTask, RefusesOversizedFiles) {
  const auto definition = parse_task(files(std::string(2 << 20, ' ')));
  EXPECT_THAT(definition, IsErrorAbout(ErrorCode::TooLarge, "1 MiB"));
  EXPECT_THAT(definition, IsErrorAt("tasks/twice/task.yaml:1:1"));
}

TEST(LoadTask, HashChangesWithEveryFileThatDecides) {
  const auto hash = parse_task(files()).value().task.sha256;
  EXPECT_NE(hash, parse_task(files(with(kTask, "c: 4", "c: 5"))).value().task.sha256);
  EXPECT_NE(hash, parse_task(files(kTask, with(kShapes, "n: 7", "n: 8"))).value().task.sha256);
  EXPECT_EQ(hash, parse_task(files()).value().task.sha256);
}

const char* const kInit = "void init(uint64_t seed, int n, float a, float* x) {}\n";

TaskFiles coded_files(const std::string& init) {
  TaskFiles coded = files(with(kTask, "{ kind: normal, mean: 0, std: 1 }", "{ kind: init }"));
  if (!init.empty()) coded.texts["init.cpp"] = init;
  return coded;
}

TEST(LoadTask, InputsMayBeComputedByCode) {
  const auto definition = parse_task(coded_files(kInit));
  ASSERT_TRUE(definition.has_value()) << describe(definition.error());
  EXPECT_EQ(definition->init, kInit);
  EXPECT_EQ(definition->tensors.front().values.kind, "init");
  const auto other = parse_task(coded_files(std::string(kInit) + "// more\n"));
  EXPECT_NE(definition->task.sha256, other.value().task.sha256);
}

TEST(LoadTask, CodeThatComputesInputsMustBeThereAndUsed) {
  EXPECT_EQ(errors_of(coded_files("")), "tasks/twice/task.yaml:1:1 init.cpp");
  EXPECT_EQ(errors_of(coded_files("void other(int) {}\n")), "tasks/twice/init.cpp:1:1 init");
  auto unused = files();
  unused.texts["init.cpp"] = kInit;
  EXPECT_EQ(errors_of(unused), "tasks/twice/init.cpp:1:1 init");
}

}  // namespace
}  // namespace kw::task
