// Cuts host code out of a source, and adds the declarations that the remaining device code needs.
// SPDX-License-Identifier: Apache-2.0
#include "import/device_text.h"
#include "import/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "task/plan_text.h"

namespace kw::import {
namespace {

using lex::Token;

/// Whether NVRTC can read the header (docs/launch-plan.md).
bool is_device_header(std::string_view path) {
  return is_one_of(
             path,
             {"cuda_fp16.h", "cuda_fp16.hpp",    "cuda_bf16.h",     "cuda_fp8.h",
              "mma.h",       "math_constants.h", "float.h",         "cfloat",
              "limits.h",    "climits",          "math.h",          "cmath",
              "stdint.h",    "cstdint",          "stddef.h",        "cstddef",
              "assert.h",    "cassert",          "cuda_pipeline.h", "cooperative_groups.h"}) ||
         path.starts_with("cooperative_groups/") || path.starts_with("cuda/") ||
         path.starts_with("cub/block/") || path.starts_with("cub/warp/");
}

class Cutter {
 public:
  Cutter(const ForeignSource& source, const std::vector<Item>& items,
         const std::vector<const Item*>& launched, const TypeNames& types)
      : source_(source), items_(items), launched_(launched), types_(types), keep_(items.size()) {}

  DeviceText run() {
    decide();
    match_scopes();
    for (const TextRange& range : source_.gone) cut(range.begin, range.end, "");
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (!keep_[i]) cut_item(items_[i]);
    cut_directives();
    mend();
    out_.text = squeeze(head() + assemble());
    return std::move(out_);
  }

 private:
  struct Cut {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string instead;
  };

  const std::vector<Token>& tokens() const { return source_.tokens; }

  bool mentions_host(const Item& item) const {
    for (std::size_t i = item.begin; i < item.end; ++i) {
      const std::string_view word = tokens()[i].text;
      if (is_one_of(word, {"torch", "at", "c10", "pybind11", "thrust", "FILE"}) &&
          i + 1 < item.end && tokens()[i + 1].is("::"))
        return !is_half(i);
      if (is_one_of(word, {"cudaStream_t", "cudaEvent_t", "cudaError_t", "cudaDeviceProp", "FILE",
                           "cublasHandle_t", "cudaGraph_t", "cudaGraphExec_t"}))
        return true;
      if (word == "std" && i + 2 < item.end && tokens()[i + 1].is("::") &&
          !is_one_of(tokens()[i + 2].text, {"numeric_limits", "size_t", "int32_t", "uint32_t",
                                            "int64_t", "uint64_t", "uint8_t", "min", "max"}))
        return true;
    }
    return false;
  }

  /// Whether the name at token `i` is at::Half or at::BFloat16, PyTorch's names for the device
  /// types.
  bool is_half(std::size_t i) const {
    return i + 2 < tokens().size() && is_one_of(tokens()[i + 2].text, {"Half", "BFloat16"});
  }

  bool is_kept_alias(const Item& item) const {
    const auto& t = tokens();
    const std::size_t i = item.begin;
    const bool is_namespace =
        t[i].is("namespace") || (t[i].is("using") && t[i + 1].is("namespace"));
    if (!is_namespace) return !mentions_host(item);
    for (std::size_t k = i; k < item.end; ++k)
      if (is_one_of(t[k].text, {"cooperative_groups", "nvcuda", "cuda"})) return true;
    return false;
  }

  void decide() {
    std::vector<std::size_t> maybe;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      switch (item.kind) {
        case Item::Kind::Kernel:
          keep_[i] = is_launched(item);
          if (!keep_[i] && item.is_defined()) out_.left_out.push_back(item.name);
          break;
        case Item::Kind::DeviceFunction:
          keep_[i] = true;
          break;
        case Item::Kind::Type:
          keep_[i] = is_kept_alias(item);
          break;
        case Item::Kind::Variable:
        case Item::Kind::HostFunction:
          keep_[i] = is_device_variable(item);
          if (!keep_[i] && is_constant(item) && !mentions_host(item)) maybe.push_back(i);
          break;
        default:
          break;
      }
    }
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (keep_[i]) use(items_[i].begin, items_[i].end);
    // Keeps the constants and constexpr functions that kept code uses, and in turn those that they
    // use.
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (const std::size_t i : maybe)
        if (!keep_[i] && used_.contains(items_[i].name)) {
          keep_[i] = has_grown = true;
          use(items_[i].begin, items_[i].end);
        }
      for (const auto& [name, macro] : source_.macros)
        if (used_.contains(name) && expanded_.insert(name).second) {
          has_grown = true;
          for (const Token& token : lex::tokenize(macro.body)) used_.emplace(token.text);
        }
    }
  }

  bool is_launched(const Item& item) const {
    return std::ranges::any_of(launched_, [&](const Item* kernel) {
      return kernel->name == item.name && kernel->scope == item.scope;
    });
  }

  bool is_device_variable(const Item& item) const {
    if (item.kind != Item::Kind::Variable) return false;
    for (std::size_t i = item.begin; i < item.end && !tokens()[i].is("="); ++i)
      if (is_one_of(tokens()[i].text, {"__constant__", "__device__", "__shared__", "__managed__"}))
        return true;
    return false;
  }

  bool is_constant(const Item& item) const {
    if (item.kind == Item::Kind::HostFunction) return item.is_constexpr && item.is_defined();
    for (std::size_t i = item.begin; i < item.end && !tokens()[i].is("="); ++i)
      if (is_one_of(tokens()[i].text, {"const", "constexpr"})) return true;
    return false;
  }

  void use(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (tokens()[i].kind == Token::Kind::Word) used_.emplace(tokens()[i].text);
  }

  /// Keeps a namespace if something inside is kept. Of an unnamed namespace the content is kept and
  /// the braces are removed.
  void match_scopes() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].kind == Item::Kind::Open) {
        open.push_back(i);
      } else if (items_[i].kind == Item::Kind::Close && !open.empty()) {
        const std::size_t begin = open.back();
        open.pop_back();
        bool holds = false;
        for (std::size_t k = begin + 1; k < i; ++k) holds = holds || keep_[k];
        const bool is_unnamed = tokens()[items_[begin].end - 1].is("{") &&
                                tokens()[items_[begin].end - 2].is("namespace");
        keep_[begin] = keep_[i] = holds && !is_unnamed;
      }
    }
  }

  void cut(std::size_t begin, std::size_t end, std::string instead) {
    if (end > begin || !instead.empty()) cuts_.push_back({begin, end, std::move(instead)});
  }

  std::size_t end_of(const Token& token) const { return token.end; }

  void cut_item(const Item& item) {
    if (item.end <= item.begin) return;
    std::size_t begin = tokens()[item.begin].offset;
    std::size_t end = end_of(tokens()[item.end - 1]);
    if (item.kind == Item::Kind::Close) end = after_comment(end);
    // The comments right above a function are removed with the function.
    if (item.kind != Item::Kind::Open && item.kind != Item::Kind::Close)
      begin = with_comments(begin);
    cut(begin, end, "");
  }

  /// The end of a comment after the closing bracket that ends at `end`, as in `}  // namespace`;
  /// `end` if no comment follows.
  std::size_t after_comment(std::size_t end) const {
    const std::size_t line = std::min(source_.text.find('\n', end), source_.text.size());
    const auto rest = trim(std::string_view(source_.text).substr(end, line - end));
    return rest.starts_with("//") ? line : end;
  }

  std::size_t with_comments(std::size_t begin) const {
    const std::string& text = source_.text;
    std::size_t line = text.rfind('\n', begin);
    if (line == std::string::npos ||
        !trim(std::string_view(text).substr(line, begin - line)).empty())
      return begin;
    std::size_t first = begin;
    while (line != std::string::npos && line > 0) {
      const std::size_t before = text.rfind('\n', line - 1);
      const std::size_t start = before == std::string::npos ? 0 : before + 1;
      const std::string_view above = trim(std::string_view(text).substr(start, line - start));
      if (!above.starts_with("//") || above.starts_with("// kw:")) break;
      first = start;
      line = before;
    }
    return first;
  }

  void cut_directives() {
    for (const Include& include : source_.includes)
      if (!is_device_header(include.path)) cut(include.line.begin, include.line.end, "");
    for (const MacroLine& macro : source_.macro_lines)
      if (!used_.contains(macro.name)) cut(macro.line.begin, macro.line.end, "");
    std::size_t at = 0;
    for (const std::string_view line : split_lines(source_.text)) {
      const std::string_view words = trim(line);
      at = static_cast<std::size_t>(line.data() - source_.text.data());
      const std::string_view directive = task::directive_of(line).value_or("");
      if (directive.starts_with("dialect") && directive.ends_with("host"))
        cut(at, std::min(at + line.size() + 1, source_.text.size()), "");
      if (words.starts_with("#pragma once")) cut(at, at + line.size(), "");
    }
  }

  void mend() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      if (!keep_[i]) continue;
      const bool is_plain_kernel =
          item.kind == Item::Kind::Kernel && !item.is_template && !item.is_c && item.scope.empty();
      if (is_plain_kernel)
        cut(tokens()[item.begin].offset, tokens()[item.begin].offset, "extern \"C\" ");
      if (item.kind == Item::Kind::HostFunction)
        cut(tokens()[item.begin].offset, tokens()[item.begin].offset, "__host__ __device__ ");
      const std::size_t head = item.body_open != 0 ? item.body_open : item.end;
      for (std::size_t k = item.begin; k < item.end; ++k) {
        const Token& token = tokens()[k];
        // Kernels are looked up by name, so they must not have internal linkage.
        if (item.kind == Item::Kind::Kernel && k < head &&
            is_one_of(token.text, {"static", "inline", "__forceinline__"})) {
          cut(token.offset, end_of(token), "");
        } else if (is_one_of(token.text, {"at", "c10", "torch"}) && is_half(k)) {
          const bool is_brain = tokens()[k + 2].is("BFloat16");
          cut(token.offset, end_of(tokens()[k + 2]), is_brain ? "__nv_bfloat16" : "__half");
        } else if (token.is("std") && k + 2 < item.end && tokens()[k + 1].is("::")) {
          mend_std(k);
        }
      }
      if (uses_scalar_type(item)) needs_scalar_type_ = true;
    }
  }

  /// The number that a call such as std::numeric_limits<float>::max() returns; empty if token `k`
  /// begins no such call.
  std::string float_limit(std::size_t k) const {
    static constexpr auto kWords =
        std::to_array<std::string_view>({"std", "::", "numeric_limits", "<", "float", ">", "::"});
    if (k + 9 >= tokens().size()) return {};
    for (std::size_t i = 0; i < kWords.size(); ++i)
      if (!tokens()[k + i].is(kWords[i])) return {};
    const std::string_view what = tokens()[k + kWords.size()].text;
    return what == "infinity" ? "INFINITY"
           : what == "max"    ? "3.402823466e+38f"
           : what == "lowest" ? "(-3.402823466e+38f)"
                              : "";
  }

  void mend_std(std::size_t k) {
    const Token& name = tokens()[k + 2];
    if (const std::string limit = float_limit(k); !limit.empty()) {
      cut(tokens()[k].offset, end_of(tokens()[k + 9]), limit);
    } else if (name.is("numeric_limits")) {
      cut(tokens()[k].offset, end_of(tokens()[k]), "cuda::std");
      needs_limits_ = true;
    } else if (is_one_of(name.text, {"min", "max", "size_t"})) {
      cut(tokens()[k].offset, name.offset, "");
    }
  }

  bool uses_scalar_type(const Item& item) const {
    for (const TemplateParameter& parameter : item.templates)
      if (parameter.name == "scalar_t") return false;
    for (std::size_t i = item.begin; i < item.end; ++i)
      if (tokens()[i].is("scalar_t")) return item.kind != Item::Kind::Type;
    return false;
  }

  /// Includes and declarations that the kept text needs, to be placed before its first line.
  std::string head() const {
    const auto includes = [&](std::string_view path) {
      return std::ranges::any_of(source_.includes,
                                 [&](const Include& i) { return i.path == path; });
    };
    const auto uses = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](std::string_view w) { return used_.contains(w); });
    };
    std::string text;
    // The half type is declared even where the device code does not mention it, since a launch may
    // name it as a template argument.
    const bool is_half = types_.real == "__half";
    const bool is_brain = types_.real == "__nv_bfloat16";
    if ((uses({"__half", "half", "__half2", "half2", "Half"}) || is_half) &&
        !includes("cuda_fp16.h"))
      text += "#include <cuda_fp16.h>\n";
    if ((uses({"__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "BFloat16"}) || is_brain) &&
        !includes("cuda_bf16.h"))
      text += "#include <cuda_bf16.h>\n";
    if (uses({"FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX"}) && !includes("float.h") &&
        !includes("cfloat"))
      text += "#include <float.h>\n";
    if (uses({"INT_MAX", "INT_MIN", "UINT_MAX"}) && !includes("limits.h") && !includes("climits"))
      text += "#include <limits.h>\n";
    if (uses({"M_PI", "M_SQRT1_2", "M_2_SQRTPI", "M_SQRT2", "M_2_PI", "M_LOG2E"}) &&
        !includes("math.h") && !includes("cmath"))
      text += "#include <math.h>\n";
    if (needs_limits_) text += "#include <cuda/std/limits>\n";
    // Declares type names that nvcc gets from the host's headers and compiler, and that NVRTC
    // lacks.
    for (const auto& [name, type] :
         {std::pair("uint", "unsigned int"), std::pair("ushort", "unsigned short"),
          std::pair("ulong", "unsigned long")})
      if (uses({name})) text += fmt::format("typedef {} {};\n", type, name);
    if (uses({"__FLT_MAX__"}))
      text += "#ifndef __FLT_MAX__\n#define __FLT_MAX__ 3.402823466e+38f\n#endif\n";
    if (needs_scalar_type_) text += fmt::format("using scalar_t = {};\n", types_.real);
    return text;
  }

  std::string assemble() {
    std::stable_sort(cuts_.begin(), cuts_.end(),
                     [](const Cut& a, const Cut& b) { return a.begin < b.begin; });
    std::string text;
    std::size_t at = 0;
    for (const Cut& one : cuts_) {
      if (one.begin < at) {
        at = std::max(at, one.end);
        continue;
      }
      text += source_.text.substr(at, one.begin - at) + one.instead;
      at = one.end;
    }
    return text + source_.text.substr(std::min(at, source_.text.size()));
  }

  /// Reduces empty lines to one in a row, removes those at both ends, and removes blanks at the
  /// ends of lines.
  static std::string squeeze(const std::string& text) {
    std::string out;
    bool was_empty = true;
    for (std::string_view line : split_lines(text)) {
      while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
      const std::string_view words = trim(line);
      const bool is_empty = words.empty() || words == ";";
      if (is_empty && was_empty) continue;
      out += is_empty ? "" : std::string(line);
      out += '\n';
      was_empty = is_empty;
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
  }

  const ForeignSource& source_;
  const std::vector<Item>& items_;
  const std::vector<const Item*>& launched_;
  const TypeNames& types_;
  std::vector<char> keep_;
  std::set<std::string, std::less<>> used_;
  std::set<std::string> expanded_;
  std::vector<Cut> cuts_;
  bool needs_scalar_type_ = false;
  bool needs_limits_ = false;
  DeviceText out_;
};

}  // namespace

DeviceText device_text(const ForeignSource& source, const std::vector<Item>& items,
                       const std::vector<const Item*>& launched, const TypeNames& types) {
  return Cutter(source, items, launched, types).run();
}

}  // namespace kw::import
