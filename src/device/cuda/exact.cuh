// Arithmetic that gives the same bits on every machine and device: single IEEE operations, no
// contraction, no mathematical library. The same text is compiled for the host and for GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#define KW_FN __device__ __forceinline__
#else
#define KW_FN inline
#endif

namespace kw::device {

typedef unsigned long long Word;

enum class ElementType { F32, F64, I32, I64, U8, F16, BF16, I8, I16, U16, U32, U64, Bool };

/// An element of type Bool as the referee reads it: a byte, of which a kernel may have written any,
/// while only 0 and 1 are values of the type.
struct Bool {
  unsigned char byte;

  explicit KW_FN operator double() const { return (double)byte; }
  friend KW_FN bool operator!=(Bool a, Bool b) { return a.byte != b.byte; }
};

namespace exact {

#ifdef __CUDACC__
KW_FN double add(double a, double b) { return __dadd_rn(a, b); }
KW_FN double sub(double a, double b) { return __dsub_rn(a, b); }
KW_FN double mul(double a, double b) { return __dmul_rn(a, b); }
KW_FN double div(double a, double b) { return __ddiv_rn(a, b); }
KW_FN double from_bits(Word w) { return __longlong_as_double((long long)w); }
KW_FN Word to_bits(double v) { return (Word)__double_as_longlong(v); }
KW_FN double floor_of(double v) { return floor(v); }
KW_FN double round_of(double v) { return rint(v); }
KW_FN double abs_of(double v) { return fabs(v); }
#else
KW_FN double add(double a, double b) { return a + b; }
KW_FN double sub(double a, double b) { return a - b; }
KW_FN double mul(double a, double b) { return a * b; }
KW_FN double div(double a, double b) { return a / b; }
KW_FN double from_bits(Word w) { return __builtin_bit_cast(double, w); }
KW_FN Word to_bits(double v) { return __builtin_bit_cast(Word, v); }
KW_FN double floor_of(double v) { return __builtin_floor(v); }
KW_FN double round_of(double v) { return __builtin_rint(v); }
KW_FN double abs_of(double v) { return __builtin_fabs(v); }
#endif

/// a + b * c with two roundings.
KW_FN double add_mul(double a, double b, double c) { return add(a, mul(b, c)); }

KW_FN bool is_finite(double v) { return (to_bits(v) >> 52 & 0x7ff) != 0x7ff; }

/// Natural logarithm of a positive normal number, to about one unit in the last place: brings x
/// into [sqrt(1/2), sqrt(2)) and uses the series of the inverse hyperbolic tangent.
KW_FN double log_of(double x) {
  const Word bits = to_bits(x);
  double octaves = (double)((long long)(bits >> 52) - 1023);
  double m = from_bits((bits & 0x000f'ffff'ffff'ffffull) | 0x3ff0'0000'0000'0000ull);
  if (m > 1.4142135623730951) {
    m = mul(m, 0.5);
    octaves = add(octaves, 1);
  }
  const double s = div(sub(m, 1), add(m, 1));
  const double z = mul(s, s);
  double sum = 0;
  for (int odd = 23; odd >= 3; odd -= 2) sum = mul(z, add(div(1, (double)odd), sum));
  const double small = mul(mul(2, s), add(1, sum));
  return add_mul(small, octaves, 0.69314718055994531);
}

/// Exponential of a number in [-700, 0], to about one unit in the last place: subtracts multiples
/// of ln 2 in two parts, uses Taylor's series, and puts the multiples into the exponent.
KW_FN double exp_of(double x) {
  const double octaves = round_of(mul(x, 1.4426950408889634));
  // ln 2 as a number with 21 trailing zero bits, plus the rest (W. J. Cody and W. Waite, 1980).
  double r = sub(x, mul(octaves, 0x1.62e42feep-1));
  r = sub(r, mul(octaves, 0x1.a39ef35793c76p-33));
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = add(1, mul(div(r, (double)n), sum));
  return mul(sum, from_bits((Word)((long long)octaves + 1023) << 52));
}

}  // namespace exact

/// 64 random bits for one index: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014) over a
/// Weyl sequence. Takes about 1 ns; vectorises.
KW_FN Word bits_at(Word seed, Word index) {
  Word z = seed + (index + 1) * 0x9e37'79b9'7f4a'7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
  return z ^ (z >> 31);
}

/// A number in [0, 1) from 53 of the bits.
KW_FN double unit_from(Word bits) { return exact::mul((double)(bits >> 11), 0x1p-53); }

/// Eight bytes of poison, the low four first. Each half of four bytes has exponent bits 110xxxxx,
/// so the value is finite at every type: above 2^65 as f32, bf16 and f64; 2^9 to 2^13 as f16.
KW_FN Word poison_pair(Word seed, Word index) {
  return (bits_at(seed, index) & 0x8fff'8fff'8fff'8fffull) | 0x6000'6000'6000'6000ull;
}

/// A byte of a canary, by the multiplier of Knuth's hash; the high byte depends on all bits of the
/// index.
KW_FN unsigned char canary_byte(Word key, Word index) {
  return (unsigned char)(((index + 1) * (key | 1) * 0x9e37'79b9'7f4a'7c15ull) >> 56);
}

}  // namespace kw::device
