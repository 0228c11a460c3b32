// One instance of the microkernels per vector width, and the choice among them by cpuid.
// SPDX-License-Identifier: Apache-2.0
#include "profile/kernels.h"

#if !defined(__x86_64__)
#error "the microkernels are written for x86-64"
#endif

namespace kw::profile {
namespace {

// A step of a pass is KW_BYTES floats of each array: four vectors of KW_BYTES bytes.
static_assert(kBlockFloats == 64);

#define KW_SUFFIX sse
#define KW_TARGET
#define KW_BYTES 16
#define KW_STREAM "movntps"
#include "profile/kernels_isa.inc"

#define KW_SUFFIX avx2
#define KW_TARGET __attribute__((target("avx2")))
#define KW_BYTES 32
#define KW_STREAM "vmovntps"
#include "profile/kernels_isa.inc"

#define KW_SUFFIX avx512
#define KW_TARGET __attribute__((target("avx512f")))
#define KW_BYTES 64
#define KW_STREAM "vmovntps"
#include "profile/kernels_isa.inc"

using F32x1 = float;
using F64x1 = double;
using F32x4 = float __attribute__((vector_size(16)));
using F64x2 = double __attribute__((vector_size(16)));
using F32x8 = float __attribute__((vector_size(32)));
using F64x4 = double __attribute__((vector_size(32)));
using F32x16 = float __attribute__((vector_size(64)));
using F64x8 = double __attribute__((vector_size(64)));

constexpr int kChains =
    12;  // Two pipes of latency 4 or 5 need ten; sixteen registers allow twelve.

// A macro's type cannot be put in parentheses: NOLINTBEGIN(bugprone-macro-parentheses)
// Twelve independent chains x = x * factor + term, kept apart and in registers by the empty asm.
#define KW_FMA(name, target_attribute, Vector)                                                 \
  target_attribute void name(long steps) {                                                     \
    Vector x0 = Vector{} + 1, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0,   \
           x8 = x0, x9 = x0, x10 = x0, x11 = x0;                                               \
    Vector factor = Vector{} + 1, term = Vector{};                                             \
    __asm__ volatile("" : "+v"(factor), "+v"(term));                                           \
    for (long i = 0; i < steps; ++i) {                                                         \
      x0 = x0 * factor + term, x1 = x1 * factor + term, x2 = x2 * factor + term;               \
      x3 = x3 * factor + term, x4 = x4 * factor + term, x5 = x5 * factor + term;               \
      x6 = x6 * factor + term, x7 = x7 * factor + term, x8 = x8 * factor + term;               \
      x9 = x9 * factor + term, x10 = x10 * factor + term, x11 = x11 * factor + term;           \
      __asm__ volatile(""                                                                      \
                       : "+v"(x0), "+v"(x1), "+v"(x2), "+v"(x3), "+v"(x4), "+v"(x5), "+v"(x6), \
                         "+v"(x7), "+v"(x8), "+v"(x9), "+v"(x10), "+v"(x11));                  \
    }                                                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

#define KW_NO_TARGET
#define KW_FMA_TARGET __attribute__((target("fma")))
#define KW_AVX2_TARGET __attribute__((target("avx2,fma")))
#define KW_AVX512_TARGET __attribute__((target("avx512f")))

KW_FMA(scalar_f32, KW_NO_TARGET, F32x1)
KW_FMA(scalar_f64, KW_NO_TARGET, F64x1)
KW_FMA(sse_f32, KW_NO_TARGET, F32x4)
KW_FMA(sse_f64, KW_NO_TARGET, F64x2)
KW_FMA(scalar_fma_f32, KW_FMA_TARGET, F32x1)
KW_FMA(scalar_fma_f64, KW_FMA_TARGET, F64x1)
KW_FMA(sse_fma_f32, KW_FMA_TARGET, F32x4)
KW_FMA(sse_fma_f64, KW_FMA_TARGET, F64x2)
KW_FMA(avx2_f32, KW_AVX2_TARGET, F32x8)
KW_FMA(avx2_f64, KW_AVX2_TARGET, F64x4)
KW_FMA(avx512_f32, KW_AVX512_TARGET, F32x16)
KW_FMA(avx512_f64, KW_AVX512_TARGET, F64x8)

FmaKernel fma(std::string_view kind, std::string_view isa, int lanes, void (*run)(long)) {
  return {kind, isa, 2 * kChains * lanes, run};
}

}  // namespace

std::vector<MemoryKernel> memory_kernels() {
  if (__builtin_cpu_supports("avx512f")) return kMemory_avx512;
  if (__builtin_cpu_supports("avx2")) return kMemory_avx2;
  return kMemory_sse;
}

std::vector<FmaKernel> fma_kernels() {
  const bool has_fma = __builtin_cpu_supports("fma") != 0;
  std::vector<FmaKernel> out{
      fma("fma_f32", "scalar", 1, has_fma ? scalar_fma_f32 : scalar_f32),
      fma("fma_f64", "scalar", 1, has_fma ? scalar_fma_f64 : scalar_f64),
      fma("fma_f32", "sse", 4, has_fma ? sse_fma_f32 : sse_f32),
      fma("fma_f64", "sse", 2, has_fma ? sse_fma_f64 : sse_f64),
  };
  if (has_fma && __builtin_cpu_supports("avx2")) {
    out.push_back(fma("fma_f32", "avx2", 8, avx2_f32));
    out.push_back(fma("fma_f64", "avx2", 4, avx2_f64));
  }
  if (__builtin_cpu_supports("avx512f")) {
    out.push_back(fma("fma_f32", "avx512", 16, avx512_f32));
    out.push_back(fma("fma_f64", "avx512", 8, avx512_f64));
  }
  return out;
}

}  // namespace kw::profile
