// Draws values of the kinds in docs/formats.md, each a function of (seed, index). Host and GPUs
// compile the same text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include "half.cuh"
#include "structured.cuh"
#else
#include "device/cuda/half.cuh"
#include "device/cuda/structured.cuh"
#endif

namespace kw::device {

/// Layers of equal area under the bell curve, after Marsaglia and Tsang (2000).
struct Ziggurat {
  static constexpr int kLayers = 256;
  double x[kLayers + 1];  ///< Right edges; x[0] is the virtual edge of the base strip.
  double inner[kLayers];  ///< x[i + 1] / x[i]: a draw below it needs no test.
  double y[kLayers + 1];  ///< bell(x[i]).
};
/// Where the tail begins (Marsaglia and Tsang, 2000, section 4).
#define KW_ZIGGURAT_TAIL 3.6541528853610088

KW_FN double bell(double x) { return exact::exp_of(exact::mul(-0.5, exact::mul(x, x))); }

/// A number in (-1, 1): a fraction of a layer's width.
KW_FN double ziggurat_u(Word bits) { return exact::mul((double)((long long)bits >> 11), 0x1p-52); }

/// The rare part of normal_at(): wedges and tail.
#ifdef __CUDACC__
__device__ __noinline__
#else
inline
#endif
    double
    normal_slow(const Ziggurat& z, Word bits) {
  const Word seed = bits;
  Word draw = 0;
  for (;;) {
    const int layer = (int)(bits & 255);
    const double u = ziggurat_u(bits);
    const double value = exact::mul(u, z.x[layer]);
    if (exact::abs_of(u) < z.inner[layer]) return value;
    if (layer == 0) {
      // Marsaglia's tail method (1964); 1 - unit is in (0, 1].
      double past;
      double test;
      do {
        past = exact::div(-exact::log_of(exact::sub(1, unit_from(bits_at(seed, ++draw)))),
                          KW_ZIGGURAT_TAIL);
        test = -exact::log_of(exact::sub(1, unit_from(bits_at(seed, ++draw))));
      } while (exact::add(test, test) < exact::mul(past, past));
      const double far = exact::add(KW_ZIGGURAT_TAIL, past);
      return u < 0 ? -far : far;
    }
    const double low = z.y[layer];
    const double high = z.y[layer + 1];
    const double unit = unit_from(bits_at(seed, ++draw));
    if (exact::add_mul(low, unit, exact::sub(high, low)) < bell(value)) return value;
    bits = bits_at(seed, ++draw);
  }
}

/// A normal number of mean 0 and deviation 1. Takes 1.5 ns on a host; the rare cases (1 %) draw
/// again from the same bits.
KW_FN double normal_at(const Ziggurat& z, Word seed, Word index) {
  const Word bits = bits_at(seed, index);
  const int layer = (int)(bits & 255);
  const double u = ziggurat_u(bits);
  if (exact::abs_of(u) < z.inner[layer]) return exact::mul(u, z.x[layer]);
  return normal_slow(z, bits);
}

enum class DrawKind {
  Uniform,
  Normal,
  Ramp,
  Spikes,
  Ties,
  TieLevels,
  Mixed,
  Integers,
  Constant,
  Grid,
  Counted,
  PlantedNormal,
  PlantedGrid,
  Offsets,
  Permutation,
  OneHot,
  Sorted,
  SortedIntegers,
  Dominant,
  Special
};

/// Whole quotient and remainder of numbers below 2^52, by a product and a correction, since a
/// division for every element would cost more than the rest of its draw.
KW_FN Word divide(Word value, Word by, double reciprocal, Word& rest) {
  Word quotient = (Word)exact::mul((double)value, reciprocal);
  rest = value - quotient * by;
  if ((long long)rest < 0) {
    --quotient;
    rest += by;
  } else if (rest >= by) {
    ++quotient;
    rest -= by;
  }
  return quotient;
}

/// The lines of a tensor along which a task sums, and which of them are planted. A planted line
/// holds only a few elements that are not 0, so that a sum over it is exact in any order.
struct Lines {
  Word seed;    ///< Seed of the choice of lines.
  Word where;   ///< Seed of the choice of elements.
  Word length;  ///< Number of elements of a line.
  Word inner;   ///< Distance between neighbouring elements of a line.
  Word side;    ///< Size of the axis that numbers neighbouring lines.
  /// Lines whose numbers on the axis of size `side` are equal modulo `fold` are planted together.
  Word fold;
  Word last_key;                                 ///< Key of the last line.
  Word certain_key;                              ///< Key of the lines that are planted in any case.
  double by_length, by_inner, by_side, by_fold;  ///< Reciprocals of the sizes above.
  double share;                                  ///< Share of lines that are planted.
  double edge;                                   ///< Share for the first and the last line.
  double density;  ///< Share of a planted line's other elements that are chosen too.

  struct Place {
    Word line;
    Word at;
  };
  KW_FN Place place(Word i) const {
    Word inside, at;
    const Word block = divide(i, inner, by_inner, inside);
    const Word outer = divide(block, length, by_length, at);
    return {outer * inner + inside, at};
  }
  KW_FN bool is_planted(Word line) const {
    Word number, folded;
    divide(line, side, by_side, number);
    divide(number, fold, by_fold, folded);
    const Word key = line - number + folded;
    if (key == certain_key) return true;
    return unit_from(bits_at(seed, key)) < (key == 0 || key == last_key ? edge : share);
  }
  /// Whether an element of a planted line is chosen to differ from the rest of the line. Two always
  /// are: one anywhere, and one that is the last element in half of all lines and the first in a
  /// quarter.
  KW_FN bool is_chosen(Place p, Word i) const {
    const Word bits = bits_at(where, p.line);
    Word one, other;
    const double reciprocal = by_length;
    divide(bits >> 12 & 0xff'ffff'ffffull, length, reciprocal, one);
    divide(bits_at(~where, p.line) >> 12, length, reciprocal, other);
    const Word which = bits & 3;
    if (p.at == one || p.at == (which < 2 ? length - 1 : which == 2 ? 0 : other)) return true;
    return density > 0 && unit_from(bits_at(where ^ seed, i)) < density;
  }
};

/// What drawing an element needs beside its index; the functors explain `a` to `c`, and what
/// with_draw() makes of `octaves` and `lo`.
struct DrawSpec {
  DrawKind kind = DrawKind::Constant;
  Word seed = 0;
  Word base_seed = 0;  ///< Spikes: seed of the values that are not spikes.
  double a = 0;
  double b = 0;
  double c = 0;
  long long lo = 0;
  Word octaves = 0;
  Lines lines = {};  ///< Lines, for the kinds Grid to PlantedGrid.
};

struct Uniform {
  Word seed;
  double lo;
  double width;
  KW_FN double operator()(Word i) const {
    return exact::add_mul(lo, width, unit_from(bits_at(seed, i)));
  }
};

struct Normal {
  const Ziggurat& table;
  Word seed;
  double mean;
  double deviation;
  KW_FN double operator()(Word i) const {
    return exact::add_mul(mean, deviation, normal_at(table, seed, i));
  }
};

struct Ramp {
  double first;
  double slope;
  KW_FN double operator()(Word i) const { return exact::add_mul(first, slope, (double)i); }
};

struct Spikes {
  Normal base;
  Word seed;
  double share;
  double height;
  KW_FN double operator()(Word i) const {
    const double value = base(i);
    return unit_from(bits_at(seed, i)) < share ? exact::mul(height, value) : value;
  }
};

/// Normal numbers, and a share of numbers on which code for plain numbers goes wrong: -0.0 and
/// denormal numbers, in turn with NaN and -infinity where `has_nonfinite`.
struct Special {
  Normal base;
  Word seed;
  double share;
  double unit;  ///< The type's least number above 0.
  Word most;    ///< Its denormal numbers are below this many units.
  bool has_nonfinite;
  KW_FN double operator()(Word i) const {
    if (!(unit_from(bits_at(seed, i)) < share)) return base(i);
    const Word bits = bits_at(~seed, i);
    const Word kind = bits >> 2 & (has_nonfinite ? 3 : 1);
    if (kind == 0) return exact::from_bits((Word)1 << 63);
    // All bits of the fraction are set, as they are where a GPU converts a NaN to float.
    if (kind == 2) return exact::from_bits(0x7fff'ffff'ffff'ffffull);
    if (kind == 3) return exact::from_bits(0xfff0'0000'0000'0000ull);
    const double size = exact::mul((double)(1 + (bits >> 12) % (most - 1)), unit);
    return (bits & 1) != 0 ? -size : size;
  }
};

struct Ties {
  Word seed;
  double levels;
  bool is_integer;
  KW_FN double operator()(Word i) const {
    const double level = exact::floor_of(exact::mul(unit_from(bits_at(seed, i)), levels));
    if (is_integer) return level;
    return exact::sub(exact::div(exact::add(exact::mul(2, level), 1), levels), 1);
  }
};

/// Draws sign, exponent and fraction separately: exact, and without a call of exp2.
struct Mixed {
  Word seed;
  long long lo;
  Word octaves;
  KW_FN double operator()(Word i) const {
    const Word bits = bits_at(seed, i);
    const long long octave = (long long)(((bits & 0x7ff) * octaves) >> 11);
    const Word exponent = (Word)(1023 + lo + octave) << 52;
    const Word sign = (bits << 52) & ((Word)1 << 63);
    return exact::from_bits(sign | exponent | (bits >> 12));
  }
};

struct Integers {
  Word seed;
  double lo;
  double count;
  KW_FN double operator()(Word i) const {
    return exact::add(lo, exact::floor_of(exact::mul(count, unit_from(bits_at(seed, i)))));
  }
};

struct Constant {
  double value;
  KW_FN double operator()(Word) const { return value; }
};

/// Multiples of a unit in [-2, 2), with three bits fewer than the type has, so that sums of a few
/// are exact in any order.
struct Grid {
  Word seed;
  double unit;
  int bits;  ///< A value is one of 2^bits multiples of the unit.
  KW_FN double operator()(Word i) const {
    const long long step = (long long)(bits_at(seed, i) >> (64 - bits));
    return exact::mul((double)(step - (1ll << (bits - 1))), unit);
  }
};

/// Nonzero integers up to a largest absolute value.
struct Whole {
  Word seed;
  Word most;
  KW_FN double operator()(Word i) const {
    const Word step = ((bits_at(seed, i) >> 32) * (2 * most)) >> 32;
    return (double)((long long)(step + (step >= most)) - (long long)most);
  }
};

/// Draws one element of a kind of values that has lines. The host, which goes along the lines,
/// looks each line up only once instead.
template <class Draw>
KW_FN double draw_line(const Draw& draw, Word i) {
  const Lines::Place p = draw.lines.place(i);
  return draw.lines.is_planted(p.line) ? draw.planted(p, i) : draw.plain(p.line, i);
}

/// Lines of integers, each line times its own power of two from 1/2 to 2^-7, so that a kernel that
/// is right for whole numbers alone is wrong on every line. Planted lines (see Lines) hold a few
/// numbers of the grid among zeros.
struct Counted {
  Whole whole;
  Grid grid;
  Lines lines;
  KW_FN double plain(Word line, Word i) const {
    const Word octaves = 1 + (((bits_at(~lines.seed, line) >> 32) * 7) >> 32);
    return exact::mul(whole(i), exact::from_bits((1023 - octaves) << 52));
  }
  KW_FN double planted(Lines::Place p, Word i) const { return lines.is_chosen(p, i) ? grid(i) : 0; }
  KW_FN double operator()(Word i) const { return draw_line(*this, i); }
};

/// Draws lines as `base` does, but some of them planted: a planted line holds `value` at a few
/// places (with either sign where `rest` is 0) and `rest` elsewhere. Unless it is 0, `rest` is the
/// value around which `base` varies.
template <class Base>
struct Planted {
  Base base;
  Lines lines;
  double value;
  double rest;
  bool keeps;  ///< The other elements of a planted line stay as the base draws them.
  KW_FN double plain(Word, Word i) const { return base(i); }
  KW_FN double planted(Lines::Place p, Word i) const {
    if (!lines.is_chosen(p, i)) {
      if (keeps) return base(i);
      return rest == 0 ? 0 : exact::add(rest, base(i));
    }
    const bool is_negative = rest == 0 && (bits_at(lines.seed, i) & 1) != 0;
    return is_negative ? -value : value;
  }
  KW_FN double operator()(Word i) const { return draw_line(*this, i); }
};

/// Calls `body` with the functor of a spec, so that loops over elements contain no switch.
template <class Body>
KW_FN void with_draw(const DrawSpec& s, const Ziggurat& table, const Body& body) {
  switch (s.kind) {
    case DrawKind::Uniform:
      return body(Uniform{s.seed, s.a, s.b});
    case DrawKind::Normal:
      return body(Normal{table, s.seed, s.a, s.b});
    case DrawKind::Ramp:
      return body(Ramp{s.a, s.b});
    case DrawKind::Spikes:
      return body(Spikes{{table, s.base_seed, 0, s.a}, s.seed, s.b, s.c});
    case DrawKind::Ties:
      return body(Ties{s.seed, s.a, false});
    case DrawKind::TieLevels:
      return body(Ties{s.seed, s.a, true});
    case DrawKind::Mixed:
      return body(Mixed{s.seed, s.lo, s.octaves});
    case DrawKind::Integers:
      return body(Integers{s.seed, s.a, s.b});
    case DrawKind::Constant:
      return body(Constant{s.a});
    case DrawKind::Grid:
      return body(Grid{s.seed, s.a, (int)s.octaves});
    case DrawKind::Counted:
      return body(Counted{{s.base_seed, (Word)s.b}, {s.seed, s.a, (int)s.octaves}, s.lines});
    case DrawKind::PlantedNormal:
      return body(Planted<Normal>{{table, s.seed, 0, s.a}, s.lines, s.b, s.c, s.lo != 0});
    case DrawKind::PlantedGrid:
      return body(Planted<Grid>{{s.seed, s.a, (int)s.octaves}, s.lines, 1, 0, false});
    case DrawKind::Offsets:
      return body(Offsets{s.seed, s.octaves, s.a});
    case DrawKind::Permutation:
      return body(Permutation{s.seed, s.octaves, (int)s.lo});
    case DrawKind::OneHot:
      return body(OneHot{s.seed, s.octaves});
    case DrawKind::Sorted:
      return body(Sorted{s.seed, s.octaves, s.a, s.b, false});
    case DrawKind::SortedIntegers:
      return body(Sorted{s.seed, s.octaves, s.a, s.b, true});
    case DrawKind::Dominant:
      return body(DominantMatrix{s.seed, s.octaves, s.a != 0, (DominantMatrix::Part)s.lo});
    case DrawKind::Special:
      return body(Special{{table, s.base_seed, 0, s.a}, s.seed, s.b, s.c, s.octaves, s.lo != 0});
  }
}

KW_FN double within(double v, double lowest, double highest) {
  return v < lowest ? lowest : highest < v ? highest : v;
}
/// Rounds to the nearest integer of the type, ties to even, and clamps to the type's limits.
KW_FN double rounded_within(double value, double lowest, double highest) {
  return within(exact::round_of(value), lowest, highest);
}
template <class T>
struct Convert;
template <>
struct Convert<double> {
  static KW_FN double from(double v) { return v; }
};
template <>
struct Convert<float> {
  static KW_FN float from(double v) { return (float)v; }
};
/// Converts to a two-byte type; a number beyond the largest finite one becomes that number, so that
/// values are finite.
template <int kExponent, int kFraction>
struct Convert<TwoBytes<kExponent, kFraction>> {
  using T = TwoBytes<kExponent, kFraction>;
  static KW_FN T from(double v) { return T::nearest(within(v, -T::largest(), T::largest())); }
};
template <>
struct Convert<int> {
  static KW_FN int from(double v) { return (int)rounded_within(v, -2147483648.0, 2147483647.0); }
};
template <>
struct Convert<long long> {
  // The upper limit is no double, so the largest double below it is used.
  static KW_FN long long from(double v) {
    return (long long)rounded_within(v, -0x1p63, 0x1.fffffffffffffp+62);
  }
};
template <>
struct Convert<long> {
  static KW_FN long from(double v) { return (long)Convert<long long>::from(v); }
};
template <>
struct Convert<unsigned char> {
  static KW_FN unsigned char from(double v) { return (unsigned char)rounded_within(v, 0, 255); }
};
template <>
struct Convert<signed char> {
  static KW_FN signed char from(double v) { return (signed char)rounded_within(v, -128, 127); }
};
template <>
struct Convert<short> {
  static KW_FN short from(double v) { return (short)rounded_within(v, -32768, 32767); }
};
template <>
struct Convert<unsigned short> {
  static KW_FN unsigned short from(double v) { return (unsigned short)rounded_within(v, 0, 65535); }
};
template <>
struct Convert<unsigned int> {
  static KW_FN unsigned int from(double v) {
    return (unsigned int)rounded_within(v, 0, 4294967295.0);
  }
};
template <>
struct Convert<unsigned long long> {
  // The upper limit is no double, so the largest double below it is used.
  static KW_FN unsigned long long from(double v) {
    return (unsigned long long)rounded_within(v, 0, 0x1.fffffffffffffp+63);
  }
};
template <>
struct Convert<unsigned long> {
  static KW_FN unsigned long from(double v) {
    return (unsigned long)Convert<unsigned long long>::from(v);
  }
};
template <>
struct Convert<Bool> {
  static KW_FN Bool from(double v) { return {(unsigned char)rounded_within(v, 0, 1)}; }
};

}  // namespace kw::device
