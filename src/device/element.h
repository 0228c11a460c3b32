// The C++ types in which the referee reads and writes elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "device/cuda/draw.cuh"
#include "device/cuda/half.cuh"
#include "record/dtype.h"

namespace kw::device {

/// Calls `visit` with a value-initialised element of a dtype, for its type: float for F32, Half for
/// F16, Bool for Bool. Gives what `visit` gives.
template <class Visit>
decltype(auto) with_element(Dtype dtype, Visit&& visit) {
  switch (dtype) {
    case Dtype::F32:
      return visit(float{});
    case Dtype::F64:
      return visit(double{});
    case Dtype::F16:
      return visit(Half{});
    case Dtype::BF16:
      return visit(BFloat{});
    case Dtype::I8:
      return visit(std::int8_t{});
    case Dtype::I16:
      return visit(std::int16_t{});
    case Dtype::I32:
      return visit(std::int32_t{});
    case Dtype::I64:
      return visit(std::int64_t{});
    case Dtype::U8:
      return visit(std::uint8_t{});
    case Dtype::U16:
      return visit(std::uint16_t{});
    case Dtype::U32:
      return visit(std::uint32_t{});
    case Dtype::U64:
      return visit(std::uint64_t{});
    case Dtype::Bool:
      return visit(Bool{});
  }
  panic("an element type outside of the table");
}

/// Whether elements of this type are integers or bool.
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> || std::is_same_v<T, Bool>;

/// The element that is nearest to a number: real types round to the nearest and overflow to
/// infinity; integers and bool take the nearest of their values.
template <class T>
T element_of(double value) {
  if constexpr (kIsInteger<T>)
    return Convert<T>::from(value);
  else
    return nearest_of<T>(value);
}

}  // namespace kw::device
