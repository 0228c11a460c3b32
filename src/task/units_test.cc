// Tests of generated declarations, trampolines and build units.
// SPDX-License-Identifier: Apache-2.0
#include "task/units.h"

#include <gtest/gtest.h>

#include "task/load.h"
#include "task/plan_for_test.h"

namespace kw::task {
namespace {

Definition load(const char* name) {
  auto definition = load_task(std::string(KW_SOURCE_DIR) + "/tasks/" + name);
  EXPECT_TRUE(definition.has_value()) << describe(definition.error());
  return std::move(*definition);
}

TEST(Units, DeclaresTheFunction) {
  const auto text = interface_text(load("saxpy").task);
  EXPECT_NE(text.find("void saxpy(int n, float a, const float* x, float* y);"), std::string::npos);
  Task bytes;
  bytes.function = "f";
  bytes.signature = {{"x", true, Dtype::U8, TensorRole::InOut},
                     {"n", false, Dtype::I64, TensorRole::In}};
  const auto fixed = interface_text(bytes);
  EXPECT_NE(fixed.find("#include <stdint.h>"), std::string::npos);
  EXPECT_NE(fixed.find("void f(uint8_t* x, int64_t n);"), std::string::npos);
}

TEST(Units, KeepTheCandidateAsWritten) {
  const auto definition = load("saxpy");
  const auto candidate =
      make_candidate("mine", "// kw: tune B = 8, 16\nint x;\n", Origin::Human, {});
  const auto unit = candidate_unit(definition.task, candidate.value(), "opponent").value();
  EXPECT_EQ(unit.role, "opponent");
  ASSERT_EQ(unit.files.size(), 3u);
  EXPECT_EQ(unit.files[0].name, "iface.h");
  EXPECT_EQ(unit.files[1].name, unit.main_file);
  EXPECT_TRUE(unit.files[1].text.starts_with(candidate->source));
  EXPECT_NE(unit.files[1].text.find("the knob B is not 8"), std::string::npos) << "behind it";
  EXPECT_EQ(unit.defines, (std::vector<std::string>{"B=8"}));
  const auto& entry = unit.files[2].text;
  EXPECT_NE(entry.find("*static_cast<float*>(args[1])"), std::string::npos);
  EXPECT_NE(entry.find("*static_cast<const float**>(args[2])"), std::string::npos);
  EXPECT_NE(entry.find("visibility(\"default\")"), std::string::npos);

  auto wrong = *candidate;
  wrong.knobs = {{"B", 9}};
  EXPECT_FALSE(candidate_unit(definition.task, wrong).has_value());
}

TEST(Units, ReferenceComesAtBothTypes) {
  const auto saxpy = reference_units(load("saxpy"));
  ASSERT_EQ(saxpy.size(), 2u);
  EXPECT_NE(saxpy[0].files[0].text.find("reference<double>("), std::string::npos);
  EXPECT_NE(saxpy[0].files[0].text.find("*static_cast<double*>(args[1])"), std::string::npos);
  EXPECT_NE(saxpy[1].files[0].text.find("reference<float>("), std::string::npos);
  EXPECT_TRUE(saxpy[1].files[0].text.starts_with("// The truth of saxpy"));
  const auto matmul = reference_units(load("matmul_padded"));
  ASSERT_EQ(matmul.size(), 3u);
  EXPECT_EQ(matmul[2].role, "magnitude_f64");
}

TEST(Units, ATypeOfTwoBytesHasATruthAndNoSequentialForm) {
  auto definition = load("matmul_padded");
  for (Parameter& p : definition.task.signature)
    if (p.is_tensor) p.dtype = Dtype::BF16;
  const auto units = reference_units(definition);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].role, "reference_f64");
  EXPECT_EQ(units[1].role, "magnitude_f64");
  const std::string interface = device_interface_text(definition.task);
  EXPECT_NE(interface.find("const __nv_bfloat16* a, int lda"), std::string::npos);
  EXPECT_NE(interface.find("#define KW_REAL __nv_bfloat16\n#define KW_REAL_BF16\n"),
            std::string::npos);
}

TEST(Units, CodeThatComputesInputsGetsTheSeedFirst) {
  auto definition = load("saxpy");
  definition.init = "void init(uint64_t seed, int n, float a, float* x, float* y) {}";
  const auto units = reference_units(definition);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[2].role, "init");
  EXPECT_EQ(units[2].main_file, "init.cpp");
  const std::string& text = units[2].files[0].text;
  EXPECT_TRUE(text.starts_with("#include <stdint.h>\n#line 1 \"init.cpp\"\n" + definition.init));
  EXPECT_NE(text.find("*static_cast<const uint64_t**>(args[0])"), std::string::npos) << text;
  EXPECT_NE(text.find("*static_cast<float**>(args["), std::string::npos) << text;
  EXPECT_EQ(text.find("const float"), std::string::npos) << text;
}

TEST(Units, ReferenceIsAlsoABaseline) {
  const auto definition = load("saxpy");
  const auto candidate = reference_candidate(definition);
  EXPECT_NE(
      candidate.source.find("extern \"C\" void saxpy(int n, float a, const float* x, float* y) {\n"
                            "  reference<float>(n, a, x, y);"),
      std::string::npos);
  EXPECT_TRUE(candidate_unit(definition.task, candidate).has_value());
}

TEST(Units, AByteOrderMarkIsNoPartOfTheProgram) {
  const auto definition = load("saxpy");
  const std::string source = "void saxpy(int, float, const float*, float*) {}\n";
  auto candidate = make_candidate("mine", "\xEF\xBB\xBF" + source, Origin::Human,
                                  definition.task.restrictions, Target::Cpu);
  ASSERT_TRUE(candidate.has_value());
  EXPECT_EQ(candidate_unit(definition.task, *candidate).value().files[1].text, source);
}

TEST(Units, DeviceCodeBecomesACubin) {
  const auto definition = load("saxpy");
  const std::string source =
      "// kw: tune B = 8, 16\n// kw: dialect cute\n// kw: option fast_math\n"
      "// kw: launch k<B> grid(n) block(B) args(n, a, x, y)\n"
      "template <int N> __global__ void k(int n, float a, const float* x, float* y) {}\n";
  const auto candidate =
      make_candidate("mine", source, Origin::Human, definition.task.restrictions, Target::Cuda);
  const auto unit = candidate_unit(definition.task, candidate.value(), "opponent", "sm_80").value();
  EXPECT_EQ(unit.target, Target::Cuda);
  EXPECT_EQ(unit.arch, "sm_80");
  EXPECT_EQ(unit.dialect, "cute");
  EXPECT_EQ(unit.kernels, (std::vector<std::string>{"k<8>"}));
  EXPECT_EQ(unit.defines, (std::vector<std::string>{"B=8"}));
  EXPECT_EQ(unit.options, (std::vector<std::string>{"fast_math"}));
  ASSERT_EQ(unit.files.size(), 2u);
  EXPECT_EQ(unit.files[1].name, "candidate.cu");
  EXPECT_EQ(unit.main_file, "candidate.cu");
  EXPECT_TRUE(unit.files[1].text.starts_with(source)) << "what checks the knobs stands behind";
  EXPECT_NE(unit.files[1].text.find("the knob B is not 8"), std::string::npos);
  EXPECT_NE(unit.files[0].text.find("int n, float a, const float* x, float* y"), std::string::npos);
  EXPECT_NE(unit.files[0].text.find("unsigned long long uint64_t"), std::string::npos);

  const auto header = parse_header(*candidate).value();
  auto pinned = *candidate;
  pinned.source = pin_knobs(source, header, {{"B", 16}});
  pinned.knobs = {{"B", 16}};
  EXPECT_EQ(candidate_unit(definition.task, pinned)->kernels, (std::vector<std::string>{"k<16>"}));
}

TEST(Units, AHostLauncherGetsWorkspacesAndAStream) {
  const auto definition = load("saxpy");
  const auto launcher = make_candidate(
      "lib", "// kw: dialect host\n// kw: let BYTES = 64\n// kw: workspace w u8 [BYTES]\n",
      Origin::Baseline, {}, Target::Cuda);
  ASSERT_TRUE(launcher.has_value()) << to_text(launcher.error());
  const auto unit = candidate_unit(definition.task, *launcher, "opponent", "sm_90a").value();
  EXPECT_EQ(unit.dialect, "host");
  EXPECT_TRUE(unit.kernels.empty());
  EXPECT_EQ(unit.defines, (std::vector<std::string>{"BYTES=64"}));
  ASSERT_EQ(unit.files.size(), 3u);
  EXPECT_NE(unit.files[0].text.find("int saxpy(int n, float a, const float* x, float* y, void* w, "
                                    "cudaStream_t stream);"),
            std::string::npos);
  EXPECT_NE(unit.files[2].text.find("*static_cast<void**>(args[4]),\n      "
                                    "*static_cast<cudaStream_t*>(args[5])"),
            std::string::npos);
  EXPECT_NE(unit.files[2].text.find("int kw_entry("), std::string::npos);

  const auto resolved = resolve(definition, Target::Cuda, std::int64_t{1} << 40).value();
  const auto plans =
      candidate_plans(definition, *launcher, "opponent", resolved.workloads, test::h200());
  ASSERT_TRUE(plans.has_value()) << plans.error().finding.text;
  ASSERT_EQ(plans->size(), resolved.workloads.size());
  const Plan& plan = plans->front().plan;
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, StepKind::Call);
  ASSERT_EQ(plan.steps[0].arguments.size(), 5u);
  EXPECT_EQ(plan.steps[0].arguments[0].bytes, 4);
  EXPECT_EQ(plan.steps[0].arguments[2].place.memory, PlanMemory::Tensor);
  EXPECT_EQ(plan.steps[0].arguments[4].place.memory, PlanMemory::Workspace);
  EXPECT_EQ(plan.workspaces.at(0).bytes, 64);

  const auto truth =
      candidate_plans(definition, *launcher, "reference_fast", resolved.workloads, test::h200());
  ASSERT_FALSE(truth.has_value());
  EXPECT_EQ(truth.error().finding.about, "host launcher");
}

}  // namespace
}  // namespace kw::task
