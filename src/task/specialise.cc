// Writes several copies of a kernel into one source, and the code that selects one by the sizes.
// SPDX-License-Identifier: Apache-2.0
#include "task/specialise.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "record/target.h"
#include "task/header.h"
#include "task/plan_text.h"
#include "task/source_parts.h"
#include "task/units.h"

namespace kw::task {
namespace {

/// A step of the launch plan with macros replaced by numbers. The first word of a step, and a word
/// before a bracket (an attribute or a function), are never macros.
std::string with_macros(std::string_view step, const std::map<std::string, std::string>& macros) {
  std::string out;
  for (std::size_t at = 0; at < step.size();) {
    const auto word = leading_word(step.substr(at));
    if (word.empty()) {
      out += step[at++];
      continue;
    }
    const auto known = macros.find(std::string(word));
    at += word.size();
    const bool is_other = out.empty() || trim(step.substr(at)).starts_with('(');
    if (known == macros.end() || is_other)
      out += word;
    else
      out += known->second.starts_with('-') ? "(" + known->second + ")" : known->second;
  }
  return out;
}

/// Replaces `extern "C"` by `extern "C++"`, so that a kernel belongs to its copy's namespace like
/// any other function.
std::string in_cpp_linkage(std::string_view code) {
  std::string out;
  constexpr std::string_view kExtern = "extern", kC = "\"C\"";
  while (!code.empty()) {
    const auto found = code.find(kExtern);
    const auto end = found == std::string_view::npos ? code.size() : found + kExtern.size();
    out += code.substr(0, end);
    code.remove_prefix(end);
    const auto blanks = std::min(code.find_first_not_of(" \t"), code.size());
    if (found == std::string_view::npos || !code.substr(blanks).starts_with(kC)) continue;
    out += " \"C++\"";
    code.remove_prefix(blanks + kC.size());
  }
  return out;
}

/// The launch directive with the kernel's name qualified by the namespace `space`, and likewise the
/// names of the code's own types in quoted template arguments.
std::string launch_in(std::string_view launch, std::string_view space, std::string_view code) {
  constexpr std::string_view kLaunch = "launch ";
  std::string out = fmt::format("{}{}::", kLaunch, space);
  bool is_quoted = false;
  for (std::size_t at = kLaunch.size(); at < launch.size();) {
    const auto word = leading_word(launch.substr(at));
    const auto is_declared = [&](const char* how) {
      return code.find(fmt::format("{} {}", how, word)) != std::string_view::npos;
    };
    if (is_quoted && !word.empty() && !out.ends_with(':') &&
        (is_declared("struct") || is_declared("class") || is_declared("enum") ||
         is_declared("using")))
      out += fmt::format("{}::", space);
    out += word.empty() ? launch.substr(at, 1) : word;
    is_quoted = is_quoted != (word.empty() && launch[at] == '"');
    at += std::max<std::size_t>(word.size(), 1);
  }
  return out;
}

/// One copy of the kernel, for one shape or for all other shapes.
struct Copy {
  std::string space;  ///< The copy's namespace.
  /// Values of knobs, of macros derived from knobs, and of the shape's sizes.
  std::map<std::string, std::string> macros;
  /// The shape for which the copy is built; null: the copy serves all other shapes.
  const Arm* arm = nullptr;
};

std::map<std::string, std::string> macros_at(const CandidateHeader& header,
                                             const KnobPoint& point) {
  std::map<std::string, std::string> macros;
  for (const std::string& define : header.defines(point)) {
    const auto equals = define.find('=');
    macros[define.substr(0, equals)] = define.substr(equals + 1);
  }
  return macros;
}

/// The text of a copy. `function`, which has C linkage, gets another name in each copy, because
/// names with C linkage ignore namespaces; empty: nothing is renamed.
std::string text_of(const Copy& copy, const SourceParts& parts, const std::string& function) {
  std::string text = fmt::format("\nnamespace {} {{  // {}\n", copy.space,
                                 copy.arm == nullptr ? "all other shapes" : copy.arm->workload);
  std::string after = "\n";
  for (const std::string& name : parts.macros)
    after += fmt::format("#ifndef KW_HAD_{0}\n#undef {0}\n#endif\n", name);
  const auto define = [&](const std::string& name, const std::string& value) {
    text += fmt::format("#undef {0}\n#define {0} {1}\n", name, value);
    after += fmt::format("#undef {}\n", name);
  };
  for (const auto& [name, value] : copy.macros) define(name, value);
  if (!function.empty()) define(function, copy.space + "_" + function);
  return text + parts.code + after + "}\n";
}

/// The includes, and lines that record which of the code's macros the includes have defined: the
/// copies must not undefine those.
std::string text_before(const SourceParts& parts) {
  std::string text = parts.includes;
  for (const std::string& name : parts.macros)
    text += fmt::format("#ifdef {0}\n#define KW_HAD_{0}\n#endif\n", name);
  return text;
}

std::string plan_of(const Copy& copy, const SourceParts& parts) {
  std::string text;
  for (const std::string& step : parts.plan) {
    std::string line = with_macros(step, copy.macros);
    if (line.starts_with("launch ")) line = launch_in(line, copy.space, parts.code);
    text += "// kw:   " + line + "\n";
  }
  return text;
}

std::string condition_of(const Arm& arm) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : arm.sizes) parts.push_back(fmt::format("{} == {}", name, value));
  return join(parts, " && ");
}

std::string dispatching_plan(const std::vector<Copy>& copies, const SourceParts& parts) {
  std::string text;
  for (const Copy& copy : copies) {
    if (copy.arm != nullptr)
      text +=
          fmt::format("// kw: {}when {}\n", text.empty() ? "" : "else ", condition_of(*copy.arm));
    else
      text += "// kw: else\n";
    text += plan_of(copy, parts);
  }
  return text + "// kw: end\n";
}

std::string dispatching_function(const Task& task, const std::vector<Copy>& copies) {
  std::string text = fmt::format("\nvoid {}({}) {{\n", task.function, parameter_list(task));
  for (const Copy& copy : copies) {
    std::vector<std::string> arguments;
    for (const Parameter& parameter : task.signature) {
      const bool is_known = copy.arm != nullptr && copy.arm->sizes.contains(parameter.name);
      arguments.push_back(is_known ? fmt::format("{}", copy.arm->sizes.at(parameter.name))
                                   : parameter.name);
    }
    if (copy.arm != nullptr) text += fmt::format("  if ({})\n  ", condition_of(*copy.arm));
    text += fmt::format("  return {0}::{0}_{1}({2});\n", copy.space, task.function,
                        join(arguments, ", "));
  }
  return text + "}\n";
}

/// The directives that apply to the whole specialised file.
std::string head_of(const Task& task, const CandidateHeader& header, std::size_t arms) {
  std::string text = fmt::format(
      "// {}: a build of its own for {} of its shapes, and one for all others.\n", task.name, arms);
  if (header.dialect != plain_dialect(header.target).name)
    text += "// kw: dialect " + header.dialect + "\n";
  if (!header.options.empty()) text += "// kw: option " + join(header.options, ", ") + "\n";
  if (!header.libraries.empty()) text += "// kw: library " + join(header.libraries, ", ") + "\n";
  std::vector<std::string> techniques = header.techniques;
  techniques.insert(techniques.begin(), "specialised");
  return text + "// kw: technique " + join(techniques, ", ") + "\n";
}

Result<> check_arms(const CandidateHeader& header, const Candidate& kernel,
                    std::span<const Arm> arms) {
  if (arms.empty())
    return fail_input(ErrorCode::Missing, About{"shape"},
                      "there is no shape for which the kernel could be specialised");
  if (contains(header.techniques, "specialised"))
    return fail_input(ErrorCode::WrongState, About{"specialised"},
                      "the kernel already has builds for single shapes");
  if (dialect_of(header).trust_class == TrustClass::HostLauncher)
    return fail_input(ErrorCode::Unsupported, About{"host launcher"},
                      "a host launcher has no device code to specialise");
  if (!header.is_valid(kernel.knobs))
    return fail_input(ErrorCode::OutOfRange, About{"knobs"},
                      "the kernel's knob values are not among those that it allows");
  for (const Arm& arm : arms) {
    if (arm.sizes.empty())
      return fail_input(ErrorCode::Missing, About{"size"},
                        "the task has no size that could be made a constant of the kernel");
    if (!header.is_valid(arm.knobs))
      return fail_input(
          ErrorCode::OutOfRange, About{"knobs of " + arm.workload},
          "the knob values for " + arm.workload + " are not among those that the kernel allows");
    for (const Arm& other : arms)
      if (&other != &arm && other.sizes == arm.sizes)
        return fail_input(
            ErrorCode::Contradiction, About{arm.workload + ", " + other.workload},
            fmt::format(
                "the workloads {} and {} have equal sizes, so they cannot have different builds",
                arm.workload, other.workload));
  }
  return {};
}

}  // namespace

Arm arm_for(const Task& task, const Workload& workload, Target target, KnobPoint knobs) {
  Arm arm{workload.name, {}, std::move(knobs)};
  const auto is_argument = [&](const std::string& name) {
    return std::ranges::any_of(task.signature, [&](const Parameter& p) { return p.name == name; });
  };
  // A launch plan can tell shapes apart by every size, a function by its arguments alone.
  const bool takes_dims = row_of(target).launches_by_plan;
  for (const Scalar& scalar : workload.scalars)
    if (!is_real(scalar.dtype) && (takes_dims || is_argument(scalar.name)))
      arm.sizes[scalar.name] = scalar.integer;
  if (takes_dims) arm.sizes.insert(workload.dims.begin(), workload.dims.end());
  return arm;
}

Result<std::string> specialise(const Task& task, const Candidate& kernel,
                               std::span<const Arm> arms) {
  const auto header = parse_header(kernel);
  if (!header)
    return fail_input(ErrorCode::BadInput,
                      About{header.error().empty() ? std::string() : header.error().front().about},
                      to_text(header.error()), kernel.name);
  if (auto wrong = check_arms(*header, kernel, arms); !wrong)
    return fail_input(wrong.error().code, About{wrong.error().about}, wrong.error().what,
                      kernel.name);
  auto parts = cut_source(kernel.source, *header);
  if (!parts)
    return fail_input(parts.error().code, About{parts.error().about}, parts.error().what,
                      kernel.name);
  std::vector<Copy> copies;
  for (const Arm& arm : arms) {
    copies.push_back(
        {fmt::format("kw_arm_{}", copies.size() + 1), macros_at(*header, arm.knobs), &arm});
    for (const auto& [name, value] : arm.sizes)
      copies.back().macros["KW_CONST_" + name] = std::to_string(value);
  }
  copies.push_back({"kw_rest", macros_at(*header, kernel.knobs), nullptr});

  const bool has_plan = row_of(kernel.target).launches_by_plan;
  if (has_plan) parts->code = in_cpp_linkage(parts->code);
  std::string text = head_of(task, *header, arms.size());
  if (has_plan) text += dispatching_plan(copies, *parts);
  text += text_before(*parts);
  for (const Copy& copy : copies) text += text_of(copy, *parts, has_plan ? "" : task.function);
  if (!has_plan) text += dispatching_function(task, copies);
  return text;
}

}  // namespace kw::task
