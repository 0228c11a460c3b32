// Finds what a function body does only for inputs or scalars that plain noise never is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// A real scalar that the code multiplies by the variables of loops, and by nothing else: the
/// distance between two points, as `dx` is in `x0 + i * dx`.
struct StepScalar {
  std::string name;
  std::string origin;  ///< The real scalar to which the products are added; empty: there is none.
  Polynomial turns;    ///< First value above all of the largest loop's variable.
};

/// A number that values are compared with or kept below.
struct LimitNumber {
  double size = 0;  ///< Without its sign.
  std::size_t token = 0;
};

struct SpecialCases {
  /// Arrays of real numbers from which a largest or smallest number is subtracted before exp() is
  /// taken, so that it does not overflow, with the token of the call.
  std::map<std::string, std::size_t> shifted;
  /// Arrays of real numbers of whose sums the code tells apart those near 0, as in
  /// `norm < 1e-6 ? 1 : norm`, with the token that tells them apart.
  std::map<std::string, std::size_t> thresholds;
  /// Arrays of numbers from which values follow that the code compares with a number, or keeps
  /// on one side of it, which plain noise does not reach; the largest such number.
  std::map<std::string, LimitNumber> limits;
  /// Real scalars that the code tells from 0, with the token that does.
  std::map<std::string, std::size_t> zeros;
  std::vector<StepScalar> steps;
  /// Parameters on which the ends of loops depend that sum.
  std::set<std::string> summed;
  /// Sizes of a matrix whose columns (or rows) the code makes orthogonal, which it can only while
  /// there are no more of them than each has elements; empty: it does not.
  std::string length_of_columns;
  std::string number_of_columns;
};

/// `macros` are numbers of the file by their names; see number_macros().
SpecialCases special_cases(const CFunction& function, const std::vector<lex::Token>& tokens,
                           const std::map<std::string, double, std::less<>>& macros = {});

}  // namespace kw::task
