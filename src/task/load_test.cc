// Tests of reading task folders: the shipped tasks load, and every mistake is reported with its
// place.
// SPDX-License-Identifier: Apache-2.0
#include "task/load.h"

#include <gtest/gtest.h>

#include <algorithm>

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

std::string errors_of(const TaskFiles& task) {
  const auto definition = parse_task(task);
  return definition ? "fine" : describe(definition.error());
}
std::string task_error(std::string_view from, std::string_view to) {
  return errors_of(files(with(kTask, from, to)));
}
std::string shapes_error(std::string_view from, std::string_view to) {
  return errors_of(files(kTask, with(kShapes, from, to)));
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
  EXPECT_NE(with("{ local_bytes: 32769 }")
                .error()
                .what.find("the local_bytes of a thread must be 1 to 32768"),
            std::string::npos);
  EXPECT_EQ(definition->task.restrictions.archs, (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_NE(
      with("{ registers: 256 }").error().what.find("the registers of a thread must be 16 to 255"),
      std::string::npos);
  EXPECT_NE(with("{ archs: [sm_09] }").error().what.find("archs must be one of sm_75"),
            std::string::npos);
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
  EXPECT_EQ(resolve(definition, Target::Cpu, kPlenty).error().what,
            "task 'twice' is for --target cuda: its tensor 'x' is bf16, for which the cpu target "
            "has no type");
}

TEST(LoadTask, AVariantHasTheTruthOfAnotherTask) {
  TaskFiles variant = files(with(kTask, "name: twice", "name: twice_more\ntruth_of: twice"));
  variant.texts.erase("reference.cpp");
  EXPECT_EQ(truth_of(files()).value(), "");
  EXPECT_EQ(truth_of(variant).value(), "twice");
  EXPECT_NE(errors_of(variant).find("reference.cpp: the task lacks this file"), std::string::npos);
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
            "tasks/twice/task.yaml:27:12: an excuse lacks the key 'why'");
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
    if (const auto done = borrow(variant, beside(other)); !done) return describe(done.error());
    return errors_of(variant);
  };
  EXPECT_EQ(error(like_twice(), {}),
            "tasks/twice_half/task.yaml:2:7: like: 'like' names the task 'twice', which has no "
            "folder beside this one");
  EXPECT_EQ(error(like_twice("dims: [n]\n"), files()),
            "tasks/twice_half/task.yaml:3:1: unknown key 'dims' in task.yaml of a variant");
  EXPECT_EQ(
      error(like_twice("dtype: i32\n"), files()).substr(0, 88),
      "tasks/twice_half/task.yaml:3:8: a variant's dtype must be a floating-point type, not i32");
  EXPECT_EQ(error(like_twice("gate: { l2: 0.1 }\n"), files()),
            "tasks/twice_half/task.yaml:3:9: unknown key 'l2' in gate 'relative' of a variant");
  EXPECT_EQ(error(like_twice("dtype: f16\n"), files(with(kTask, "mean: 0", "mean: 70000"))),
            "tasks/twice/task.yaml:15:35: mean must lie in -65504 to 65504, not 70000");
  EXPECT_EQ(error(like_twice(), files(with(kTask, "shape: [rows, n]\n    role: in",
                                           "shape: [rows, n - n]\n    role: in")))
                .substr(0, 27),
            "tasks/twice/task.yaml:12:19");
  TaskFiles broken = files();
  broken.texts["baselines/naive.cu"] = "// kw: lunch k\n";
  EXPECT_EQ(error(like_twice(), broken).substr(0, 36), "tasks/twice/baselines/naive.cu:1:8: ");
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
  EXPECT_EQ(errors_of(task), "tasks/twice/shapes.yaml: the task lacks this file");
  const auto missing = read_task_files(std::string(KW_SOURCE_DIR) + "/tasks/saxpi");
  EXPECT_NE(missing.error().what.find("did you mean 'saxpy'?"), std::string::npos);
  task = files();
  task.texts["reference.cpp"] = "// void reference() {}\nvoid reference(int n);\n";
  EXPECT_EQ(
      errors_of(task),
      "tasks/twice/reference.cpp:1:1: this file defines no function template named 'reference'");
}

struct Wrong {
  const char* from;
  const char* to;
  const char* error;  ///< what follows "tasks/twice/task.yaml:" in the message
};

TEST(LoadTask, NamesThePlaceOfWhatIsWrongInTheTask) {
  const Wrong cases[] = {
      {"family:", "famly:", "2:1: unknown key 'famly' in task.yaml (did you mean 'family'?)"},
      {"dtype: f32\n    shape: [rows, n]\n    role: in",
       "dtpye: f32\n    shape: [rows, n]\n    role: in",
       "11:5: unknown key 'dtpye' in tensor 'x' (did you mean 'dtype'?)\n"
       "tasks/twice/task.yaml:11:5: tensor 'x' lacks the key 'dtype'"},
      {"role: in\n", "role: inn\n",
       "13:11: role must be one of in, out, inout, not 'inn' (did you mean 'in'?)"},
      {"role: in\n", "role: [in]\n", "13:11: role must be one of in, out, inout, not a list"},
      {"  y:\n", "  x:\n", "16:3: duplicate key 'x'"},
      {"[rows, n]", "[rows, m]", "12:19: shape: unknown name 'm'"},
      {"\"n + pad\" }\ntensors", "\"n + pda\" }\ntensors",
       "8:33: ld: unknown name 'pda' (did you mean 'pad'?)"},
      {"pitch: \"n + pad\"", "pitch: \"n +\"",
       "14:16: pitch: expected a number, a name or '(', but the expression ends"},
      {"pitch: \"n + pad\"", "pitch: \"n - 1\"",
       "14:12: the pitch of 'x' is 3 elements, less than its row of 4 in workload 'small' with n=4 "
       "pad=1"},
      {"[rows, n]", "[\"n / pad\", n]",
       "12:13: shape 'n / pad': this expression divides by zero in workload 'prime' with n=7 "
       "pad=0"},
      {"[rows, n]", "[\"4 - n\", n]",
       "12:13: a size of the tensor 'x' is 0, below 1 in workload 'small' with n=4 pad=1"},
      {"[rows, n]", "[9000000000000000000, n]",
       "10:3: the tensor 'x' has more than 64 PiB in workload 'small' with n=4 pad=1"},
      {"[1, n]", "[1, \"n + 1\"]",
       "21:49: the range 1 to 5 is empty or leaves 0 to 4 of 'y' in workload 'small' with n=4 "
       "pad=1"},
      {"[\"n % 3\", all]", "[rows, all]", "21:16: index 12 lies outside 0 to 11 of 'y'"},
      {"[\"n % 3\", all]", "[all]",
       "21:15: the compared region has 1 ranges, and the tensor's shape has 2 dimensions"},
      {"dtype: f32\n    shape: [rows, n]\n    role: out",
       "dtype: f64\n    shape: [rows, n]\n    role: out",
       "16:3: 'y' is f64 and 'x' is f32, but the reference has one type Real only"},
      {"a: { dtype: f32, value: 0.1 }", "a: { dtype: f16, value: 0.1 }",
       "7:15: a scalar cannot have the type f16; use f32"},
      {"align: 128", "align: 96", "20:12: align must be a power of two of at most 4096, not 96"},
      {"signature: [n, a, x, y]", "signature: [n, a, x, z]",
       "22:22: the signature names 'z', which is no tensor or scalar\n"
       "tasks/twice/task.yaml:22:12: the signature lacks the tensor 'y'"},
      {"signature: [n, a, x, y]", "signature: [n, a, x, y, x]",
       "22:25: the signature names 'x' twice"},
      {"kind: relative", "kind: relativ",
       "23:15: gate must be one of exact, relative, dot, field, not 'relativ' (did you mean "
       "'relative'?)"},
      {"{ kind: relative, c: 4, scale: 1 }", "{ kind: dot, c: 4, k: n }",
       "23:15: gate 'dot' needs a function template 'magnitude' in reference.cpp"},
      {"name: twice", "name: while", "1:7: name 'while' is not a usable C identifier"},
      {"name: twice", "name: 2x", "1:7: name '2x' is not a usable C identifier"},
      {"dims: [n, pad]", "dims: [n, pad, min]",
       "3:16: dim 'min' is the name of a function of expressions, so it cannot be used"},
      {"value: 0.1", "value: one", "7:27: a must be a number, not 'one'"},
      {"value: 0.1", "value: 1e39", "7:27: the value a does not fit into the type f32"},
      {"kind: normal, mean: 0, std: 1", "kind: normal, mean: 0, std: -1",
       "15:43: std must lie in 0 to 1e+30, not -1"},
      {"kind: normal, mean: 0, std: 1", "kind: uniform, lo: 2, hi: 1",
       "15:13: the values' lo of 2 is above their hi of 1"},
      {"role: out", "role: in",
       "21:14: this tensor has role 'in'; only tensors of role out and inout can be compared"},
      {"goals: { roof: 0.9 }", "goals: { roof: 90 }",
       "27:16: the goal 'roof' is a fraction of the roofline, at most 1"},
      {"{ bytes: \"12 * n\"", "{ bytes: \"-12 * n\"",
       "25:19: the formula of the work gives -48, which is negative in workload 'small' with n=4 "
       "pad=1"},
      {"name: twice", "name: \x01", "1:7: the YAML file is not a text file"},
      {"name: twice", "name: &a twice", "1:7: YAML anchors (&name) are not supported"},
      {"name: twice", "name: *a", "1:7: the referenced anchor is not defined"},
      {"name: twice", "name: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]",
       "1:22: the YAML text is nested deeper than 16 levels"},
      {"name: twice", "name: \"twice", "4:15: end of map not found"},
  };
  for (const auto& [from, to, error] : cases) {
    const auto got = task_error(from, to);
    EXPECT_TRUE(got.starts_with(std::string("tasks/twice/task.yaml:") + error))
        << "wanted " << error << "\ngot    " << got;
  }
}

TEST(LoadTask, NamesThePlaceOfWhatIsWrongInTheShapes) {
  const Wrong cases[] = {
      {"name: prime", "name: small", "3:13: duplicate workload 'small'"},
      {"name: prime, n: 7", "name: prime", "3:5: workload lacks the key 'n'"},
      {"n: 4,", "n: 4.5,", "1:27: n must be an integer of 64 bits, not '4.5'"},
      {"n: 4,", "n: 99999999999999999999,", "1:27: n must be an integer of 64 bits"},
      {"for: [cpu]", "for: [gpu]",
       "5:43: target must be one of cpu, cuda, not 'gpu' (did you mean 'cpu'?)"},
      {"x: { kind", "y: { kind", "3:66: 'y' starts as poison, so it has no values"},
      {"x: { kind", "xs: { kind", "3:66: the task has no tensor named 'xs' (did you mean 'x'?)"},
      {"a: -0.5", "n: 3", "3:45: 'n' is a dim, not a scalar; set it beside the workload's name"},
      {"name: prime", "name: ../prime", "3:13: a workload's name has up to 64 letters"},
      {"check:", "chek:", "2:1: unknown key 'chek' in shapes.yaml (did you mean 'check'?)"},
  };
  for (const auto& [from, to, error] : cases) {
    const auto got = shapes_error(from, to);
    EXPECT_TRUE(got.starts_with(std::string("tasks/twice/shapes.yaml:") + error))
        << "wanted " << error << "\ngot    " << got;
  }
  EXPECT_EQ(
      shapes_error("n: 4096", "n: 4294967296"),
      "tasks/twice/task.yaml:6:3: the scalar 'n' is 4294967296, which does not fit into i32 in "
      "workload 'large' with n=4294967296 pad=0");
}

TEST(LoadTask, ShowsAtMostTwentyComplaints) {
  std::string task = kTask;
  for (int i = 0; i < 30; ++i) task += "wrong" + std::to_string(i) + ": 1\n";
  const auto text = errors_of(files(task));
  EXPECT_EQ(std::ranges::count(text, '\n'), 20);
  EXPECT_TRUE(text.ends_with("and 10 more")) << text;
}

TEST(LoadTask, RefusesOversizedFiles) {
  EXPECT_EQ(errors_of(files(std::string(2 << 20, ' '))),
            "tasks/twice/task.yaml:1:1: the YAML file has 2 MiB; at most 1 MiB are read");
}

TEST(LoadTask, HashChangesWithEveryFileThatDecides) {
  const auto hash = parse_task(files()).value().task.sha256;
  EXPECT_NE(hash, parse_task(files(with(kTask, "c: 4", "c: 5"))).value().task.sha256);
  EXPECT_NE(hash, parse_task(files(kTask, with(kShapes, "n: 7", "n: 8"))).value().task.sha256);
  EXPECT_EQ(hash, parse_task(files()).value().task.sha256);
}

}  // namespace
}  // namespace kw::task
