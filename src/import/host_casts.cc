// Converts values of a host function from one type to another.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_casts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "import/host_paths.h"
#include "import/host_record.h"
#include "import/host_values.h"
#include "import/host_variables.h"

namespace kw::import {

namespace {

using Kind = Value::Kind;

constexpr std::string_view kRealFunctions[] = {"sqrt", "exp", "log", "sin", "cos", "pow"};

/// Whether an expression contains no real number and no division of reals.
bool is_whole(const Size& size) {
  if (size.op() == Size::Op::Text || (size.op() == Size::Op::Binary && size.word() == "//"))
    return false;
  if (size.op() == Size::Op::Call &&
      std::ranges::find(kRealFunctions, size.word()) != std::end(kRealFunctions))
    return false;
  return std::ranges::all_of(size.parts(), is_whole);
}

}  // namespace

Value TypeCasts::cast(const TypeAt& type, Value value, std::size_t offset) {
  if (type.stars > 0) {
    if (value.is(Kind::List) && !value.word.empty()) {
      // The array may now change through a pointer to its first element, so its value becomes
      // unknown.
      variables_.forget(value.word, offset, "has elements that another name refers to as well");
      return unknown(
          offset,
          fmt::format("the plan drafter cannot tell which elements this pointer to '{}' refers to",
                      value.word));
    }
    if (value.is(Kind::Pointer)) value.word = type.type;
    if (value.is(Kind::Int) && value.size.is(0)) value.kind = Kind::Null;
    return value;
  }
  if (type.type == "dim3") {
    if (value.is(Kind::Dim3) || value.is(Kind::Unknown)) return value;
    Value dim = value;
    if (value.is(Kind::Int)) dim.parts = {value};
    dim.kind = Kind::Dim3;
    dim.parts.resize(3, integer(1));
    return dim;
  }
  if ((value.is(Kind::Int) || value.is(Kind::Real)) && bytes_of_type(type.type) > 0) {
    return cast_number(type.type, value, offset);
  } else if (value.is(Kind::List) && bytes_of_type(type.type) > 0 && value.parts.size() == 1) {
    return cast(type, Value(value.parts.front()), offset);
  } else if (value.is(Kind::List) && type.type != "auto" && bytes_of_type(type.type) == 0 &&
             type.type.find("::") == std::string::npos) {
    value.kind = Kind::Struct;
    value.word = type.type;
  }
  return value;
}

/// A number converted to another type.
Value TypeCasts::cast_number(const std::string& type, const Value& value, std::size_t offset) {
  if (type == "float" || type == "double") {
    Value real = value;
    real.kind = Kind::Real;
    return real;
  }
  const bool is_narrow_real = type.starts_with("__half") || type.starts_with("__nv_bfloat16");
  if (is_narrow_real || (bytes_of_type(type) > 8 && value.is(Kind::Int))) return value;
  if (value.is(Kind::Real)) {
    const Size& size = value.size;
    const auto whole = [&](const Size& part) -> std::optional<Size> {
      const Size& inner = part.op() == Size::Op::Named ? part.parts()[0] : part;
      if (inner.op() != Size::Op::Text) {
        const bool is_plain = inner.op() != Size::Op::Binary || inner.word() != "//";
        const bool is_real = std::ranges::find(record_.program().reals, part.word()) !=
                             record_.program().reals.end();
        return is_plain && !is_real && is_whole(part) ? std::optional(part) : std::nullopt;
      }
      const double number = std::strtod(inner.word().c_str(), nullptr);
      if (!(number >= 0 && number < 9e15) || number != std::floor(number)) return std::nullopt;
      return Size(static_cast<std::int64_t>(number));
    };
    if (size.op() == Size::Op::Binary && size.word() == "//") {
      const auto top = whole(size.parts()[0]);
      const auto bottom = whole(size.parts()[1]);
      if (top && bottom && least(*bottom).value_or(0) >= 1)
        return cast_number(type, integer(Size::binary("/", *top, *bottom)), offset);
    } else if (size.op() == Size::Op::Text || size.op() == Size::Op::Named) {
      const Size& inner = size.op() == Size::Op::Named ? size.parts()[0] : size;
      const double number = inner.op() == Size::Op::Text
                                ? std::strtod(inner.word().c_str(), nullptr)
                                : static_cast<double>(inner.number().value_or(-1));
      if (number >= 0 && number < 9e15)
        return cast_number(type, integer(static_cast<std::int64_t>(number)), offset);
    } else if (const auto same = whole(size)) {
      return cast_number(type, integer(*same), offset);
    }
    return unknown(
        offset, "this floating-point number cannot be converted to an integer of the launch plan");
  }
  const Size& size = value.size;
  const auto low = least(size);
  const auto high = greatest(size);
  if (type == "bool") {
    const bool is_truth = low && high && *low >= 0 && *high <= 1;
    return is_truth ? value : integer(Size::binary("!=", size, 0));
  }
  const bool is_unsigned = type.starts_with("u") || type == "size_t";
  const int bits = 8 * bytes_of_type(type);
  if (is_unsigned && low.value_or(-1) < 0) {
    if (paths_.inside > 0 || value.size.number())
      return unknown(
          offset, fmt::format("this value may be below 0, which the type '{}' cannot hold", type));
    paths_.require(integer(Size::binary(">=", size, 0)), offset);
  }
  if (bits >= 32 || bits == 0) return value;
  const std::int64_t most = (std::int64_t{1} << (is_unsigned ? bits : bits - 1)) - 1;
  if (low && high && *low >= -most - 1 && *high <= most) return value;
  if (is_unsigned) return integer(Size::binary("%", size, most + 1));
  return unknown(offset, fmt::format("this value may be larger than the type '{}' can hold", type));
}

}  // namespace kw::import
