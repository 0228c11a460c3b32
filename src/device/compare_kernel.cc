// Vector code written once and compiled for three instruction sets, without contraction, so that
// all three give the same bits.
// SPDX-License-Identifier: Apache-2.0
#include "device/compare_kernel.h"

#include <cstring>

namespace kw::device {
namespace {

#define KW_INLINE inline __attribute__((always_inline))

/// Registers of doubles, as wide as an instruction set has them. Spelt out per width, since GCC 12
/// drops a vector size that depends on a template parameter.
template <int kWide>
struct Registers;
template <>
struct Registers<2> {
  using V = double __attribute__((vector_size(16)));
  using Mask = long long __attribute__((vector_size(16)));
  using F = float __attribute__((vector_size(8)));
};
template <>
struct Registers<4> {
  using V = double __attribute__((vector_size(32)));
  using Mask = long long __attribute__((vector_size(32)));
  using F = float __attribute__((vector_size(16)));
};
template <>
struct Registers<8> {
  using V = double __attribute__((vector_size(64)));
  using Mask = long long __attribute__((vector_size(64)));
  using F = float __attribute__((vector_size(32)));
};

template <int kWide>
struct Vectors {
  using V = Registers<kWide>::V;
  using Mask = Registers<kWide>::Mask;
  using F = Registers<kWide>::F;

  static KW_INLINE void load(V& v, const double* from) { std::memcpy(&v, from, sizeof v); }
  static KW_INLINE void load(V& v, const float* from) {
    F narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    v = __builtin_convertvector(narrow, V);
  }
  template <int kExponent, int kFraction>
  static KW_INLINE void load(V& v, const TwoBytes<kExponent, kFraction>* from) {
    for (int lane = 0; lane < kWide; ++lane) v[lane] = static_cast<double>(from[lane]);
  }
  static KW_INLINE void store(double* to, const V& v) { std::memcpy(to, &v, sizeof v); }

  static KW_INLINE void round_to(V& v, const float*) {
    v = __builtin_convertvector(__builtin_convertvector(v, F), V);
  }
  static KW_INLINE void round_to(V&, const double*) {}
  template <int kExponent, int kFraction>
  static KW_INLINE void round_to(V& v, const TwoBytes<kExponent, kFraction>*) {
    using T = TwoBytes<kExponent, kFraction>;
    for (int lane = 0; lane < kWide; ++lane) v[lane] = static_cast<double>(T::nearest(v[lane]));
  }

  static KW_INLINE void magnitude_of(V& v) {
    constexpr long long keep = 0x7fff'ffff'ffff'ffff;
    Mask bits;
    std::memcpy(&bits, &v, sizeof bits);
    bits &= keep;
    std::memcpy(&v, &bits, sizeof v);
  }

  /// Computes the lanes from `first` on, for a stretch that lies in the innermost cache. All lanes
  /// at once would need more registers for their ten totals than AVX2 has.
  template <class T, bool kExact, bool kMagnitude>
  static KW_INLINE bool run(const T* got, const double* truth, const double* magnitude,
                            std::size_t count, const Allowance& allowance, int first, Totals& t) {
    V max_diff, max_truth, sq_diff, sq_truth, sum_got, sum_want, worst_diff, worst_allowed;
    load(max_diff, t.max_abs_diff + first), load(max_truth, t.max_abs_truth + first);
    load(sq_diff, t.sum_sq_diff + first), load(sq_truth, t.sum_sq_truth + first);
    load(sum_got, t.sum_got + first), load(sum_want, t.sum_want + first);
    load(worst_diff, t.worst_diff + first), load(worst_allowed, t.worst_allowed + first);
    Mask failed = {};
    V not_finite = {};
    for (std::size_t i = static_cast<std::size_t>(first); i < count; i += Totals::kLanes) {
      V g, w;
      load(g, got + i), load(w, truth + i);
      not_finite += (g - g) + (w - w);  // 0 for finite values, else NaN
      V diff = g - w, abs_truth = w;
      magnitude_of(diff), magnitude_of(abs_truth);
      V allowed = {};
      if constexpr (kExact) {
        V rounded = w;
        round_to(rounded, got);
        Mask a, b;
        std::memcpy(&a, &g, sizeof a), std::memcpy(&b, &rounded, sizeof b);
        failed -= a != b;
      } else {
        allowed = allowance.absolute + allowance.relative * abs_truth;
        V s = {};
        if constexpr (kMagnitude) {
          load(s, magnitude + i);
          allowed += allowance.magnitude * s;
        }
        const Mask is_sharp = (s <= allowance.exact_below) & (allowance.exact_within < allowed);
        allowed = is_sharp ? allowance.exact_within - V{} : allowed;
        failed -= diff > allowed;
        const Mask is_worse = diff * worst_allowed > worst_diff * allowed;
        worst_diff = is_worse ? diff : worst_diff;
        worst_allowed = is_worse ? allowed : worst_allowed;
      }
      max_diff = diff > max_diff ? diff : max_diff;
      max_truth = abs_truth > max_truth ? abs_truth : max_truth;
      sq_diff += diff * diff;
      sq_truth += w * w;
      sum_got += g;
      sum_want += w;
    }
    for (int lane = 0; lane < kWide; ++lane) {
      if (!(not_finite[lane] == 0)) return false;
      t.failed += failed[lane];
    }
    store(t.max_abs_diff + first, max_diff), store(t.max_abs_truth + first, max_truth);
    store(t.sum_sq_diff + first, sq_diff), store(t.sum_sq_truth + first, sq_truth);
    store(t.sum_got + first, sum_got), store(t.sum_want + first, sum_want);
    store(t.worst_diff + first, worst_diff), store(t.worst_allowed + first, worst_allowed);
    return true;
  }
};

template <int kWide, class T>
KW_INLINE bool choose(const T* got, const double* truth, const double* magnitude, std::size_t count,
                      const Allowance& allowance, Totals& totals) {
  static_assert(Totals::kLanes % kWide == 0);
  using W = Vectors<kWide>;
  Totals t = totals;
  for (int first = 0; first < Totals::kLanes; first += kWide) {
    const bool taken =
        allowance.exact
            ? W::template run<T, true, false>(got, truth, magnitude, count, allowance, first, t)
        : magnitude != nullptr
            ? W::template run<T, false, true>(got, truth, magnitude, count, allowance, first, t)
            : W::template run<T, false, false>(got, truth, magnitude, count, allowance, first, t);
    if (!taken) return false;
  }
  totals = t;
  return true;
}

template <class T>
using Accumulate = bool (*)(const T*, const double*, const double*, std::size_t, const Allowance&,
                            Totals&);

template <class T>
bool plain(const T* g, const double* w, const double* m, std::size_t n, const Allowance& a,
           Totals& t) {
  return choose<2>(g, w, m, n, a, t);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) bool with_avx2(const T* g, const double* w, const double* m,
                                               std::size_t n, const Allowance& a, Totals& t) {
  return choose<4>(g, w, m, n, a, t);
}

template <class T>
__attribute__((target("avx512f,avx512dq,avx512vl"))) bool with_avx512(
    const T* g, const double* w, const double* m, std::size_t n, const Allowance& a, Totals& t) {
  return choose<8>(g, w, m, n, a, t);
}
#endif

template <class T>
Accumulate<T> best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return with_avx512<T>;
  if (__builtin_cpu_supports("avx2")) return with_avx2<T>;
#endif
  return plain<T>;
}

}  // namespace

bool accumulate(const float* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals) {
  static const auto chosen = best<float>();
  return chosen(got, truth, magnitude, count, allowance, totals);
}

bool accumulate(const double* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals) {
  static const auto chosen = best<double>();
  return chosen(got, truth, magnitude, count, allowance, totals);
}

bool accumulate(const Half* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals) {
  static const auto chosen = best<Half>();
  return chosen(got, truth, magnitude, count, allowance, totals);
}

bool accumulate(const BFloat* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals) {
  static const auto chosen = best<BFloat>();
  return chosen(got, truth, magnitude, count, allowance, totals);
}

}  // namespace kw::device
