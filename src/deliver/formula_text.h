// Expressions of tasks and plans as C++ and Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expr.h"
#include "base/result.h"
#include "task/definition.h"

namespace kw::deliver {

/// What a name is called in the generated text; an error where it has no value there.
using Spelling = std::function<Result<std::string>(std::string_view name)>;

/// An integer expression over `Int` of texts/integers.in: the same words, since the language has
/// C's operators and ranks.
Result<std::string> cpp_text(const Expr& expr, const Spelling& spell);
/// A real expression as doubles, by its text.
Result<std::string> cpp_real_text(std::string_view text, const Spelling& spell);
/// An integer expression in Python, whose `//` and `%` round as ours do. Error: it has a choice
/// (`?:`), which Python says in another order.
Result<std::string> python_text(const Expr& expr, const Spelling& spell);

/// How an integer that is known gives a dim that is not: dim = known - base, where base is the
/// formula at 0.
struct Unknown {
  std::string dim;
  Expr formula;  ///< With the dim; equal to what is known.
};

/// The one name of `formula` that is not in `known`, where the formula grows by 1 with it; nothing
/// otherwise. Formulas are looked at as numbers, at a few values.
std::optional<std::string> solved_name(const Expr& formula, const std::vector<std::string>& known);

}  // namespace kw::deliver
