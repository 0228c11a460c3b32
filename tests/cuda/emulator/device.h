// CUDA's device language for the host's compiler. This file is included before an emulated kernel's
// source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include <vector_functions.h>
#include <vector_types.h>

#include "runtime.h"

#define __CUDA_ARCH__ 900  // the architecture of the cubin, so that both define the same kernels
#undef __shared__
#define __shared__ static thread_local
#undef __constant__
#define __constant__ static
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __noinline__
#define __noinline__ __attribute__((noinline))
#undef __forceinline__
#define __forceinline__ inline
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)

namespace kw_emulated {

inline const Calls* calls = nullptr;
inline thread_local Thread* self = nullptr;
inline const Kernel* kernels = nullptr;

template <class F>
struct Described;

template <class... A>
struct Described<void (*)(A...)> {
  static constexpr std::size_t kCount = sizeof...(A);

  template <auto f>
  static void call(void* const* arguments) {
    call_with<f>(arguments, std::index_sequence_for<A...>());
  }
  template <auto f, std::size_t... i>
  static void call_with(void* const* arguments, std::index_sequence<i...>) {
    f(*static_cast<std::remove_cvref_t<A>*>(arguments[i])...);
  }
  static const Parameter* parameters() {
    static Parameter all[kCount + 1];
    std::size_t at = 0, i = 0;
    ((at = (at + alignof(A) - 1) / alignof(A) * alignof(A), all[i++] = {at, sizeof(A)},
      at += sizeof(A)),
     ...);
    return all;
  }
};

/// Registers a kernel in the list of its module while the shared object is loaded.
template <auto f>
struct Listed {
  explicit Listed(const char* name) {
    using D = Described<decltype(f)>;
    kernel = {name,   reinterpret_cast<void*>(f), &D::template call<f>, D::parameters(), D::kCount,
              kernels};
    kernels = &kernel;
  }
  Kernel kernel;
};

inline void bind_calls(const Calls* table) { calls = table; }
inline Thread** find_self() { return &self; }

template <class T>
std::uint64_t image_of(T value) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t image = 0;
  memcpy(&image, &value, sizeof value);
  return image;
}
template <class T>
T value_of(std::uint64_t image) {
  T value;
  memcpy(&value, &image, sizeof value);
  return value;
}

template <class T>
T shuffle(unsigned mask, T value, int source, bool is_valid) {
  calls->exchange(*self, mask, image_of(value));
  return is_valid ? value_of<T>(self->received[source & 31]) : value;
}

}  // namespace kw_emulated

#define threadIdx (kw_emulated::self->thread)
#define blockIdx (kw_emulated::self->block)
#define blockDim (kw_emulated::self->block_size)
#define gridDim (kw_emulated::self->grid_size)
#define warpSize 32

// Emulated barriers and fences.
inline void __syncthreads() { kw_emulated::calls->sync_block(*kw_emulated::self, 0, 0); }
inline int __syncthreads_count(int p) {
  int n = 0;
  kw_emulated::calls->sync_block_reduce(*kw_emulated::self, p != 0, 0, &n);
  return n;
}
inline int __syncthreads_and(int p) {
  return kw_emulated::calls->sync_block_reduce(*kw_emulated::self, p != 0, 1, nullptr);
}
inline int __syncthreads_or(int p) {
  return kw_emulated::calls->sync_block_reduce(*kw_emulated::self, p != 0, 2, nullptr);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  kw_emulated::calls->exchange(*kw_emulated::self, mask, 0);
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned ns) { kw_emulated::calls->sleep(*kw_emulated::self, ns); }
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

// Emulated warp operations.
inline unsigned __activemask() { return kw_emulated::calls->active_mask(*kw_emulated::self); }
template <class T>
T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
  const int lane = static_cast<int>(kw_emulated::self->lane);
  return kw_emulated::shuffle(mask, v, (lane & ~(width - 1)) | (source & (width - 1)), true);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) {
  const int lane = static_cast<int>(kw_emulated::self->lane), from = lane ^ bits;
  return kw_emulated::shuffle(mask, v, from, from < (lane & ~(width - 1)) + width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32) {
  const int lane = static_cast<int>(kw_emulated::self->lane);
  return kw_emulated::shuffle(mask, v, lane + static_cast<int>(by),
                              (lane & (width - 1)) + static_cast<int>(by) < width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32) {
  const int lane = static_cast<int>(kw_emulated::self->lane);
  return kw_emulated::shuffle(mask, v, lane - static_cast<int>(by),
                              (lane & (width - 1)) >= static_cast<int>(by));
}
inline unsigned __ballot_sync(unsigned mask, int p) {
  kw_emulated::calls->exchange(*kw_emulated::self, mask, p != 0);
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0 && kw_emulated::self->received[i] != 0) bits |= 1u << i;
  return bits;
}
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) {
  const unsigned there = mask & __activemask();
  return (__ballot_sync(mask, p) & there) == there;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T v) {
  kw_emulated::calls->exchange(*kw_emulated::self, mask, kw_emulated::image_of(v));
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0 && kw_emulated::self->received[i] == kw_emulated::image_of(v))
      bits |= 1u << i;
  return bits;
}
namespace kw_emulated {
template <class T, class Op>
T reduce(unsigned mask, T v, Op op) {
  calls->exchange(*self, mask, image_of(v));
  bool is_first = true;
  T all = v;
  for (unsigned i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) {
      const T other = value_of<T>(self->received[i]);
      all = std::exchange(is_first, false) ? other : op(all, other);
    }
  return all;
}
}  // namespace kw_emulated
template <class T>
T __reduce_add_sync(unsigned mask, T v) {
  return kw_emulated::reduce(mask, v, [](T a, T b) { return a + b; });
}
template <class T>
T __reduce_max_sync(unsigned mask, T v) {
  return kw_emulated::reduce(mask, v, [](T a, T b) { return a > b ? a : b; });
}
template <class T>
T __reduce_min_sync(unsigned mask, T v) {
  return kw_emulated::reduce(mask, v, [](T a, T b) { return a < b ? a : b; });
}
template <class T>
T __reduce_or_sync(unsigned mask, T v) {
  return kw_emulated::reduce(mask, v, [](T a, T b) { return a | b; });
}

// Emulated atomics.
namespace kw_emulated {
template <class T, class Change>
T atomically(T* p, Change change) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  auto* at = reinterpret_cast<Bits*>(p);
  Bits before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(at, &before,
                                      static_cast<Bits>(image_of(change(value_of<T>(before)))),
                                      false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return value_of<T>(before);
}
}  // namespace kw_emulated
#define KW_EMULATED_ATOMIC(name, expression)                                   \
  template <class T>                                                           \
  T name(T* p, std::type_identity_t<T> v) {                                    \
    return kw_emulated::atomically(p, [v](T was) -> T { return expression; }); \
  }                                                                            \
  template <class T>                                                           \
  T name##_block(T* p, std::type_identity_t<T> v) {                            \
    return name(p, v);                                                         \
  }                                                                            \
  template <class T>                                                           \
  T name##_system(T* p, std::type_identity_t<T> v) {                           \
    return name(p, v);                                                         \
  }
KW_EMULATED_ATOMIC(atomicAdd, was + v)
KW_EMULATED_ATOMIC(atomicSub, was - v)
KW_EMULATED_ATOMIC(atomicMax, was > v ? was : v)
KW_EMULATED_ATOMIC(atomicMin, was < v ? was : v)
KW_EMULATED_ATOMIC(atomicExch, (was, v))
KW_EMULATED_ATOMIC(atomicAnd, was& v)
KW_EMULATED_ATOMIC(atomicOr, was | v)
KW_EMULATED_ATOMIC(atomicXor, was ^ v)
KW_EMULATED_ATOMIC(atomicInc, was >= v ? T(0) : T(was + 1))
KW_EMULATED_ATOMIC(atomicDec, was == 0 || was > v ? v : T(was - 1))
template <class T>
T atomicCAS(T* p, std::type_identity_t<T> compare, std::type_identity_t<T> v) {
  return kw_emulated::atomically(p, [=](T was) { return was == compare ? v : was; });
}

// Emulated loads and stores with cache hints.
#define KW_EMULATED_LOAD(name) \
  template <class T>           \
  T name(const T* p) {         \
    return *p;                 \
  }
KW_EMULATED_LOAD(__ldg)
KW_EMULATED_LOAD(__ldcs)
KW_EMULATED_LOAD(__ldca)
KW_EMULATED_LOAD(__ldcg)
KW_EMULATED_LOAD(__ldlu)
KW_EMULATED_LOAD(__ldcv)
#define KW_EMULATED_STORE(name)                \
  template <class T>                           \
  void name(T* p, std::type_identity_t<T> v) { \
    *p = v;                                    \
  }
KW_EMULATED_STORE(__stcs)
KW_EMULATED_STORE(__stcg)
KW_EMULATED_STORE(__stwb)
KW_EMULATED_STORE(__stwt)

// Emulated arithmetic.
using std::max;
using std::min;
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
inline unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
inline unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
inline unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline long long min(long long a, int b) { return min(a, static_cast<long long>(b)); }
inline long long min(int a, long long b) { return min(static_cast<long long>(a), b); }
inline long long max(long long a, int b) { return max(a, static_cast<long long>(b)); }
inline long long max(int a, long long b) { return max(static_cast<long long>(a), b); }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline int __double2hiint(double v) { return static_cast<int>(std::bit_cast<long long>(v) >> 32); }
inline int __double2loint(double v) { return static_cast<int>(std::bit_cast<long long>(v)); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline float __double2float_rn(double a) { return static_cast<float>(a); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float a) { return expf(a); }
inline float __exp10f(float a) { return exp10f(a); }
inline float __logf(float a) { return logf(a); }
inline float __log2f(float a) { return log2f(a); }
inline float __sinf(float a) { return sinf(a); }
inline float __cosf(float a) { return cosf(a); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __saturatef(float a) { return fminf(fmaxf(a, 0), 1); }
inline float rsqrtf(float a) { return 1 / sqrtf(a); }
inline double rsqrt(double a) { return 1 / sqrt(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline int __float2int_rn(float a) { return static_cast<int>(rintf(a)); }
inline int __float2int_rd(float a) { return static_cast<int>(floorf(a)); }
inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline unsigned __float2uint_rz(float a) { return static_cast<unsigned>(a); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
inline long long __double2ll_rz(double a) { return static_cast<long long>(a); }
inline int __popc(unsigned v) { return std::popcount(v); }
inline int __popcll(unsigned long long v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(static_cast<unsigned>(v)); }
inline int __clzll(long long v) { return std::countl_zero(static_cast<unsigned long long>(v)); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (v >> i & 1) << (31 - i);
  return r;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(a) * b) >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  const std::uint64_t both = (static_cast<std::uint64_t>(b) << 32) | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i)
    r |= static_cast<unsigned>(both >> ((s >> 4 * i & 7) * 8) & 255) << 8 * i;
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>(((static_cast<std::uint64_t>(hi) << 32 | lo) << (s & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(hi) << 32 | lo) >> (s & 31));
}

// Emulated traps, clocks and address conversions.
[[noreturn]] inline void __trap() {
  kw_emulated::calls->fault(*kw_emulated::self, kw_emulated::kLaunchFailed);
  __builtin_unreachable();
}
inline long long clock64() { return static_cast<long long>(kw_emulated::calls->global_timer()); }
inline long long clock() { return clock64(); }
// The shared address of dynamic shared memory is its offset. That of static shared memory is one
// GiB plus its distance from `self`, since it is thread-local data of this object.
inline std::size_t __cvta_generic_to_shared(const void* p) {
  const auto* at = static_cast<const unsigned char*>(p);
  const auto* anchor = reinterpret_cast<const unsigned char*>(&kw_emulated::self);
  const std::size_t offset = static_cast<std::size_t>(at - kw_emulated::self->shared);
  return offset < (std::size_t{1} << 18) ? offset
                                         : static_cast<unsigned>((1 << 30) + (at - anchor));
}
namespace kw_emulated {
inline unsigned char* shared_at(unsigned address) {
  auto* anchor = reinterpret_cast<unsigned char*>(&self);
  return address < (1u << 18) ? self->shared + address
                              : anchor + (static_cast<int>(address) - (1 << 30));
}
}  // namespace kw_emulated
struct CUtensorMap_emulated {
  alignas(64) unsigned long long opaque[16];
};
#define printf(...) ((void)0)  // output of kernels is discarded

// Types and functions that translated inline assembly uses.
using KW_f32 = float;
using KW_f64 = double;
using KW_u8 = unsigned char;
using KW_u16 = unsigned short;
using KW_u32 = unsigned;
using KW_s32 = int;
using KW_b32 = unsigned;
using KW_u64 = unsigned long long;
using KW_s64 = long long;
using KW_b64 = unsigned long long;
namespace kw_emulated {

inline void not_taught() { calls->fault(*self, kIllegalInstruction); }

inline void copy_part(unsigned to, const void* from, unsigned bytes, unsigned present) {
  memset(shared_at(to), 0, bytes);
  memcpy(shared_at(to), from, present < bytes ? present : bytes);
}

}  // namespace kw_emulated

#include "matrix.h"
