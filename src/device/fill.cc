// The kinds of values, each a function of (seed, index).
// SPDX-License-Identifier: Apache-2.0
#include "device/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "device/layout.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

/// Per-tensor draws come from far beyond any element's index.
constexpr std::uint64_t kPerTensor = std::uint64_t{1} << 62;

double number(const Values& values, const char* key, double fallback) {
  const auto at = values.numbers.find(key);
  return at == values.numbers.end() ? fallback : at->second;
}

template <class T>
T convert(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const double rounded = std::nearbyint(value);
    // The upper limit of i64 is not a double; the largest double below it is.
    const double highest =
        std::min(static_cast<double>(std::numeric_limits<T>::max()), 0x1.fffffffffffffp+62);
    return static_cast<T>(
        std::clamp(rounded, static_cast<double>(std::numeric_limits<T>::min()), highest));
  }
}

struct Uniform {
  std::uint64_t seed;
  double lo;
  double width;
  double operator()(std::uint64_t i) const { return lo + width * unit_from(bits_at(seed, i)); }
};

struct Normal {
  const Ziggurat& table;
  std::uint64_t seed;
  double mean;
  double deviation;
  double operator()(std::uint64_t i) const { return mean + deviation * normal_at(table, seed, i); }
};

struct Ramp {
  double first;
  double slope;
  double operator()(std::uint64_t i) const { return first + slope * static_cast<double>(i); }
};

struct Spikes {
  Normal base;
  std::uint64_t seed;
  double share;
  double height;
  double operator()(std::uint64_t i) const {
    return unit_from(bits_at(seed, i)) < share ? height * base(i) : base(i);
  }
};

struct Ties {
  std::uint64_t seed;
  double levels;
  bool is_integer;
  double operator()(std::uint64_t i) const {
    const double level = std::floor(unit_from(bits_at(seed, i)) * levels);
    return is_integer ? level : (2 * level + 1) / levels - 1;
  }
};

/// Sign, exponent and fraction drawn apart: exact and without a call to exp2.
struct Mixed {
  std::uint64_t seed;
  std::int64_t lo;
  std::uint64_t octaves;
  double operator()(std::uint64_t i) const {
    const std::uint64_t bits = bits_at(seed, i);
    const auto octave = static_cast<std::int64_t>(((bits & 0x7ff) * octaves) >> 11);
    const std::uint64_t exponent = static_cast<std::uint64_t>(1023 + lo + octave) << 52;
    const std::uint64_t sign = (bits << 52) & (std::uint64_t{1} << 63);
    return std::bit_cast<double>(sign | exponent | (bits >> 12));
  }
};

struct Integers {
  std::uint64_t seed;
  double lo;
  double count;
  double operator()(std::uint64_t i) const {
    return lo + std::floor(count * unit_from(bits_at(seed, i)));
  }
};

struct Constant {
  double value;
  double operator()(std::uint64_t) const { return value; }
};

/// Positions in a grid: point 1 in the cell of point 0, the last of three or more between the
/// border and the first index outside, so that a corner of its cell lies in the halo.
struct Points {
  std::uint64_t seed;
  const Values& values;
  std::uint64_t axes;
  std::uint64_t points;

  double operator()(std::uint64_t i) const {
    const std::uint64_t point = i / axes;
    const auto axis = static_cast<std::size_t>(i % axes);
    const double cells = static_cast<double>(std::max<std::int64_t>(values.count[axis] - 1, 1));
    const std::uint64_t owner = point == 1 ? i - axes : i;
    double cell = std::floor(cells * unit_from(bits_at(seed, 2 * owner)));
    if (points >= 3 && point == points - 1 && values.count[axis] > 1)
      cell = (bits_at(seed, 2 * owner) & 1) != 0 ? cells : -1;
    const double inside = values.count[axis] > 1 ? unit_from(bits_at(seed, 2 * i + 1)) : 0;
    return values.origin[axis] + values.step[axis] * (cell + inside);
  }
};

template <class T, class Draw>
void fill_rows(std::span<std::byte> memory, const Rows& rows, const Draw& draw,
               Parallel& parallel) {
  auto* first = reinterpret_cast<T*>(memory.data());
  const Pieces pieces(rows);
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      T* to = first + row * rows.pitch + column;
      const auto index = static_cast<std::uint64_t>(row * rows.length + column);
      for (std::int64_t i = 0; i < n; ++i)
        to[i] = convert<T>(draw(index + static_cast<std::uint64_t>(i)));
    });
  });
}

template <class Draw>
void fill_any(std::span<std::byte> memory, const Tensor& tensor, const Draw& draw,
              Parallel& parallel) {
  const Rows rows = rows_of(tensor);
  switch (tensor.dtype) {
    case Dtype::F32:
      return fill_rows<float>(memory, rows, draw, parallel);
    case Dtype::F64:
      return fill_rows<double>(memory, rows, draw, parallel);
    case Dtype::I32:
      return fill_rows<std::int32_t>(memory, rows, draw, parallel);
    case Dtype::I64:
      return fill_rows<std::int64_t>(memory, rows, draw, parallel);
    case Dtype::U8:
      return fill_rows<std::uint8_t>(memory, rows, draw, parallel);
  }
}

std::uint32_t poison_word(std::uint64_t seed, std::uint64_t index) {
  // Exponent bits 110xxxxx: finite and above 2^65 as f32, and as f64 in the high word.
  return (static_cast<std::uint32_t>(bits_at(seed, index)) & 0x8fff'ffff) | 0x6000'0000;
}

Result<> fill_points(std::span<std::byte> memory, const Tensor& tensor, std::uint64_t seed,
                     Parallel& parallel) {
  const Values& v = tensor.values;
  const auto axes = tensor.sizes.empty() ? 0 : static_cast<std::size_t>(tensor.sizes.back());
  if (tensor.sizes.size() != 2 || v.origin.size() != axes || v.step.size() != axes ||
      v.count.size() != axes)
    return fail("values 'points' need a shape [k, d] and d origins, steps and counts", tensor.name);
  const auto points = static_cast<std::uint64_t>(tensor.sizes.front());
  fill_any(memory, tensor, Points{seed, v, axes, points}, parallel);
  return {};
}

}  // namespace

void fill_poison(std::span<std::byte> memory, std::uint64_t seed, Parallel& parallel) {
  const auto words = static_cast<std::int64_t>(memory.size() / 4);
  const Pieces pieces({1, words, words});
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t, std::int64_t column, std::int64_t n) {
      std::byte* to = memory.data() + column * 4;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint32_t word = poison_word(seed, static_cast<std::uint64_t>(column + i));
        std::memcpy(to + i * 4, &word, sizeof word);
      }
    });
  });
  const std::uint32_t last = poison_word(seed, static_cast<std::uint64_t>(words));
  std::memcpy(memory.data() + words * 4, &last, memory.size() % 4);
}

Result<> fill_values(std::span<std::byte> memory, const Tensor& tensor, std::uint64_t seed,
                     Parallel& parallel) {
  const auto bytes = static_cast<std::size_t>(tensor.bytes());
  KW_ASSERT(bytes <= memory.size());
  if (rows_of(tensor).count > 1 || bytes < memory.size()) fill_poison(memory, ~seed, parallel);
  if (bytes == 0) return {};

  const Values& v = tensor.values;
  const auto draw = [&](const auto& values) -> Result<> {
    fill_any(memory, tensor, values, parallel);
    return {};
  };

  const double lo = number(v, "lo", 0);
  const double hi = number(v, "hi", 1);
  if (v.kind == "uniform") return draw(Uniform{seed, lo, hi - lo});
  if (v.kind == "normal")
    return draw(Normal{ziggurat(), seed, number(v, "mean", 0), number(v, "std", 1)});
  if (v.kind == "offset_scale") {
    const double scale = std::pow(10.0, 2 * unit_from(bits_at(seed, kPerTensor)) - 1);
    const double offset = 200 * unit_from(bits_at(seed, kPerTensor + 1)) - 100;
    return draw(Normal{ziggurat(), seed, offset, scale});
  }
  if (v.kind == "ramp") {
    const auto rows = rows_of(tensor);
    const double steps =
        static_cast<double>(std::max<std::int64_t>(rows.count * rows.length, 2)) - 1;
    const bool is_falling = (bits_at(seed, kPerTensor) & 1) != 0;
    return draw(is_falling ? Ramp{hi, (lo - hi) / steps} : Ramp{lo, (hi - lo) / steps});
  }
  if (v.kind == "spikes")
    return draw(Spikes{{ziggurat(), seed, 0, number(v, "std", 1)},
                       bits_at(seed, kPerTensor),
                       number(v, "share", 0.001),
                       number(v, "height", 1000)});
  if (v.kind == "ties") return draw(Ties{seed, number(v, "levels", 4), !is_real(tensor.dtype)});
  if (v.kind == "mixed") {
    const auto lo_exp = std::llround(number(v, "lo_exp", -8));
    const auto octaves = std::llround(number(v, "hi_exp", 8)) - lo_exp;
    if (lo_exp < -1022 || octaves < 1 || lo_exp + octaves > 1023)
      return fail("values 'mixed' need -1022 <= lo_exp < hi_exp <= 1023", tensor.name);
    return draw(Mixed{seed, lo_exp, static_cast<std::uint64_t>(octaves)});
  }
  if (v.kind == "integers") return draw(Integers{seed, lo, number(v, "hi", 1) - lo + 1});
  if (v.kind == "constant") return draw(Constant{number(v, "value", 0)});
  if (v.kind == "zero") return draw(Constant{0});
  if (v.kind == "points") return fill_points(memory, tensor, seed, parallel);
  return fail(fmt::format("unknown kind of values '{}'", v.kind), tensor.name);
}

}  // namespace kw::device
