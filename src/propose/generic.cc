// Pragmas, restrict and options placed into the text of a reference.
// SPDX-License-Identifier: Apache-2.0
#include "propose/generic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "propose/loops.h"
#include "task/units.h"

namespace kw::propose {
namespace {

/// What a variant changes.
struct Recipe {
  int parallel_depth = 0;  ///< Loops of this depth get `omp parallel for`; 0: none.
  bool collapse = false;   ///< … together with the only loop directly inside.
  bool simd = false;       ///< Innermost loops.
  bool unroll = false;     ///< Innermost loops, by knob UNROLL.
  bool restrict_pointers = true;
  std::vector<std::string> directives = {};
};

std::string reduction_clause(const std::vector<std::string>& sums) {
  return sums.empty() ? "" : fmt::format(" reduction(+ : {})", join(sums, ", "));
}

/// `Real*` and `const Real*` parameters of `reference` cannot alias by contract: say so to the
/// compiler.
std::string with_restrict(std::string text) {
  const std::size_t name = text.find("reference(");
  if (name == std::string::npos) return text;
  const std::size_t end = text.find(')', name);
  for (std::size_t star = text.rfind('*', end); star != std::string::npos && star > name;
       star = text.rfind('*', star - 1))
    text.insert(star + 1, " __restrict");
  return text;
}

std::string apply(const Task& task, const std::string& reference, const Recipe& recipe) {
  std::vector<Insertion> insertions;
  const std::vector<Loop> loops = find_loops(reference);
  for (const Loop& loop : loops) {
    std::string line;
    if (loop.depth == recipe.parallel_depth) {
      const bool has_only_child = std::any_of(loops.begin(), loops.end(), [&](const Loop& inner) {
        return inner.depth == loop.depth + 1 && inner.is_only_child && inner.offset > loop.offset &&
               inner.offset < loop.end;
      });
      line = "#pragma omp parallel for";
      if (recipe.collapse && has_only_child) line += " collapse(2)";
      if (recipe.simd && loop.is_innermost) line += " simd";
      line += reduction_clause(loop.sums);
    } else if (loop.is_innermost && recipe.unroll) {
      line = "#pragma GCC unroll UNROLL";
    } else if (loop.is_innermost && recipe.simd) {
      line = "#pragma omp simd" + reduction_clause(loop.sums);
    }
    if (!line.empty()) insertions.push_back({loop.offset, line});
  }
  std::string text = insert_lines(reference, std::move(insertions));
  if (recipe.restrict_pointers) text = with_restrict(std::move(text));
  std::string head;
  for (const std::string& directive : recipe.directives) head += "// kw: " + directive + "\n";
  return head + text + "\n" + task::call_of_reference(task);
}

}  // namespace

std::string parallel_form(const Task& task, const std::string& reference) {
  if (find_loops(reference).empty()) return {};
  return apply(task, reference, {.parallel_depth = 1, .restrict_pointers = false});
}

std::vector<Variant> generic_variants(const Task& task, const std::string& reference) {
  const std::vector<Loop> loops = find_loops(reference);
  int deepest = 0;
  for (const Loop& loop : loops) deepest = std::max(deepest, loop.depth);
  std::vector<Variant> variants;
  const auto add = [&](std::string name, std::string why, const Recipe& recipe) {
    std::string source = apply(task, reference, recipe);
    const bool known = std::any_of(variants.begin(), variants.end(),
                                   [&](const Variant& v) { return v.source == source; });
    if (!known) variants.push_back({std::move(name), std::move(source), std::move(why)});
  };
  add("restrict", "tell the compiler that the arguments do not alias", {});
  if (deepest == 0) return variants;
  add("simd", "vectorise the innermost loops, sums as reductions", {.simd = true});
  add("parallel", "threads over the outermost loops, simd inside",
      {.parallel_depth = 1, .simd = true});
  if (deepest >= 2) {
    add("parallel_second", "threads over the second loops: the outermost may carry a dependence",
        {.parallel_depth = 2, .simd = true});
    add("parallel_collapse", "threads over the two outermost loops together",
        {.parallel_depth = 1, .collapse = true, .simd = true});
  }
  if (deepest >= 3)
    add("parallel_third", "threads over the third loops", {.parallel_depth = 3, .simd = true});
  for (const int depth : {1, 2})
    if (deepest > depth)
      add(fmt::format("parallel{}_unroll", depth), "threads, and the innermost loops unrolled",
          {.parallel_depth = depth, .unroll = true, .directives = {"tune UNROLL = 4, 2, 8, 16"}});
  for (const int depth : {1, 2})
    if (deepest >= depth)
      add(fmt::format("parallel{}_fast_math", depth),
          "threads, simd, and sums that the compiler may reorder",
          {.parallel_depth = depth, .simd = true, .directives = {"option fast_math"}});
  return variants;
}

}  // namespace kw::propose
