// The table of element types: what the rooms need to know about each, as data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/enum_names.h"

namespace kw {

/// Element types: `F16` is IEEE binary16, `BF16` the upper half of an F32, `Bool` a byte that is 0
/// or 1.
enum class Dtype { F32, F64, I32, I64, U8, F16, BF16, I8, I16, U16, U32, U64, Bool };
template <>
struct EnumNames<Dtype> {
  static constexpr std::array<std::string_view, 13> names{
      "f32", "f64", "i32", "i64", "u8", "f16", "bf16", "i8", "i16", "u16", "u32", "u64", "bool"};
};

inline constexpr std::array<Dtype, 13> kAllDtypes{
    Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::U8,  Dtype::F16, Dtype::BF16,
    Dtype::I8,  Dtype::I16, Dtype::U16, Dtype::U32, Dtype::U64, Dtype::Bool};

/// What the values of a type are.
enum class Numbers { Real, Signed, Unsigned };

struct DtypeRow {
  std::size_t bytes = 0;
  Numbers numbers = Numbers::Real;
  int significand_bits = 0;  ///< Of real types, the leading one included.
  /// The type in signatures: of C with <stdint.h> and <stdbool.h>, C++ and CUDA alike.
  std::string_view c_type;
  /// The type without typedefs, as prompts and drafted kernels name it.
  std::string_view plain_type;
  std::int64_t lowest = 0;    ///< Of integers and bool.
  std::uint64_t highest = 0;  ///< Of integers and bool.
};

namespace internal {

template <class T>
constexpr DtypeRow integer_row(std::string_view c_type, std::string_view plain_type) {
  using Limits = std::numeric_limits<T>;
  return {sizeof(T),
          Limits::is_signed ? Numbers::Signed : Numbers::Unsigned,
          0,
          c_type,
          plain_type,
          static_cast<std::int64_t>(Limits::lowest()),
          static_cast<std::uint64_t>(Limits::max())};
}

}  // namespace internal

constexpr DtypeRow row_of(Dtype dtype) {
  using internal::integer_row;
  switch (dtype) {
    case Dtype::F32:
      return {4, Numbers::Real, 24, "float", "float"};
    case Dtype::F64:
      return {8, Numbers::Real, 53, "double", "double"};
    case Dtype::F16:
      return {2, Numbers::Real, 11, "__half", "__half"};
    case Dtype::BF16:
      return {2, Numbers::Real, 8, "__nv_bfloat16", "__nv_bfloat16"};
    case Dtype::I8:
      return integer_row<std::int8_t>("int8_t", "signed char");
    case Dtype::I16:
      return integer_row<std::int16_t>("int16_t", "short");
    case Dtype::I32:
      return integer_row<std::int32_t>("int", "int");
    case Dtype::I64:
      return integer_row<std::int64_t>("int64_t", "long long");
    case Dtype::U8:
      return integer_row<std::uint8_t>("uint8_t", "unsigned char");
    case Dtype::U16:
      return integer_row<std::uint16_t>("uint16_t", "unsigned short");
    case Dtype::U32:
      return integer_row<std::uint32_t>("uint32_t", "unsigned int");
    case Dtype::U64:
      return integer_row<std::uint64_t>("uint64_t", "unsigned long long");
    case Dtype::Bool:
      return {1, Numbers::Unsigned, 0, "bool", "bool", 0, 1};
  }
  return {};
}

/// Bytes of one element.
constexpr std::size_t size_of(Dtype dtype) { return row_of(dtype).bytes; }

/// Whether elements have two bytes and are real; sums and references are kept in wider types.
constexpr bool is_half(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }

constexpr bool is_real(Dtype dtype) { return row_of(dtype).numbers == Numbers::Real; }

/// Whether elements are whole numbers; bool is none.
constexpr bool is_integer(Dtype dtype) { return !is_real(dtype) && dtype != Dtype::Bool; }

/// Bits of a real type's significand, the leading one included; 0 for integers.
constexpr int significand_bits(Dtype dtype) { return row_of(dtype).significand_bits; }

/// The unit roundoff of a real type: half the distance from 1 to the next larger number, and so the
/// most by which rounding to the nearest number changes a value, relative to the value: 2^-24 for
/// f32, 2^-53 for f64, 2^-11 for f16, 2^-8 for bf16; 0 for integers.
constexpr double unit_roundoff(Dtype dtype) {
  const int bits = significand_bits(dtype);
  return bits == 0 ? 0 : 1 / static_cast<double>(std::uint64_t{1} << bits);
}

/// Whether an integer type can hold a value.
constexpr bool can_hold(Dtype dtype, std::int64_t value) {
  const DtypeRow row = row_of(dtype);
  return value >= row.lowest && (value < 0 || static_cast<std::uint64_t>(value) <= row.highest);
}

}  // namespace kw
