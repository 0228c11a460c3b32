// Generates declarations and trampolines from the signature of a task's function.
// SPDX-License-Identifier: Apache-2.0
#include "task/units.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_order_mark.h"
#include "base/hash.h"
#include "base/letter_case.h"
#include "record/coded_inputs.h"
#include "record/target.h"
#include "task/load.h"
#include "task/long_truth.h"
#include "task/plan_resolve.h"

namespace kw::task {
namespace {

/// Lines appended to a source that fail to compile unless every knob still has the value that was
/// set. A header that defines a macro with a knob's name would give the same code for all values of
/// the knob.
std::string check_of_knobs(const std::vector<std::string>& defines) {
  if (defines.empty()) return {};
  std::string text =
      "\n\n#define KW_TEXT_OF_(macro) #macro\n#define KW_TEXT_OF(macro) KW_TEXT_OF_(macro)\n"
      "static constexpr bool kw_is_same_text(const char* a, const char* b) {\n"
      "  return *a == *b && (*a == 0 || kw_is_same_text(a + 1, b + 1));\n}\n";
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    const std::string name = define.substr(0, equals), value = define.substr(equals + 1);
    text += fmt::format(
        "static_assert(kw_is_same_text(KW_TEXT_OF({0}), \"{1}\"), \"the knob {0} is not {1} at the "
        "end of the source: a header defines a macro of that name; give the knob another\");\n",
        name, value);
  }
  return text;
}

/// The C type of one element; if `real` is not empty, it replaces the floating-point types.
std::string_view type_of(Dtype dtype, std::string_view real = {}) {
  if (is_real(dtype) && !real.empty()) return real;
  return row_of(dtype).c_type;
}

/// The source of the exported function kw_entry, which unpacks the arguments and calls `callee`.
std::string trampoline(const Task& task, std::string_view callee, std::string_view real = {}) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < task.signature.size(); ++i)
    arguments.push_back(fmt::format("\n      *static_cast<{}*>(args[{}])",
                                    argument_type(task.signature[i], real), i));
  return fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) void kw_entry(void* const* args) {{\n"
      "  {}({});\n}}\n",
      callee, join(arguments, ","));
}

/// The source of the exported function kw_entry for a host launcher.
std::string host_trampoline(const Task& task, const CandidateHeader& header) {
  std::vector<std::string> types;
  for (const auto& parameter : task.signature) types.push_back(argument_type(parameter));
  types.resize(types.size() + workspace_names(header).size(), "void*");
  types.emplace_back("cudaStream_t");
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < types.size(); ++i)
    arguments.push_back(fmt::format("\n      *static_cast<{}*>(args[{}])", types[i], i));
  return fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) int kw_entry(void* const* args) {{\n"
      "  return {}({});\n}}\n",
      task.function, join(arguments, ","));
}

/// The dtype of all real tensors of the task; f64 if the task has none.
Dtype real_dtype(const Task& task) {
  for (const auto& parameter : task.signature)
    if (parameter.is_tensor && is_real(parameter.dtype)) return parameter.dtype;
  return Dtype::F64;
}

/// Macros with the task's real type, for sources that serve several types.
std::string real_macros(const Task& task) {
  const Dtype dtype = real_dtype(task);
  const std::string name = upper_case(kw::name_of(dtype));
  return fmt::format("#define KW_REAL {}\n#define KW_REAL_{}\n", type_of(dtype), name);
}

/// The task's real type in C.
std::string_view native_real(const Task& task) { return type_of(real_dtype(task)); }

/// A build unit of the task's own code. `entry` is appended to it, so that line numbers stay those
/// of the author's file.
BuildUnit own_unit(std::string_view role, std::string_view file, std::string_view text,
                   const std::string& entry) {
  BuildUnit unit;
  unit.role = role;
  unit.main_file = file;
  unit.files.push_back({unit.main_file, fmt::format("{}\n#include <stdint.h>\n{}", text, entry)});
  return unit;
}

BuildUnit reference_unit(const Definition& definition, std::string_view role,
                         const std::string& entry) {
  return own_unit(role, "reference.cpp", definition.reference, entry);
}

/// The source of the function kw_entry that computes inputs from a seed.
std::string coded_entry(const Task& task) {
  return "template <class... Arguments>\n"
         "static void kw_init(const uint64_t* seed, Arguments... arguments) {\n"
         "  init(*seed, arguments...);\n}\n" +
         trampoline(coded_task(task), "kw_init");
}

/// The source of the function kw_entry that computes the truth of the task's outputs.
std::string truth_entry(const Task& task) {
  if (!has_long_truth(task)) return trampoline(task, "reference<double>", "double");
  return long_truth_text(task) + trampoline(with_extents(task), kLongTruth, "double");
}

}  // namespace

std::string argument_type(const Parameter& parameter, std::string_view real) {
  const auto element = type_of(parameter.dtype, real);
  if (!parameter.is_tensor) return std::string(element);
  return fmt::format("{}{}*", parameter.role == TensorRole::In ? "const " : "", element);
}

std::vector<std::string> workspace_names(const CandidateHeader& header) {
  std::vector<std::string> names;
  for (const PlanNode& node : header.plan)
    if (const auto* workspace = std::get_if<WorkspaceNode>(&node.what))
      names.push_back(workspace->name);
  return names;
}

std::string parameter_list(const Task& task, std::string_view real) {
  std::vector<std::string> parts;
  for (const auto& parameter : task.signature)
    parts.push_back(fmt::format("{} {}", argument_type(parameter, real), parameter.name));
  return join(parts, ", ");
}

std::string interface_text(const Task& task) {
  const auto uses = [&](const auto& is_wanted) {
    return std::ranges::any_of(task.signature, is_wanted, &Parameter::dtype);
  };
  std::string headers;
  if (uses([](Dtype dtype) { return dtype == Dtype::Bool; })) headers += "#include <stdbool.h>\n";
  if (uses([](Dtype dtype) { return row_of(dtype).c_type.ends_with("_t"); }))
    headers += "#include <stdint.h>\n";
  return fmt::format(
      "// What a candidate of the task {} defines.\n#pragma once\n{}\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\nvoid {}({});\n",
      task.name, headers, task.function, parameter_list(task));
}

std::string device_interface_text(const Task& task) {
  std::string text = fmt::format(
      "// What device code for the task {} finds there: its plan can pass\n//   {}\n"
      "#pragma once\n{}",
      task.name, parameter_list(task), real_macros(task));
  // The definitions equal those of libcu++ under NVRTC, so that a source may include its headers
  // later without conflict.
  return text + R"(#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef uint64_t uintptr_t;
typedef struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
} CUtensorMap;
#if __CUDA_ARCH__ >= 900
// Templates, so that the functions of cuda_device_runtime_api.h go before them where it is included.
template <int = 0>
__device__ __forceinline__ void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
template <int = 0>
__device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" :::);
}
#endif
#else
#include <cuda.h>
#include <stdint.h>
#endif
)";
}

std::string host_interface_text(const Task& task, const CandidateHeader& header) {
  std::string parameters = parameter_list(task);
  for (const std::string& name : workspace_names(header)) parameters += ", void* " + name;
  return fmt::format(
      "// What a host launcher for the task {} defines. It answers 0 once all is queued on the\n"
      "// stream, or a number of its own for what went wrong.\n"
      "#pragma once\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
      "#include <cuda_runtime_api.h>\n#include <stdint.h>\n\n{}\n"
      "#ifdef __cplusplus\nextern \"C\"\n#endif\nint {}({}, cudaStream_t stream);\n",
      task.name, real_macros(task), task.function, parameters);
}

namespace {

void add_function(BuildUnit& unit, const Task& task, const CandidateHeader&,
                  const std::string& text) {
  unit.files = {{"iface.h", interface_text(task)},
                {unit.main_file, text},
                {"trampoline.cpp", trampoline(task, task.function)}};
}

void add_device_code(BuildUnit& unit, const Task& task, const CandidateHeader& header,
                     const std::string& text) {
  unit.files = {{"iface.h", device_interface_text(task)}, {unit.main_file, text}};
  if (dialect_of(header).trust_class == TrustClass::HostLauncher)
    unit.files = {{"iface.h", host_interface_text(task, header)},
                  {unit.main_file, text},
                  {"trampoline.cpp", host_trampoline(task, header)}};
}

}  // namespace

ByTarget<SourceForm>& source_forms() {
  static ByTarget<SourceForm> forms{
      {Target::Cpu, {interface_text, add_function}},
      {Target::Cuda,
       {[](const Task& task) { return parameter_list(task) + "\n"; }, add_device_code}},
  };
  return forms;
}

std::expected<BuildUnit, Diagnostics> candidate_unit(const Task& task, const Candidate& candidate,
                                                     std::string_view role, std::string_view arch) {
  const TargetRow& target = row_of(candidate.target);
  const std::string file = candidate.name + std::string(source_suffix(candidate.target));
  const auto header = parse_header(candidate);
  if (!header) return std::unexpected(header.error());
  if (!header->is_valid(candidate.knobs)) {
    Finding finding;
    finding.kind = FindingKind::Diagnostic;
    finding.text = "the given knob values are not among those that the kernel allows";
    finding.place = candidate.name;
    finding.about = "knobs";
    return std::unexpected(Diagnostics{finding});
  }
  BuildUnit unit;
  unit.role = role;
  unit.target = candidate.target;
  unit.defines = header->defines(candidate.knobs);
  const std::string text =
      std::string(without_byte_order_mark(candidate.source)) + check_of_knobs(unit.defines);
  if (target.launches_by_plan) {
    auto kernels = kernel_names(*header, candidate.source, file, candidate.knobs, arch);
    if (!kernels) return std::unexpected(std::move(kernels.error()));
    unit.kernels = std::move(*kernels);
  }
  if (target.needs_arch) unit.arch = arch;
  unit.dialect = header->dialect;
  unit.main_file = "candidate" + std::string(dialect_of(*header).source_suffix);
  source_forms()[candidate.target].add_files(unit, task, *header, text);
  unit.options = candidate.options;
  unit.libraries = candidate.libraries;
  return unit;
}

std::vector<BuildUnit> reference_units(const Definition& definition) {
  const Task& task = definition.task;
  std::vector<BuildUnit> units = {reference_unit(definition, "reference_f64", truth_entry(task))};
  // In the native build each scalar keeps the dtype that the task gives it.
  if (!is_half(real_dtype(task)))
    units.push_back(
        reference_unit(definition, "reference_native",
                       trampoline(task, fmt::format("reference<{}>", native_real(task)))));
  if (task.has_magnitude)
    units.push_back(reference_unit(definition, "magnitude_f64",
                                   trampoline(task, "magnitude<double>", "double")));
  if (!definition.init.empty())
    units.push_back(
        own_unit(kCodedRole, kInitFile,
                 fmt::format("#include <stdint.h>\n#line 1 \"{}\"\n{}", kInitFile, definition.init),
                 coded_entry(task)));
  return units;
}

std::string call_of_reference(const Task& task) {
  std::vector<std::string> names;
  for (const auto& parameter : task.signature) names.push_back(parameter.name);
  return fmt::format(
      "#include <stdint.h>\n\nextern \"C\" void {}({}) {{\n  reference<{}>({});\n}}\n",
      task.function, parameter_list(task), native_real(task), join(names, ", "));
}

Candidate reference_candidate(const Definition& definition) {
  Candidate candidate;
  candidate.name = "reference";
  candidate.origin = Origin::Reference;
  candidate.source = definition.reference + "\n" + call_of_reference(definition.task);
  candidate.sha256 = sha256(candidate.source).hex();
  return candidate;
}

}  // namespace kw::task
