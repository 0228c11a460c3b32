// Vector code written once and compiled for three instruction sets; compiled without contraction,
// so that all three give the same bits.
// SPDX-License-Identifier: Apache-2.0
#include "device/compare_kernel.h"

#include <cstring>

namespace kw::device {
namespace {

using V = double __attribute__((vector_size(64)));
using Mask = long long __attribute__((vector_size(64)));
using F = float __attribute__((vector_size(32)));

#define KW_INLINE inline __attribute__((always_inline))

KW_INLINE void load(V& v, const double* from) { std::memcpy(&v, from, sizeof v); }
KW_INLINE void load(V& v, const float* from) {
  F narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  v = __builtin_convertvector(narrow, V);
}
template <int kExponent, int kFraction>
KW_INLINE void load(V& v, const TwoBytes<kExponent, kFraction>* from) {
  for (int lane = 0; lane < Totals::kLanes; ++lane) v[lane] = static_cast<double>(from[lane]);
}
KW_INLINE void round_to(V& v, const float*) {
  v = __builtin_convertvector(__builtin_convertvector(v, F), V);
}
KW_INLINE void round_to(V&, const double*) {}
template <int kExponent, int kFraction>
KW_INLINE void round_to(V& v, const TwoBytes<kExponent, kFraction>*) {
  using T = TwoBytes<kExponent, kFraction>;
  for (int lane = 0; lane < Totals::kLanes; ++lane)
    v[lane] = static_cast<double>(T::nearest(v[lane]));
}

KW_INLINE void magnitude_of(V& v) {
  constexpr long long keep = 0x7fff'ffff'ffff'ffff;
  Mask bits;
  std::memcpy(&bits, &v, sizeof bits);
  bits &= keep;
  std::memcpy(&v, &bits, sizeof v);
}

template <class T, bool kExact, bool kMagnitude>
KW_INLINE bool run(const T* got, const double* truth, const double* magnitude, std::size_t count,
                   const Allowance& allowance, Totals& totals) {
  Totals t = totals;
  V max_diff, max_truth, sq_diff, sq_truth, sum_got, sum_want, worst_diff, worst_allowed;
  load(max_diff, t.max_abs_diff), load(max_truth, t.max_abs_truth);
  load(sq_diff, t.sum_sq_diff), load(sq_truth, t.sum_sq_truth);
  load(sum_got, t.sum_got), load(sum_want, t.sum_want);
  load(worst_diff, t.worst_diff), load(worst_allowed, t.worst_allowed);
  Mask failed = {};
  V not_finite = {};
  for (std::size_t i = 0; i < count; i += Totals::kLanes) {
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
      if constexpr (kMagnitude) {
        V s;
        load(s, magnitude + i);
        allowed += allowance.magnitude * s;
      }
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
  for (int lane = 0; lane < Totals::kLanes; ++lane) {
    if (!(not_finite[lane] == 0)) return false;
    t.failed += failed[lane];
  }
  const auto store = [](double(&to)[Totals::kLanes], const V& v) { std::memcpy(to, &v, sizeof v); };
  store(t.max_abs_diff, max_diff), store(t.max_abs_truth, max_truth);
  store(t.sum_sq_diff, sq_diff), store(t.sum_sq_truth, sq_truth);
  store(t.sum_got, sum_got), store(t.sum_want, sum_want);
  store(t.worst_diff, worst_diff), store(t.worst_allowed, worst_allowed);
  totals = t;
  return true;
}

template <class T>
KW_INLINE bool choose(const T* got, const double* truth, const double* magnitude, std::size_t count,
                      const Allowance& allowance, Totals& totals) {
  if (allowance.exact) return run<T, true, false>(got, truth, magnitude, count, allowance, totals);
  if (magnitude != nullptr)
    return run<T, false, true>(got, truth, magnitude, count, allowance, totals);
  return run<T, false, false>(got, truth, magnitude, count, allowance, totals);
}

template <class T>
using Accumulate = bool (*)(const T*, const double*, const double*, std::size_t, const Allowance&,
                            Totals&);

template <class T>
bool plain(const T* g, const double* w, const double* m, std::size_t n, const Allowance& a,
           Totals& t) {
  return choose(g, w, m, n, a, t);
}

#if defined(__x86_64__)
template <class T>
__attribute__((target("avx2"))) bool with_avx2(const T* g, const double* w, const double* m,
                                               std::size_t n, const Allowance& a, Totals& t) {
  return choose(g, w, m, n, a, t);
}

template <class T>
__attribute__((target("avx512f,avx512dq,avx512vl"))) bool with_avx512(
    const T* g, const double* w, const double* m, std::size_t n, const Allowance& a, Totals& t) {
  return choose(g, w, m, n, a, t);
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
