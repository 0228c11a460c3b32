// Translates the expressions of tasks and launch plans to C++ and Python.
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

/// Returns the spelling of a name in the generated text; an error if the name has no value there.
using Spelling = std::function<Result<std::string>(std::string_view name)>;

/// An integer expression in C++ over the class `Int` of texts/integers.in. The text hardly changes,
/// since expressions have C's operators and precedences.
Result<std::string> cpp_text(const Expr& expr, const Spelling& spell);
/// A real expression in C++ over doubles; `text` is the expression as its author wrote it.
Result<std::string> cpp_real_text(std::string_view text, const Spelling& spell);
/// An integer expression in Python, whose `//` and `%` round as the expressions of tasks do. Error:
/// the expression contains a conditional (`?:`), which Python writes in another order.
Result<std::string> python_text(const Expr& expr, const Spelling& spell);

/// How a dim is computed from a known integer: dim = known - base, where base is the value of
/// `formula` at dim = 0.
struct Unknown {
  std::string dim;
  Expr formula;  ///< An expression over the dim that equals the known integer.
};

/// The only name of `formula` that is not in `known`, provided that the formula grows by 1 when the
/// name's value does; nothing otherwise. Decided by evaluating the formula at a few values.
std::optional<std::string> solved_name(const Expr& formula, const std::vector<std::string>& known);

}  // namespace kw::deliver
