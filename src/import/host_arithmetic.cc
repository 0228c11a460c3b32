// Evaluates calls of arithmetic functions, such as min(), ceil() and sqrt().
// SPDX-License-Identifier: Apache-2.0
#include "import/host_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/host_casts.h"
#include "import/host_file.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

/// Whether an expression of type real has an integer value: it is an expression of integers, or a
/// number without a fraction.
bool is_whole_number(const Size& size) {
  if (size.op() == Size::Op::Named) return is_whole_number(size.parts()[0]);
  if (size.op() == Size::Op::Text) {
    const double number = std::strtod(size.word().c_str(), nullptr);
    return number >= 0 && number < 9e15 && number == std::floor(number);
  }
  return true;
}

}  // namespace

std::optional<Value> ArithmeticCalls::call(const std::string& name,
                                           const std::vector<Value>& values) {
  const auto is_int = [&](std::size_t i) { return i < values.size() && values[i].is(Kind::Int); };
  const std::size_t offset = text_.place(cursor_.at > 0 ? cursor_.at - 1 : 0);
  if (is_one_of(name, {"min", "max"}) && values.size() == 2) {
    if (is_int(0) && is_int(1)) return integer(Size::call(name, {values[0].size, values[1].size}));
    for (const Value& value : values)
      if (!value.is(Kind::Int) && !value.is(Kind::Real))
        return value.is(Kind::Unknown)
                   ? value
                   : unknown(offset,
                             fmt::format("what '{}' chooses among here are not all numbers", name));
    return real(Size::call(name, {values[0].size, values[1].size}));
  }
  if (is_one_of(name, {"ceil", "ceilf", "floor", "floorf"}) && values.size() == 1) {
    const Value& value = values[0];
    if (value.is(Kind::Int) || value.is(Kind::Unknown)) return value;
    const Size& size = value.size;
    if (value.is(Kind::Real) && size.op() == Size::Op::Binary && size.word() == "//") {
      Value parts[2];
      for (const std::size_t side : {0, 1})
        parts[side] = casts_.cast({"int", 0, false, 1}, real(size.parts()[side]), offset);
      // A quotient of two integers can be rounded exactly.
      const bool is_whole =
          std::ranges::all_of(parts, [](const Value& v) { return v.is(Kind::Int); }) &&
          is_whole_number(size.parts()[0]) && is_whole_number(size.parts()[1]) &&
          least(parts[1].size).value_or(0) >= 1;
      if (is_whole)
        return integer(name.starts_with("ceil")
                           ? Size::call("ceil_div", {parts[0].size, parts[1].size})
                           : Size::binary("/", parts[0].size, parts[1].size));
    }
    return unknown(offset,
                   "a launch plan can round only a quotient of integers, and this value is none");
  }
  if (is_one_of(name,
                {"ceil_div", "ceilDiv", "CeilDiv", "cdiv", "CDIV", "CEIL_DIV", "ceildiv", "div_up",
                 "divUp", "DIVUP", "iDivUp", "DIV_UP", "div_ceil", "ATenCeilDiv"}) &&
      is_int(0) && is_int(1) && values.size() == 2 && file_.function_named(name, 2) == nullptr)
    return integer(Size::call("ceil_div", {values[0].size, values[1].size}));
  if (is_one_of(name, {"sqrt", "sqrtf", "exp", "expf", "log", "logf", "abs", "fabsf"}) &&
      values.size() == 1 && (values[0].is(Kind::Real) || is_int(0))) {
    std::string word = name.starts_with("fabs") ? "abs" : name;
    if (word.ends_with('f')) word.pop_back();
    if (word == "abs" && is_int(0)) return integer(Size::call(word, {values[0].size}));
    return real(Size::call(word, {values[0].size}));
  }
  if (is_one_of(name, {"rsqrt", "rsqrtf"}) && values.size() == 1 &&
      (values[0].is(Kind::Real) || is_int(0)))
    return real(Size::binary("//", 1, Size::call("sqrt", {values[0].size})));
  return std::nullopt;
}

}  // namespace kw::import
