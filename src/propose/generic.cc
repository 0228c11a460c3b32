// Builds variants of a reference by adding pragmas, `restrict` and compiler options to its text.
// SPDX-License-Identifier: Apache-2.0
#include "propose/generic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/contains.h"
#include "base/text.h"
#include "propose/accumulators.h"
#include "propose/loops.h"
#include "task/units.h"

namespace kw::propose {
namespace {

/// The changes that make a variant from the reference.
struct Recipe {
  /// Level of the loops that get `omp parallel for`; 0: none. Loops whose iterations depend on each
  /// other do not count as levels.
  int parallel_level = 0;
  bool collapse = false;  ///< Merges parallel loops with their only inner loop.
  bool simd = false;      ///< Vectorises the innermost loops.
  bool unroll = false;    ///< Unrolls the innermost loops by the knob UNROLL.
  bool restrict_pointers = true;
  std::vector<std::string> directives = {};
};

std::string reduction_clause(const std::vector<std::string>& sums) {
  return sums.empty() ? "" : fmt::format(" reduction(+ : {})", join(sums, ", "));
}

/// Adds `__restrict` to the pointer parameters of `reference`, which by contract do not alias.
std::string with_restrict(std::string text) {
  const std::size_t name = text.find("reference(");
  if (name == std::string::npos) return text;
  const std::size_t end = text.find(')', name);
  for (std::size_t star = text.rfind('*', end); star != std::string::npos && star > name;
       star = text.rfind('*', star - 1))
    text.insert(star + 1, " __restrict");
  return text;
}

/// Depth of this loop among the nested loops that may run in parallel, 1 for the outermost; 0 where
/// this loop may not run in parallel.
int parallel_level(const std::vector<SourceLoop>& loops, const SourceLoop& loop) {
  if (!loop.is_parallel) return 0;
  return static_cast<int>(std::count_if(loops.begin(), loops.end(), [&](const SourceLoop& outer) {
    return outer.is_parallel && outer.offset <= loop.offset && loop.offset < outer.end;
  }));
}

std::string pragma_for(const std::vector<SourceLoop>& loops, const SourceLoop& loop,
                       const Recipe& recipe) {
  if (loop.is_parallel && parallel_level(loops, loop) == recipe.parallel_level) {
    const bool has_only_child =
        std::any_of(loops.begin(), loops.end(), [&](const SourceLoop& inner) {
          return inner.depth == loop.depth + 1 && inner.is_only_child && inner.is_parallel &&
                 inner.offset > loop.offset && inner.offset < loop.end;
        });
    std::string line = "#pragma omp parallel for";
    if (recipe.collapse && has_only_child) line += " collapse(2)";
    if (recipe.simd && loop.is_innermost) line += " simd";
    return line + reduction_clause(loop.sums);
  }
  if (loop.is_innermost && recipe.unroll) return "#pragma GCC unroll kUnroll";
  if (loop.is_innermost && loop.is_parallel && recipe.simd)
    return "#pragma omp simd" + reduction_clause(loop.sums);
  return {};
}

std::string apply(const Task& task, const std::string& reference, const Recipe& recipe) {
  std::vector<Insertion> insertions;
  const std::vector<SourceLoop> loops = find_loops(reference);
  for (const SourceLoop& loop : loops)
    if (std::string line = pragma_for(loops, loop, recipe); !line.empty())
      insertions.push_back({loop.offset, std::move(line)});
  std::string text = insert_lines(reference, std::move(insertions));
  if (recipe.restrict_pointers) text = with_restrict(std::move(text));
  std::string head;
  for (const std::string& directive : recipe.directives) head += "// kw: " + directive + "\n";
  // The pragma `GCC unroll` does not expand macros such as UNROLL, but accepts a constant.
  if (recipe.unroll) head += "constexpr int kUnroll = UNROLL;\n";
  return head + text + "\n" + task::call_of_reference(task);
}

/// The largest number of nested loops of the reference that may run in parallel.
int levels_of(const std::string& reference) {
  int most = 0;
  const std::vector<SourceLoop> loops = find_loops(reference);
  for (const SourceLoop& loop : loops) most = std::max(most, parallel_level(loops, loop));
  return most;
}

/// Whether there are innermost loops to unroll when the loops of `level` run in parallel.
bool has_loops_inside(const std::string& reference, int level) {
  const std::vector<SourceLoop> loops = find_loops(reference);
  return std::any_of(loops.begin(), loops.end(), [&](const SourceLoop& loop) {
    return loop.is_innermost && parallel_level(loops, loop) != level;
  });
}

}  // namespace

std::string parallel_form(const Task& task, const std::string& reference) {
  if (levels_of(reference) == 0) return {};
  return apply(task, reference, {.parallel_level = 1, .restrict_pointers = false});
}

std::vector<Variant> generic_variants(const Task& task, const std::string& reference) {
  // Sums are moved into local variables first: a loop that adds to memory cannot be run by several
  // threads or vectorised.
  const std::string summed = with_accumulators(reference);
  const int levels = levels_of(summed);
  std::vector<Variant> variants;
  const auto add = [&](std::string name, std::string why, const Recipe& recipe) {
    std::string source = apply(task, summed, recipe);
    const bool known = std::any_of(variants.begin(), variants.end(),
                                   [&](const Variant& v) { return v.source == source; });
    if (!known) variants.push_back({std::move(name), std::move(source), std::move(why)});
  };
  variants.push_back({"restrict", apply(task, reference, {}),
                      "tell the compiler that the arguments do not alias"});
  add("accumulate", "sums of the innermost loops in variables", {});
  add("simd", "vectorise the innermost loops, sums as reductions", {.simd = true});
  if (levels >= 1)
    add("parallel", "threads over the outermost loops that allow it, simd inside",
        {.parallel_level = 1, .simd = true});
  if (levels >= 2) {
    add("parallel_second", "threads over the loops one level further in",
        {.parallel_level = 2, .simd = true});
    add("parallel_collapse", "threads over the two outermost loops together",
        {.parallel_level = 1, .collapse = true, .simd = true});
  }
  if (levels >= 3)
    add("parallel_third", "threads over the third loops", {.parallel_level = 3, .simd = true});
  for (const int level : {1, 2})
    if (levels >= level && has_loops_inside(summed, level))
      add(fmt::format("parallel{}_unroll", level), "threads, and the innermost loops unrolled",
          {.parallel_level = level, .unroll = true, .directives = {"tune UNROLL = 4, 2, 8, 16"}});
  const bool is_loose = contains(task.restrictions.options, "fast_math");
  for (const int level : {1, 2})
    if (levels >= level && is_loose)
      add(fmt::format("parallel{}_fast_math", level),
          "threads, simd, and sums that the compiler may reorder",
          {.parallel_level = level, .simd = true, .directives = {"option fast_math"}});
  if (levels >= 1)
    add("parallel1_unroll_loops", "threads, simd, and whatever loop the compiler can unroll",
        {.parallel_level = 1, .simd = true, .directives = {"option unroll_loops"}});
  if (levels >= 1) return variants;
  // No loop may run in parallel, so only unrolling and compiler options remain to be varied.
  if (!find_loops(reference).empty())
    add("unroll", "the innermost loops unrolled",
        {.unroll = true, .directives = {"tune UNROLL = 4, 2, 8, 16"}});
  if (is_loose)
    add("fast_math", "sums and products that the compiler may reorder",
        {.directives = {"option fast_math"}});
  add("unroll_loops", "whatever loop the compiler can unroll, it does",
      {.directives = {"option unroll_loops"}});
  add("o2", "the compiler's milder optimisations, where bold ones only lengthen the code",
      {.directives = {"option O2"}});
  return variants;
}

}  // namespace kw::propose
