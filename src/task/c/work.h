// How much a function body computes, and of which kind its costliest statement is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "task/c/bounds.h"
#include "task/c/function.h"
#include "task/c/index.h"
#include "task/c/loops.h"

namespace kw::task {

/// Where a body's names, loops and conditions are known.
struct StudiedBody {
  const CFunction& function;
  const std::vector<lex::Token>& tokens;
  const IndexReader& reader;
  const Loops& loops;
  const Bounds& bounds;
};

/// What is known about elements that bound loops.
struct BoundingElements {
  const ElementBounds& elements;
  const std::map<std::string, Access>& accesses;
};

struct CountedWork {
  /// Operations on real numbers, or, where no array holds any, on integers, as an expression over
  /// the parameters.
  std::string flops;
  Polynomial total;   ///< The same without the number by which it is divided.
  std::string doubt;  ///< What could not be counted; empty: nothing.
};

/// Every addition, subtraction, multiplication, division and call of a function in statements that
/// compute real numbers, times the turns of the loops around them: the sum over the turns where
/// bounds depend on outer variables. Where no array holds real numbers, every operation of a
/// statement counts that is not part of an index, comparisons included. Where that is none at all,
/// as in a sort, comparisons in conditions over data count. Conditions over such variables count,
/// other branches count with the costlier side. Rows between offsets count with all their elements,
/// numbers of turns that are elements with half of the largest, and a loop that data may end early
/// with the turns that a part of its condition allows. A loop that cannot be read counts as one
/// turn. `doubt` tells of both. The reader of `body` knows elements.
CountedWork count_work(const StudiedBody& body, const BoundingElements& bounding);

/// The family of the statement in the deepest nest: "matmul", "convolution", "histogram", "scan",
/// "stencil", "normalization", "reduction", "transpose" or "elementwise".
std::string family_of(const StudiedBody& body);

}  // namespace kw::task
