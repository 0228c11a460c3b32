// Reads attribute lists in GCC's dumps.
// SPDX-License-Identifier: Apache-2.0
#include "compile/function_attributes.h"

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/text.h"

namespace kw::compile {
namespace {

constexpr std::size_t kMostMarks = 16;
constexpr std::string_view kOpening = "__attribute__((";

// Beginnings of names of options that arrange code without changing what it computes, from the GCC
// 12 manual, "Options That Control Optimization".
constexpr std::array<std::string_view, 32> kHarmless{"unroll-",
                                                     "tree-",
                                                     "inline",
                                                     "align-",
                                                     "peel-loops",
                                                     "prefetch-loop",
                                                     "omit-frame",
                                                     "schedule-",
                                                     "ipa-",
                                                     "split-",
                                                     "loop-",
                                                     "gcse",
                                                     "vect-cost",
                                                     "ivopts",
                                                     "move-loop",
                                                     "unswitch-",
                                                     "rename-reg",
                                                     "reorder-",
                                                     "sched",
                                                     "if-conv",
                                                     "code-hoist",
                                                     "crossjump",
                                                     "strict-alias",
                                                     "graphite",
                                                     "simd-cost",
                                                     "guess-branch",
                                                     "partial-inlining",
                                                     "version-loops",
                                                     "optimize-sibling",
                                                     "math-errno",
                                                     "trapping-math",
                                                     "fp-contract="};

/// The text between the parenthesis at `at` and the matching one; literals are skipped as a whole.
std::string_view enclosed(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '"')
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    if (i >= text.size()) break;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(at + 1, i - at - 1);
  }
  return text.substr(std::min(at + 1, text.size()));
}

/// The arguments of each `optimize (…)` in a list of attributes.
std::vector<std::string_view> optimize_lists(std::string_view attributes) {
  constexpr std::string_view kName = "optimize";
  std::vector<std::string_view> lists;
  for (std::size_t i = 0; i < attributes.size();) {
    if (!is_name_char(attributes[i])) {
      // The arguments of another attribute are skipped, since an `optimize` inside them is no
      // attribute.
      i += attributes[i] == '(' ? enclosed(attributes, i).size() + 2 : 1;
      continue;
    }
    std::size_t end = i;
    while (end < attributes.size() && is_name_char(attributes[end])) ++end;
    std::string_view name = attributes.substr(i, end - i);
    if (name == "__optimize__") name = kName;
    const std::size_t open = attributes.find_first_not_of(' ', end);
    if (name == kName && open != std::string_view::npos && attributes[open] == '(')
      lists.push_back(enclosed(attributes, open));
    i = end;
  }
  return lists;
}

bool is_harmless(std::string_view list) {
  std::string plain;
  for (const char c : list)
    if (c != '"' && c != ' ') plain += c;
  return std::ranges::all_of(split(plain, ','), changes_no_value);
}

}  // namespace

bool changes_no_value(std::string_view option) {
  if (option.starts_with("-")) option.remove_prefix(1);
  if (option.starts_with("fno-") || option.starts_with("funroll") || option.starts_with("ftree"))
    option.remove_prefix(1);
  if (option.starts_with("no-")) option.remove_prefix(3);
  if (option.starts_with('O')) option.remove_prefix(1);
  if (option.empty() || option == "s" || option == "g") return true;
  if (option.find_first_not_of("0123456789") == std::string_view::npos) return true;
  return std::ranges::any_of(kHarmless,
                             [&](std::string_view known) { return option.starts_with(known); });
}

std::vector<CodeMark> arithmetic_marks(std::string_view dump) {
  std::vector<CodeMark> marks;
  std::string_view pending;
  for (const std::string_view line : split_lines(dump)) {
    if (line.starts_with(kOpening)) {
      pending = line;
      continue;
    }
    if (pending.empty()) continue;
    const std::string_view attributes = enclosed(pending, kOpening.size() - 1);
    pending = {};
    for (const std::string_view list : optimize_lists(attributes))
      if (!is_harmless(list) && marks.size() < kMostMarks)
        marks.push_back({.kind = "arithmetic",
                         .what = std::string(trim(list)),
                         .where = std::string(trim(line))});
  }
  return marks;
}

}  // namespace kw::compile
