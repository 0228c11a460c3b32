// Cutting a kernel into includes, code and plan, and putting copies of it side by side.
// SPDX-License-Identifier: Apache-2.0
#include "task/specialise.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "task/header.h"
#include "task/plan_text.h"
#include "task/units.h"

namespace kw::task {
namespace {

/// A kernel's text in the parts that go to different places.
struct Parts {
  std::string includes;            ///< Up to the last #include, without directives.
  std::string code;                ///< The rest, without directives.
  std::vector<std::string> plan;   ///< Directives of the launch plan, `let` and `require`.
  std::vector<std::string> named;  ///< extern "C" kernels that the plan launches.
  std::vector<std::string> own;    ///< Macros of the code, which no other copy may see.
};

/// The word after `#`, or nothing where the line is no directive of the preprocessor.
std::string_view preprocessor_word(std::string_view line) {
  const auto text = trim(line);
  return text.starts_with('#') ? leading_word(trim(text.substr(1))) : std::string_view();
}

/// Whether a line can stand where it is read once for all copies: comments, blanks, directives of
/// the preprocessor. To be asked line by line.
class OutsideOfCode {
 public:
  bool holds(std::string_view line) {
    auto text = trim(line);
    if (continues_) return continues_ = text.ends_with('\\'), true;
    while (!text.empty()) {
      if (in_comment_ || text.starts_with("/*")) {
        const auto end = text.find("*/", in_comment_ ? 0 : 2);
        in_comment_ = end == std::string_view::npos;
        text = in_comment_ ? std::string_view() : trim(text.substr(end + 2));
      } else if (text.starts_with("//")) {
        return true;
      } else {
        continues_ = text.starts_with('#') && text.ends_with('\\');
        return text.starts_with('#');
      }
    }
    return true;
  }

 private:
  bool in_comment_ = false;
  bool continues_ = false;
};

/// Whether the word is one of the identifiers in the text.
bool uses(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_part(at - 1)) && !is_part(at + word.size())) return true;
  return false;
}

/// Every identifier that `names` has as what it stands for.
std::string replaced(std::string_view text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto word = leading_word(text.substr(at));
    if (word.empty()) {
      out += text[at++];
      continue;
    }
    const auto known = names.find(std::string(word));
    out += known == names.end() ? std::string(word) : known->second;
    at += word.size();
  }
  return out;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  return out;
}

/// What a line defines, or nothing: "FULL" of "#define FULL 1".
std::string_view defined_by(std::string_view line) {
  constexpr std::string_view kDefine = "define";
  if (preprocessor_word(line) != kDefine) return {};
  return leading_word(trim(line.substr(line.find(kDefine) + kDefine.size())));
}

/// Lines of the source that are read once: up to the last #include and the end of the conditions
/// around it.
Result<std::size_t> lines_before_code(const std::vector<std::string_view>& lines,
                                      std::vector<std::string> varying) {
  std::size_t end = 0;
  int depth = 0;
  bool holds_include = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto word = preprocessor_word(lines[i]);
    if (word.starts_with("if")) ++depth;
    if (word == "endif") --depth;
    holds_include = holds_include || word == "include";
    if (holds_include && depth <= 0) end = i + 1, holds_include = false;
  }
  OutsideOfCode outside;
  for (std::size_t i = 0; i < end; ++i) {
    if (!outside.holds(lines[i]))
      return fail(
          fmt::format("line {}: code stands before an #include; each shape's build is in a "
                      "namespace, so all #includes must come first",
                      i + 1));
    const auto word = preprocessor_word(lines[i]);
    const bool decides = word.starts_with("if") || word.starts_with("elif");
    const auto uses_varying = [&](const std::string& name) { return uses(lines[i], name); };
    const auto used = std::ranges::find_if(varying, uses_varying);
    const bool is_of_shape = lines[i].find("KW_CONST_") != std::string_view::npos;
    if (decides && (used != varying.end() || is_of_shape))
      return fail(
          fmt::format("line {}: what is read before the last #include is read once for all "
                      "shapes, and {} differs between them",
                      i + 1, is_of_shape ? "KW_CONST_…" : *used));
    const auto defined = defined_by(lines[i]);
    if (!defined.empty() && (used != varying.end() || is_of_shape)) varying.emplace_back(defined);
  }
  return end;
}

/// What of a directive a copy's branch of the plan repeats; empty: nothing.
std::string for_plan(std::string_view directive, const CandidateHeader& header) {
  static constexpr std::string_view kOfTheFile[] = {"tune", "option", "technique", "dialect",
                                                    "library"};
  const auto word = leading_word(directive);
  if (std::ranges::find(kOfTheFile, word) != std::end(kOfTheFile)) return {};
  if (word != "let") return on_one_line(directive);
  std::vector<std::string> kept;
  for (const PlanPiece& part : split_piece({trim(directive.substr(word.size())), 0}, ',')) {
    const auto name = leading_word(part.text);
    if (std::ranges::none_of(header.derived, [&](const DerivedMacro& m) { return m.name == name; }))
      kept.push_back(on_one_line(part.text));
  }
  return kept.empty() ? std::string() : "let " + join(kept, ", ");
}

Result<Parts> parts_of(std::string_view source, const CandidateHeader& header) {
  std::vector<std::string> macros;
  for (const Knob& knob : header.knobs) macros.push_back(knob.name);
  for (const DerivedMacro& macro : header.derived) macros.push_back(macro.name);
  const auto lines = split_lines(source);
  const std::size_t end = KW_TRY(lines_before_code(lines, macros));
  Parts parts;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto directive = directive_of(lines[i]);
    if (!directive) {
      (i < end ? parts.includes : parts.code) += std::string(lines[i]) + "\n";
      if (const auto own = defined_by(lines[i]); i >= end && !own.empty())
        parts.own.emplace_back(own);
      continue;
    }
    const bool is_one_line = leading_word(*directive) == "tune";
    const DirectiveText whole = join_directive(source, lines, i, *directive);
    std::string text = for_plan(is_one_line ? *directive : whole.text, header);
    if (text.starts_with("launch ")) {
      const auto kernel = trim(std::string_view(text).substr(7));
      const auto name = leading_word(kernel);
      if (const auto after = kernel.substr(name.size());
          !after.starts_with("::") && !after.starts_with('<') && !contains(parts.named, name))
        parts.named.emplace_back(name);
    }
    if (header.target == Target::Cuda && !text.empty()) parts.plan.push_back(std::move(text));
    if (!is_one_line) i += whole.lines - 1;
  }
  return parts;
}

/// One of the copies.
struct Copy {
  std::string space;                          ///< Its namespace.
  std::map<std::string, std::string> macros;  ///< Knobs, what follows of them, sizes.
  const Arm* arm = nullptr;                   ///< Null: that of all other shapes.
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

std::string text_of(const Copy& copy, const Parts& parts, const std::vector<std::string>& renamed) {
  std::string text = fmt::format("\nnamespace {} {{  // {}\n", copy.space,
                                 copy.arm == nullptr ? "all other shapes" : copy.arm->workload);
  std::string after;
  for (const std::string& name : parts.own) after += fmt::format("#undef {}\n", name);
  for (const auto& [name, value] : copy.macros) {
    text += fmt::format("#define {} {}\n", name, value);
    after += fmt::format("#undef {}\n", name);
  }
  for (const std::string& name : renamed) {
    text += fmt::format("#define {} {}_{}\n", name, copy.space, name);
    after += fmt::format("#undef {}\n", name);
  }
  return text + parts.code + after + "}\n";
}

/// The copy's steps, with macros as numbers and kernels by the names that they have in it.
std::string plan_of(const Copy& copy, const Parts& parts) {
  std::map<std::string, std::string> names;
  for (const auto& [name, value] : copy.macros)
    names[name] = value.starts_with('-') ? "(" + value + ")" : value;
  for (const std::string& kernel : parts.named) names[kernel] = copy.space + "_" + kernel;
  std::string text;
  for (const std::string& step : parts.plan) {
    std::string line = replaced(step, names);
    constexpr std::string_view kLaunch = "launch ";
    if (line.starts_with(kLaunch)) line.insert(kLaunch.size(), copy.space + "::");
    text += "// kw:   " + line + "\n";
  }
  return text;
}

std::string condition_of(const Arm& arm) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : arm.sizes) parts.push_back(fmt::format("{} == {}", name, value));
  return join(parts, " && ");
}

std::string dispatching_plan(const std::vector<Copy>& copies, const Parts& parts) {
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

/// The lines of the header that hold for the file.
std::string head_of(const Task& task, const CandidateHeader& header, std::size_t arms) {
  std::string text = fmt::format(
      "// {}: a build of its own for {} of its shapes, and one for all others.\n", task.name, arms);
  if (header.dialect != "cuda") text += "// kw: dialect " + header.dialect + "\n";
  if (!header.options.empty()) text += "// kw: option " + join(header.options, ", ") + "\n";
  if (!header.libraries.empty()) text += "// kw: library " + join(header.libraries, ", ") + "\n";
  std::vector<std::string> techniques = header.techniques;
  techniques.insert(techniques.begin(), "specialised");
  return text + "// kw: technique " + join(techniques, ", ") + "\n";
}

Result<> check_arms(const CandidateHeader& header, const Candidate& kernel,
                    std::span<const Arm> arms) {
  if (arms.empty()) return fail("no shape to specialise for");
  if (header.dialect == "host") return fail("a host launcher has no device code to specialise");
  if (!header.is_valid(kernel.knobs)) return fail("its knobs are no valid point of its space");
  for (const Arm& arm : arms) {
    if (arm.sizes.empty()) return fail("its task has no size that could be a constant");
    if (!header.is_valid(arm.knobs))
      return fail("knobs of " + arm.workload + " are no valid point of its space");
    for (const Arm& other : arms)
      if (&other != &arm && other.sizes == arm.sizes)
        return fail(fmt::format("{} and {} have equal sizes", arm.workload, other.workload));
  }
  return {};
}

}  // namespace

Arm arm_for(const Task& task, const Workload& workload, Target target, KnobPoint knobs) {
  Arm arm{workload.name, {}, std::move(knobs)};
  const auto is_argument = [&](const std::string& name) {
    return std::ranges::any_of(task.signature, [&](const Parameter& p) { return p.name == name; });
  };
  for (const Scalar& scalar : workload.scalars)
    if (!is_real(scalar.dtype) && (target == Target::Cuda || is_argument(scalar.name)))
      arm.sizes[scalar.name] = scalar.integer;
  if (target == Target::Cuda) arm.sizes.insert(workload.dims.begin(), workload.dims.end());
  return arm;
}

Result<std::string> specialise(const Task& task, const Candidate& kernel,
                               std::span<const Arm> arms) {
  const auto header = parse_header(kernel);
  if (!header) return fail(to_text(header.error()), kernel.name);
  if (auto wrong = check_arms(*header, kernel, arms); !wrong)
    return fail(wrong.error().what, kernel.name);
  const auto parts = parts_of(kernel.source, *header);
  if (!parts) return fail(parts.error().what, kernel.name);
  std::vector<Copy> copies;
  for (const Arm& arm : arms) {
    copies.push_back(
        {fmt::format("kw_arm_{}", copies.size() + 1), macros_at(*header, arm.knobs), &arm});
    for (const auto& [name, value] : arm.sizes)
      copies.back().macros["KW_CONST_" + name] = std::to_string(value);
  }
  copies.push_back({"kw_rest", macros_at(*header, kernel.knobs), nullptr});

  const bool is_cuda = kernel.target == Target::Cuda;
  std::string text = head_of(task, *header, arms.size());
  if (is_cuda) text += dispatching_plan(copies, *parts);
  text += parts->includes;
  const std::vector<std::string> renamed =
      is_cuda ? parts->named : std::vector<std::string>{task.function};
  for (const Copy& copy : copies) text += text_of(copy, *parts, renamed);
  if (!is_cuda) text += dispatching_function(task, copies);
  return text;
}

}  // namespace kw::task
