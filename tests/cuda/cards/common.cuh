// What the programs beside this file share: checks, tensor maps, and the PTX of the cards as
// functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x)                                                                     \
  do {                                                                            \
    cudaError_t e_ = (x);                                                         \
    if (e_ != cudaSuccess) {                                                      \
      printf("%s: FAIL (%s, line %d)\n", CARD, cudaGetErrorString(e_), __LINE__); \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

static int verdict(bool ok, const char* detail) {
  printf("%s: %s %s\n", CARD, ok ? "ok" : "FAIL", detail);
  return ok ? 0 : 1;
}

struct Random {
  uint32_t s = 12345;
  uint32_t next() { return s = s * 1664525u + 1013904223u, s >> 8; }
  float small_integer() {
    return float(int(next() % 9) - 4);
  }  // products and sums are exact in f32
  float real() { return float(next()) / float(1 << 23) - 1.0f; }
};

template <class T>
T* to_device(const std::vector<T>& v) {
  T* p = nullptr;
  CU(cudaMalloc(&p, v.size() * sizeof(T) + 256));
  CU(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> to_host(const T* p, size_t n) {
  std::vector<T> v(n);
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
using bf16 = __nv_bfloat16;
static std::vector<bf16> random_bf16(size_t n, Random& r) {
  std::vector<bf16> v(n);
  for (auto& x : v) x = __float2bfloat16(r.small_integer());
  return v;
}

// sizes and box innermost first; strides in bytes for every dimension but the first.
static CUtensorMap make_map(CUtensorMapDataType type, void* p, std::vector<cuuint64_t> sizes,
                            std::vector<cuuint64_t> strides, std::vector<cuuint32_t> box,
                            CUtensorMapSwizzle swizzle) {
  typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                             const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                             const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CU(cudaFree(nullptr));
  CU(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                      &found));
  std::vector<cuuint32_t> steps(sizes.size(), 1);
  CUtensorMap map;
  CUresult rc =
      ((Encode)entry)(&map, type, (cuuint32_t)sizes.size(), p, sizes.data(), strides.data(),
                      box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (rc != CUDA_SUCCESS) {
    printf("%s: FAIL (tensor map refused: %d)\n", CARD, (int)rc);
    exit(1);
  }
  return map;
}
#define BF16_MAP CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
#define F32_MAP CU_TENSOR_MAP_DATA_TYPE_FLOAT32

__device__ inline uint32_t smem(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void bar_init(uint64_t* b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(b)), "r"(n) : "memory");
}
__device__ inline void bar_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void bar_expect(uint64_t* b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(b)), "r"(bytes)
               : "memory");
}
__device__ inline void bar_arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(b)) : "memory");
}
__device__ inline void bar_wait(uint64_t* b, int parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(smem(b)), "r"(parity)
        : "memory");
}
__device__ inline void tma_load(void* dst, const CUtensorMap* map, int x, int y, uint64_t* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(smem(dst)),
      "l"(map), "r"(x), "r"(y), "r"(smem(b))
      : "memory");
}
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The descriptor as the card tells: address / 16, leading byte offset / 16 from bit 16, stride byte
// offset / 16 from bit 32, swizzle in bits 62 and 63.
__device__ inline uint64_t descriptor(uint32_t address, uint32_t leading, uint32_t stride,
                                      uint64_t swizzle) {
  return (uint64_t)(address / 16 & 0x3fff) | (uint64_t)(leading / 16) << 16 |
         (uint64_t)(stride / 16) << 32 | swizzle << 62;
}
__device__ inline void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wg_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N>
__device__ inline void wg_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
template <int TA, int TB>
__device__ inline void wgmma_n128(float* d, uint64_t a, uint64_t b, int keep) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,"
      "%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,"
      "%42,%43,%44,%45,%46,%47,%48,%49,"
      "%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, %67, %68; }"
      : D16(0), D16(16), D16(32), D16(48)
      : "l"(a), "l"(b), "r"(keep), "n"(TA), "n"(TB));
}
template <int TA, int TB>
__device__ inline void wgmma_n16(float* d, uint64_t a, uint64_t b, int keep) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %10, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, p, "
      "1, 1, %11, %12; }"
      : D4(0), D4(4)
      : "l"(a), "l"(b), "r"(keep), "n"(TA), "n"(TB));
}
