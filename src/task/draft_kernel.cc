// Writes loops as kernels and a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/contains.h"
#include "base/expr.h"
#include "base/text.h"
#include "record/plan.h"
#include "task/draft_headers.h"
#include "task/draft_reference.h"

namespace kw::task {
namespace {

constexpr int kThreads = 256;      // of a block
constexpr int kDeepestIndex = 32;  // of indices within indices

class KernelWriter {
 public:
  KernelWriter(std::string_view source, const std::vector<lex::Token>& tokens,
               const CFunction& function, const std::vector<std::string>& inputs)
      : source_(source), tokens_(tokens), function_(function), inputs_(inputs) {}

  std::string write(std::span<const ParallelPart> parts) const {
    std::string plan, kernels;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t shared = i == 0 ? 0 : common(parts[i - 1], parts[i]);
      const std::size_t next = i + 1 < parts.size() ? common(parts[i], parts[i + 1]) : 0;
      plan += plan_of(parts[i], i + 1, shared, next);
      kernels += "\n" + kernel(parts[i], i + 1);
    }
    std::string text = fmt::format(
        "// {} with one thread for each turn of its outer loops, drafted from the C function.\n",
        function_.name);
    const std::string macros = standard_names(source_, {}, CodeUse::Device) + macros_of(source_) +
                               typedefs_text(tokens_, CodeUse::Device);
    return text + plan + (macros.empty() ? "" : "\n" + macros) + helpers() + kernels;
  }

 private:
  /// How many sequential loops two parts have in common, which the plan writes once.
  static std::size_t common(const ParallelPart& a, const ParallelPart& b) {
    std::size_t count = 0;
    while (count < std::min(a.around.size(), b.around.size()) &&
           a.around[count].begin == b.around[count].begin)
      ++count;
    return count;
  }

  static std::string indent(std::size_t depth) { return std::string(2 * depth + 1, ' '); }

  std::string plan_of(const ParallelPart& part, std::size_t number, std::size_t shared,
                      std::size_t next) const {
    std::string text;
    std::size_t depth = shared;
    for (; depth < part.around.size(); ++depth)
      text += fmt::format("// kw:{}for {} = {} .. {}\n", indent(depth), part.around[depth].variable,
                          part.around[depth].first, part.around[depth].bound);
    std::vector<std::string> conditions, counts, arguments;
    for (const BoundedLoop& loop : part.loops) {
      const std::string condition = fmt::format("{} > 0", loop.count);
      if (!loop.is_never_empty && !contains(conditions, condition)) conditions.push_back(condition);
      counts.push_back(turns(loop, "ceil_div({}, {})"));
    }
    for (const CParameter& parameter : function_.parameters) arguments.push_back(parameter.name);
    for (const BoundedLoop& loop : part.around) arguments.push_back(loop.variable);
    const bool is_guarded = !conditions.empty();  // an empty grid would be refused
    if (is_guarded)
      text += fmt::format("// kw:{}when {}\n", indent(depth), join(conditions, " && "));
    text += fmt::format("// kw:{}launch {}_{} grid(ceil_div({}, {})) block({}) args({})\n",
                        indent(depth + (is_guarded ? 1 : 0)), function_.name, number,
                        join(counts, " * "), kThreads, kThreads, join(arguments, ", "));
    if (is_guarded) text += fmt::format("// kw:{}end\n", indent(depth));
    for (; depth > next; --depth) text += fmt::format("// kw:{}end\n", indent(depth - 1));
    return text;
  }

  /// How many turns a loop has; `rounded` divides upwards.
  static std::string turns(const BoundedLoop& loop, std::string_view rounded) {
    const bool is_name = is_usable_identifier(loop.count);
    return loop.step == 1 ? (is_name ? loop.count : "(" + loop.count + ")")
                          : fmt::format(fmt::runtime(rounded), loop.count, loop.step);
  }

  std::string kernel(const ParallelPart& part, std::size_t number) const {
    std::vector<std::string> parameters;
    for (const CParameter& p : function_.parameters)
      parameters.push_back(
          fmt::format("{}{}{} {}", p.is_pointer && contains(inputs_, p.name) ? "const " : "",
                      row_of(p.dtype).plain_type, p.is_pointer ? "*" : "", p.name));
    for (const BoundedLoop& loop : part.around) parameters.push_back("int " + loop.variable);
    std::string text = fmt::format("extern \"C\" __global__ void {}_{}({}) {{\n", function_.name,
                                   number, join(parameters, ", "));
    text += fmt::format("  const long long at = blockIdx.x * {}LL + threadIdx.x;\n", kThreads);
    std::vector<std::string> counts;
    for (const BoundedLoop& loop : part.loops)
      counts.push_back(turns(loop, "(({0} + {1} - 1) / {1})"));
    text += fmt::format("  if (at >= 1LL * {}) return;\n", join(counts, " * "));
    for (std::size_t i = 0; i < part.loops.size(); ++i) {
      std::string place = "at";
      for (std::size_t k = i + 1; k < counts.size(); ++k) place += " / " + counts[k];
      if (i > 0) place = fmt::format("{} % {}", i + 1 < counts.size() ? place : "at", counts[i]);
      const BoundedLoop& loop = part.loops[i];
      if (loop.step != 1)
        place = fmt::format("{} * {}", loop.step, i > 0 ? "(" + place + ")" : place);
      text += fmt::format("  const long long {} = {}{};\n", loop.variable,
                          loop.first == "0" ? "" : loop.first + " + ", place);
    }
    return text + locals(part) + "  " + code(part.begin, part.end) + "\n}\n";
  }

  /// Declares what the body declared before its loops and this kernel does not define itself.
  std::string locals(const ParallelPart& part) const {
    std::string text;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      std::size_t end = i;
      while (end < function_.close &&
             (tokens_[end].kind == lex::Token::Kind::Word || tokens_[end].is(",")))
        ++end;
      if (end == i || !tokens_[end].is(";")) break;
      std::size_t first = i;
      while (first + 1 < end && tokens_[first + 1].kind == lex::Token::Kind::Word) ++first;
      for (std::size_t name = first; name < end; name += 2)
        if (!is_defined(part, tokens_[name].text))
          text +=
              fmt::format("  {} {};\n", lex::source_text(tokens_, i, first), tokens_[name].text);
      i = end;
    }
    return text;
  }

  static bool is_defined(const ParallelPart& part, std::string_view name) {
    const auto is_name = [&](const BoundedLoop& loop) { return loop.variable == name; };
    return std::ranges::any_of(part.loops, is_name) || std::ranges::any_of(part.around, is_name);
  }

  std::string helpers() const {
    std::string text;
    for (const CFunction& helper : helpers_of(tokens_, function_)) {
      std::size_t begin = helper.begin;
      while (tokens_[begin].is("static") || tokens_[begin].is("inline")) ++begin;
      text += "\nstatic __device__ " + code(begin, helper.close + 1) + "\n";
    }
    return text;
  }

  /// The source between two tokens, with indices of several dimensions written as one.
  std::string code(std::size_t begin, std::size_t end, int depth = 0) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) {
        const std::size_t gap = tokens_[i - 1].end;
        text += without_blank_lines(source_.substr(gap, tokens_[i].offset - gap));
      }
      const auto limit = limit_call_at(tokens_, i);
      if (const std::string value = limit ? limit_constant(*limit) : std::string();
          !value.empty() && limit->end <= end) {
        text += value;
        i = limit->end - 1;
        continue;
      }
      const CParameter* parameter = function_.find(tokens_[i].text);
      if (is_of_device(i)) {
        ++i;  // CUDA has the function without the library's name
        continue;
      }
      if (parameter != nullptr && parameter->bounds.size() > 1 && depth < kDeepestIndex &&
          i + 1 < end && tokens_[i + 1].is("[")) {
        text += flat_index(*parameter, i, depth);
      } else {
        text += tokens_[i].is("restrict") ? "__restrict__" : std::string(tokens_[i].text);
      }
    }
    return text;
  }

  /// Whether `std::` stands here before a function that CUDA has by its name alone.
  bool is_of_device(std::size_t i) const {
    static constexpr auto kFunctions = std::to_array<std::string_view>(
        {"exp",   "exp2",  "expm1", "log",  "log2",  "log10", "log1p",    "sqrt",
         "cbrt",  "fabs",  "abs",   "sin",  "cos",   "tan",   "asin",     "acos",
         "atan",  "atan2", "sinh",  "cosh", "tanh",  "pow",   "fmax",     "fmin",
         "floor", "ceil",  "round", "fmod", "fma",   "hypot", "erf",      "erfc",
         "min",   "max",   "trunc", "rint", "isnan", "isinf", "isfinite", "copysign"});
    return i + 2 < tokens_.size() && tokens_[i].is("std") && tokens_[i + 1].is("::") &&
           contains(kFunctions, tokens_[i + 2].text);
  }

  /// Reads on to the last bracket of the element.
  std::string flat_index(const CParameter& parameter, std::size_t& i, int depth) const {
    std::string index;
    for (std::size_t d = 0; d < parameter.bounds.size() && tokens_[i + 1].is("["); ++d) {
      const std::size_t close = lex::find_closing(tokens_, i + 1);
      const std::string one = "(" + code(i + 2, close, depth + 1) + ")";
      index = index.empty() ? "1LL * " + one
                            : fmt::format("({}) * ({}) + {}", index, parameter.bounds[d], one);
      i = close;
    }
    return parameter.name + "[" + index + "]";
  }

  std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  const CFunction& function_;
  const std::vector<std::string>& inputs_;
};

/// How often the part is launched, counted to above kMostPlanSteps at most. Nothing where a bound
/// has no value.
std::optional<std::size_t> launches_of(const ParallelPart& part, std::size_t depth, Names& names) {
  if (depth == part.around.size()) return 1;
  const BoundedLoop& loop = part.around[depth];
  const auto first = Expr::parse(loop.first), bound = Expr::parse(loop.bound);
  const auto from = first ? first->evaluate(names) : std::unexpected(first.error());
  const auto to = bound ? bound->evaluate(names) : std::unexpected(bound.error());
  if (!from || !to) return std::nullopt;
  std::size_t count = 0;
  for (std::int64_t turn = *from; turn < *to && count <= kMostPlanSteps; ++turn) {
    names.insert_or_assign(loop.variable, turn);
    const auto inside = launches_of(part, depth + 1, names);
    if (!inside) return std::nullopt;
    // A turn without a launch counts, too: it takes time to unroll.
    count += std::max<std::size_t>(*inside, 1);
  }
  return count;
}

}  // namespace

std::string why_plan_is_too_long(std::span<const ParallelPart> parts,
                                 std::span<const WorkloadSpec> workloads) {
  for (const WorkloadSpec& workload : workloads) {
    if (!workload.is_for(Target::Cuda)) continue;
    std::size_t steps = 0;
    for (const ParallelPart& part : parts) {
      Names names = workload.dims;
      steps += launches_of(part, 0, names).value_or(1);
    }
    if (steps > kMostPlanSteps)
      return fmt::format(
          "baselines/naive.cu: none was drafted, because with one launch for each turn of its "
          "outer "
          "loops it would take more than {} launches",
          kMostPlanSteps);
  }
  return {};
}

std::string draft_kernel(std::string_view source, const std::vector<lex::Token>& tokens,
                         const CFunction& function, std::span<const ParallelPart> parts,
                         const std::vector<std::string>& inputs) {
  if (parts.empty()) return {};
  std::string text = KernelWriter(source, tokens, function, inputs).write(parts);
  // Kernels are compiled without a standard library.
  const auto written = lex::tokenize(text);
  for (std::size_t i = 0; i + 1 < written.size(); ++i)
    if (written[i].is("std") && written[i + 1].is("::")) return {};
  return text;
}

}  // namespace kw::task
