// Spells expressions of tasks and plans as C++ and Python.
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

/// Says what a name is called in the generated text; an error where the name has no value there.
using Spelling = std::function<Result<std::string>(std::string_view name)>;

/// An integer expression in C++ over the class `Int` of texts/integers.in. The text hardly changes,
/// since expressions have C's operators and ranks.
Result<std::string> cpp_text(const Expr& expr, const Spelling& spell);
/// A real expression as C++ over doubles; `text` is the expression as written.
Result<std::string> cpp_real_text(std::string_view text, const Spelling& spell);
/// An integer expression in Python, whose `//` and `%` round as expressions do. Error: the
/// expression has a choice (`?:`), which Python writes in another order.
Result<std::string> python_text(const Expr& expr, const Spelling& spell);

/// How a known integer gives a dim that is not known: dim = known - base, where base is the value
/// of `formula` at dim = 0.
struct Unknown {
  std::string dim;
  Expr formula;  ///< An expression over the dim that equals the known integer.
};

/// The one name of `formula` that is not in `known`, where the formula grows by 1 with that name;
/// nothing otherwise. Decided by evaluating the formula at a few values.
std::optional<std::string> solved_name(const Expr& formula, const std::vector<std::string>& known);

}  // namespace kw::deliver
