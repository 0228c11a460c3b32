// Finds integer arrays whose elements are places in other arrays, and the sizes that bound them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/c/function.h"
#include "task/c/index.h"

namespace kw::task {

/// The bounds of the elements of each integer array that code uses as indices, as bounds of loops
/// or as numbers of turns. `accesses` are the arrays' uses as far as they can be read without;
/// `reader` must know elements (IndexReader::know_elements). Where no size bounds them for certain,
/// a parameter that the body does not use does, or a guess over another array's size.
ElementBounds element_bounds(const CFunction& function, const std::vector<lex::Token>& tokens,
                             const IndexReader& reader,
                             const std::map<std::string, Access>& accesses);

/// Names of the parameters that point to integers.
std::set<std::string> integer_arrays(const CFunction& function);

/// Integer parameters that are numbers to calculate with: they reach no index, no loop and no
/// condition over loops, and no size in `facts` depends on them. None where all would be.
std::set<std::string> calculated_scalars(const CFunction& function,
                                         const std::vector<lex::Token>& tokens,
                                         const BodyFacts& facts);

}  // namespace kw::task
