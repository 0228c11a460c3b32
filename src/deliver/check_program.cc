// Writes the C++ test programs of an export, which compare the kernel with the task's reference for
// each workload.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/check_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/foreign_text.h"
#include "base/text.h"
#include "deliver/isolate.h"
#include "deliver/parts.h"
#include "deliver/texts.h"
#include "record/coded_inputs.h"
#include "record/dtype.h"

namespace kw::deliver {
namespace {

/// The C++ type with which the test stores an element of this dtype.
std::string element(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
      return "float";
    case Dtype::F64:
      return "double";
    case Dtype::F16:
      return "check::F16";
    case Dtype::BF16:
      return "check::BF16";
    case Dtype::I32:
      return "int";
    default:
      return cpp_type(dtype);
  }
}

std::string list(const std::vector<std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const std::int64_t v : values) parts.push_back(std::to_string(v));
  return "{" + join(parts, ", ") + "}";
}

/// The body of a C++ lambda `[&](long long i)` that returns a random element i. Planted lines,
/// which some distributions add, are left out.
std::string draw_of(const Tensor& tensor) {
  const Values& v = tensor.values;
  const auto number = [&](const char* key, double standard) {
    const auto found = v.numbers.find(key);
    return fmt::format("{:.17g}", found == v.numbers.end() ? standard : found->second);
  };
  const std::string uniform =
      fmt::format("return check::uniform({}, {});", number("lo", 0), number("hi", 1));
  if (v.kind == "uniform")
    return is_real(tensor.dtype)
               ? uniform
               : fmt::format("return check::whole({}, {});", number("lo", 0), number("hi", 1));
  if (v.kind == "integers")
    return fmt::format("return check::whole({}, {});", number("lo", -8), number("hi", 8));
  if (v.kind == "ramp")
    return fmt::format("return {0} + ({1} - {0}) * double(i) / double({2});", number("lo", 0),
                       number("hi", 1), tensor.extent());
  if (v.kind == "ties") return fmt::format("return check::whole(0, {}) / 2;", number("levels", 4));
  if (v.kind == "mixed")
    return fmt::format("return (check::whole(0, 1) * 2 - 1) * std::exp2(check::uniform({}, {}));",
                       number("lo_exp", -8), number("hi_exp", 8));
  if (v.kind == "spikes")
    return fmt::format("return check::normal(0, {}) * (check::uniform(0, 1) < {} ? {} : 1.0);",
                       number("std", 1), number("share", 0.01), number("height", 100));
  if (v.kind == "constant") return fmt::format("return double({});", number("value", 0));
  if (v.kind == "zero" || v.kind == kCodedKind) return "return 0.0;";
  const std::int64_t row = tensor.sizes.empty() ? 1 : tensor.sizes.back();
  std::int64_t elements = 1;
  for (const std::int64_t size : tensor.sizes) elements *= size;
  if (v.kind == "offsets")
    return fmt::format("return std::floor(double({}) * double(i) / double({}));", v.count.front(),
                       std::max<std::int64_t>(elements - 1, 1));
  if (v.kind == "permutation")
    return fmt::format("return double({0} - 1 - i % {0});",
                       number("whole", 0) == "0" ? row : elements);
  if (v.kind == "one_hot")
    return fmt::format("return i % {0} == i / {0} * 7 % {0} ? 1.0 : 0.0;", row);
  if (v.kind == "sorted")
    return fmt::format("return {0} + ({1} - {0}) * double(i % {2}) / double({2});", number("lo", 0),
                       number("hi", 1), row);
  if (v.kind == "spd" || v.kind == "dominant" || v.kind == "triangular") {
    const bool is_upper = number("upper", 0) != "0";
    const std::string zero = v.kind != "triangular" ? ""
                             : is_upper             ? "if (c < r) return 0.0; "
                                                    : "if (c > r) return 0.0; ";
    return fmt::format(
        "const long long r = i / {0} % {0}, c = i % {0}; {1}return r == c ? double({0}) : {2};",
        row, zero,
        v.kind == "spd" ? "std::cos(double((r + 1) * (c + 1)))" : "check::uniform(-1, 1)");
  }
  if (v.kind == "points") {
    std::string text = "switch (i % " + std::to_string(v.origin.size()) + ") {";
    for (std::size_t axis = 0; axis < v.origin.size(); ++axis)
      text += fmt::format(" case {}: return {:.17g} + {:.17g} * check::uniform(0.05, {:.17g});",
                          axis, v.origin[axis], v.step[axis],
                          std::max(0.1, static_cast<double>(v.count[axis]) - 1.05));
    return text + " default: return 0.0; }";
  }
  return fmt::format("return check::normal({}, {});", number("mean", 0), number("std", 1));
}

std::string region_list(const Tensor& tensor) {
  std::vector<std::string> regions;
  for (const Region& region : tensor.compared) {
    std::vector<std::string> ranges;
    for (const Range& range : region.ranges)
      ranges.push_back(fmt::format("{{{}, {}}}", range.lo, range.hi));
    regions.push_back("{" + join(ranges, ", ") + "}");
  }
  return "{" + join(regions, ", ") + "}";
}

std::string gate_text(const Gate& gate, const Tensor& tensor, const Workload& workload) {
  const double u = unit_roundoff(tensor.dtype);
  const double u_sum = is_half(tensor.dtype) ? unit_roundoff(Dtype::F32) : u;
  return fmt::format(
      "{{\"{}\", {:.17g}, {:.17g}, {:.17g}, {:.17g}, {}, {:.17g}, {:.17g}, {:.17g}}}",
      kw::name_of(gate.kind), gate.c, gate.scale, gate.l2, gate.max,
      std::max<std::int64_t>(workload.dot_length, 1), u, u_sum,
      tensor.dtype == Dtype::F16 ? 0x1p-25 : 0.0);
}

/// The argument list of a call in C++: `spell` formats each tensor; a scalar is called `a_<name>`.
template <class Spell>
std::string arguments(const Task& task, const Spell& spell) {
  std::vector<std::string> parts;
  for (const Parameter& p : task.signature) parts.push_back(p.is_tensor ? spell(p) : "a_" + p.name);
  return join(parts, ", ");
}

std::string scalar_text(const Scalar& scalar) {
  if (is_real(scalar.dtype))
    return fmt::format("  const {0} a_{1} = static_cast<{0}>({2:.17g});\n", element(scalar.dtype),
                       scalar.name, scalar.real);
  return fmt::format("  const {} a_{} = {};\n", element(scalar.dtype), scalar.name, scalar.integer);
}

/// C++ statements that declare the scalars and arrays of a call and fill the arrays with random
/// values.
std::string inputs_text(const Delivery& d, const Workload& w) {
  std::string text;
  for (const Parameter& p : d.task().signature)
    if (const Scalar* scalar = w.scalar(p.name); scalar != nullptr && !p.is_tensor)
      text += scalar_text(*scalar);
  for (const Parameter& p : d.task().signature) {
    const Tensor* tensor = p.is_tensor ? w.tensor(p.name) : nullptr;
    if (tensor == nullptr) continue;
    text += fmt::format("  check::Array<{}> {}_({}, {});\n", element(tensor->dtype), p.name,
                        list(tensor->sizes), tensor->pitch);
    if (tensor->role != TensorRole::Out || tensor->initial == Initial::Values)
      text += fmt::format("  check::draw({}_, [&](long long i) -> double {{ (void)i; {} }});\n",
                          p.name, draw_of(*tensor));
  }
  if (!has_coded_inputs(w)) return text;
  const Task coded = coded_task(d.task());
  std::string given;
  for (const Parameter& p : coded.signature) {
    if (p.name == kSeedArgument) continue;
    given += p.is_tensor ? fmt::format(", static_cast<{}*>(static_cast<void*>({}_.data()))",
                                       row_of(p.dtype).c_type, p.name)
                         : ", a_" + p.name;
  }
  return text + fmt::format("  kw_init::init(check::random_bits()(){});\n", given);
}

/// The task's own code that computes inputs, in a namespace; empty for tasks that have none.
Result<std::string> coded_text(const Delivery& d) {
  if (d.definition.init.empty()) return "";
  const Isolated parts = KW_TRY(isolate(d.definition.init, task::CandidateHeader{}, "init"));
  return parts.includes + "#include <stdint.h>\n\nnamespace kw_init {\n" + parts.code +
         "}  // namespace kw_init\n";
}

/// C++ statements that call the kernel on a GPU: copy the arrays to the GPU, and the written ones
/// back.
std::string device_call(const Delivery& d) {
  const Task& task = d.task();
  std::string text;
  for (const Parameter& p : task.signature)
    if (p.is_tensor)
      text += fmt::format("  const gpu::Memory {0}_on({0}_.data(), {0}_.bytes());\n", p.name);
  const std::string given = arguments(task, [](const Parameter& p) {
    const std::string type = is_half(p.dtype) ? "void" : c_type({p.name, false, p.dtype, p.role});
    return fmt::format("{}_on.as<{}>()", p.name, type);
  });
  text += fmt::format(
      "  std::size_t bytes = 0;\n  int code = {0}_workspace({1}, &bytes);\n"
      "  const gpu::Memory workspace(bytes);\n"
      "  if (code == 0) code = {0}({1}, workspace.as<void>(), bytes, nullptr);\n"
      "  if (code != 0) return std::printf(\"  %s\\n\", {0}_error(code)), false;\n"
      "  if (gpu::driver().wait() != 0) return std::printf(\"  the kernel failed\\n\"), false;\n",
      d.name, given);
  for (const Parameter& p : task.signature)
    if (p.is_tensor && p.role != TensorRole::In)
      text += fmt::format("  {0}_on.read({0}_.data());\n", p.name);
  return text;
}

std::string call_text(const Delivery& d) {
  if (d.launches_by_plan()) return device_call(d);
  return fmt::format("  {}({});\n", d.name,
                     arguments(d.task(), [](const Parameter& p) { return p.name + "_.data()"; }));
}

/// C++ statements that copy the arrays for the reference, before the kernel overwrites them.
std::string truths_text(const Delivery& d) {
  std::string text;
  for (const Parameter& p : d.task().signature) {
    if (!p.is_tensor) continue;
    if (is_real(p.dtype))
      text += fmt::format("  check::Array<double> {0}_truth = check::as<double>({0}_);\n", p.name);
    else
      text += fmt::format("  check::Array<{1}> {0}_truth({0}_);\n", p.name, element(p.dtype));
    if (d.task().has_magnitude) text += fmt::format("  auto {0}_size({0}_truth);\n", p.name);
  }
  return text;
}

/// C++ statements that run the reference, compare the kernel's results with it, and set `is_right`.
std::string comparison_text(const Delivery& d, const Workload& w) {
  const Task& task = d.task();
  std::string text =
      fmt::format("  kw_reference::reference<double>({});\n",
                  arguments(task, [](const Parameter& p) { return p.name + "_truth.data()"; }));
  if (task.has_magnitude)
    text +=
        fmt::format("  kw_reference::magnitude<double>({});\n",
                    arguments(task, [](const Parameter& p) { return p.name + "_size.data()"; }));
  text += "  bool is_right = true;\n";
  for (const Parameter& p : task.signature) {
    const Tensor* tensor = p.is_tensor ? w.tensor(p.name) : nullptr;
    if (tensor == nullptr || tensor->compared.empty()) continue;
    const std::string wide =
        is_real(p.dtype) ? p.name + "_truth" : fmt::format("check::as<double>({}_truth)", p.name);
    text += fmt::format(
        "  for (const check::Region& region : std::vector<check::Region>{0})\n"
        "    is_right = check::compare(\"{1}\", {1}_, {2}, {3}, region, {4}) && is_right;\n",
        region_list(*tensor), p.name, wide,
        task.has_magnitude && is_real(p.dtype) ? "&" + p.name + "_size" : "nullptr",
        gate_text(task.gate, *tensor, w));
  }
  return text;
}

std::string function_of(const Delivery& d, const Workload& w, std::size_t number) {
  return fmt::format("bool check_{}() {{  // {}\n{}{}{}{}  return is_right;\n}}\n\n", number,
                     sanitise_line(w.name, 60), inputs_text(d, w), truths_text(d), call_text(d),
                     comparison_text(d, w));
}

/// C++ statements that copy a call's tensors from a list of pointers to the call's arrays, or back
/// (`is_out`). The pointers are in the signature's order.
std::string transfer_text(const Task& task, const char* pointers, bool is_out) {
  std::string text;
  int i = 0;
  for (const Parameter& p : task.signature) {
    if (!p.is_tensor) continue;
    text += is_out ? fmt::format("  std::memcpy({}[{}], {}_.data(), {}_.bytes());\n", pointers, i,
                                 p.name, p.name)
                   : fmt::format(
                         "  std::memcpy(static_cast<void*>({}_.data()), {}[{}], {}_.bytes());\n",
                         p.name, pointers, i, p.name);
    ++i;
  }
  return text;
}

}  // namespace

Result<std::string> reference_text(const Delivery& d) {
  task::CandidateHeader plain;
  const Isolated parts = KW_TRY(isolate(d.definition.reference, plain, "reference"));
  return parts.includes + "#include <stdint.h>\n\nnamespace kw_reference {\n" + parts.code +
         "}  // namespace kw_reference\n";
}

Result<std::string> check_program(const Delivery& d) {
  std::string text = fmt::format(
      "// Compares {} with the float64 reference of its task, within the task's gate.\n"
      "// usage: test [SEED]\n",
      d.name);
  text += KW_TRY(reference_text(d)) + "\n" + KW_TRY(coded_text(d)) +
          std::string(embedded_text("check.in")) + "\n";
  if (d.launches_by_plan()) text += std::string(embedded_text("device.in")) + "\n";
  text += fmt::format("#include \"{}.h\"\n\nnamespace {{\n\n", d.name);
  std::string calls;
  for (std::size_t i = 0; i < d.workloads.size(); ++i) {
    text += function_of(d, d.workloads[i], i + 1);
    calls += fmt::format("      {{{}, check_{}}},\n", quoted(d.workloads[i].name, 60), i + 1);
  }
  text += "}  // namespace\n\nint main(int count, char** words) {\n";
  if (d.launches_by_plan())
    text += "  if (!gpu::driver().is_there) return std::printf(\"no GPU here\\n\"), 77;\n";
  return text +
         fmt::format(
             "  check::random_bits().seed(count > 1 ? std::strtoull(words[1], nullptr, 10) : "
             "1);\n"
             "  const struct {{\n    const char* name;\n    bool (*check)();\n  }} kChecks[] = "
             "{{\n{}  }};\n  int wrong = 0;\n  for (const auto& one : kChecks) {{\n"
             "    const bool is_right = one.check();\n    std::printf(\"%-20s %s\\n\", "
             "one.name, is_right ? \"right\" : \"WRONG\");\n    wrong += is_right ? 0 : 1;\n"
             "  }}\n  return wrong == 0 ? 0 : 1;\n}}\n",
             calls);
}

Result<std::string> check_library(const Delivery& d) {
  std::string text = fmt::format(
      "// Inputs for {} and the comparison with the float64 reference of its task.\n{}\n{}{}\n",
      d.name, KW_TRY(reference_text(d)), KW_TRY(coded_text(d)), embedded_text("check.in"));
  for (std::size_t i = 0; i < d.workloads.size(); ++i) {
    const Workload& w = d.workloads[i];
    text += fmt::format(
        "extern \"C\" void draw_{0}(void* const* tensors) {{  // {1}\n{2}{3}}}\n\n"
        "extern \"C\" int check_{0}(void* const* before, void* const* after) {{\n{2}{4}{5}{6}{7}"
        "  return is_right ? 1 : 0;\n}}\n\n",
        i + 1, sanitise_line(w.name, 60), inputs_text(d, w),
        transfer_text(d.task(), "tensors", true), transfer_text(d.task(), "before", false),
        truths_text(d), transfer_text(d.task(), "after", false), comparison_text(d, w));
  }
  return text;
}

Result<std::string> example_program(const Delivery& d) {
  std::string text = fmt::format("// Calls {} once, on random values.\n", d.name);
  text += KW_TRY(coded_text(d));
  text += std::string(embedded_text("check.in")) + "\n";
  if (d.launches_by_plan()) text += std::string(embedded_text("device.in")) + "\n";
  const auto smallest =
      std::ranges::min_element(d.workloads, {}, [](const Workload& w) { return w.bytes(); });
  text += fmt::format("#include \"{}.h\"\n\nnamespace {{\n\nbool run() {{\n{}{}", d.name,
                      inputs_text(d, *smallest), call_text(d));
  for (const Parameter& p : d.task().signature)
    if (p.is_tensor && p.role != TensorRole::In)
      text += fmt::format(
          "  std::printf(\"{0}[0] = %g\\n\", static_cast<double>({0}_.data()[0]));\n", p.name);
  text += "  return true;\n}\n\n}  // namespace\n\nint main() {\n";
  if (d.launches_by_plan())
    text += "  if (!gpu::driver().is_there) return std::printf(\"no GPU here\\n\"), 77;\n";
  return text + "  return run() ? 0 : 1;\n}\n";
}

}  // namespace kw::deliver
