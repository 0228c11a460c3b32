// Kernels that reach the ceilings of a GPU: traffic of fixed read:write mixes, shared memory, FMA
// chains and mma.sync. Compiled by NVRTC for the device at hand; nothing is included.
// SPDX-License-Identifier: Apache-2.0

// Number of float4 in flight per thread: with 256 threads a block, four are enough to hide the
// latency of memory (Little's law) on every GPU since sm_75.
#define KW_UNROLL 4

// Loads and stores bypass L1 (cg); `cs` marks data that is used once.
__device__ __forceinline__ float4 load_cg(const float4* p) {
  float4 v;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}
__device__ __forceinline__ float4 load_cs(const float4* p) {
  float4 v;
  asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}
__device__ __forceinline__ void store_cg(float4* p, float4 v) {
  asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}
__device__ __forceinline__ void store_cs(float4* p, float4 v) {
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}
__device__ __forceinline__ float4 sum_of(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Streams over arrays of `pieces` pieces, each of KW_UNROLL * 256 float4, that lie one after
// another: READS arrays from `from` on, and one at `to` where WRITES is 1. Every block takes
// `steps` pieces of each array in turn, beginning at its own share and going round. Blocks that
// write the same piece write the same values.
template <int READS, int WRITES, bool STREAMING>
__device__ __forceinline__ void stream(const float4* from, float4* to, int pieces, int steps) {
  const long long piece = KW_UNROLL * 256;
  const long long quads = pieces * piece;
  int at = (int)((long long)blockIdx.x * pieces / gridDim.x);
  float4 kept = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int step = 0; step < steps; ++step) {
    const long long begin = at * piece + threadIdx.x;
    float4 v[READS > 0 ? READS : 1][KW_UNROLL];
#pragma unroll
    for (int r = 0; r < READS; ++r)
#pragma unroll
      for (int u = 0; u < KW_UNROLL; ++u) {
        const float4* p = from + r * quads + begin + u * 256;
        v[r][u] = STREAMING ? load_cs(p) : load_cg(p);
      }
#pragma unroll
    for (int u = 0; u < KW_UNROLL; ++u) {
      float4 total = READS > 0 ? v[0][u] : make_float4(1.f, 1.f, 1.f, 1.f);
#pragma unroll
      for (int r = 1; r < READS; ++r) total = sum_of(total, v[r][u]);
      if (WRITES > 0) {
        if (STREAMING)
          store_cs(to + begin + u * 256, total);
        else
          store_cg(to + begin + u * 256, total);
      } else {
        kept = sum_of(kept, total);
      }
    }
    if (++at == pieces) at = 0;
  }
  // This is practically never true, and harmless if it is: it keeps the compiler from removing the
  // loads.
  if (WRITES == 0 && kept.x + kept.y + kept.z + kept.w == -1.f) to[0] = kept;
}

#define KW_STREAM(name, reads, writes)                                   \
  extern "C" __global__ void __launch_bounds__(256)                      \
      name##_cg(const float4* from, float4* to, int pieces, int steps) { \
    stream<reads, writes, false>(from, to, pieces, steps);               \
  }                                                                      \
  extern "C" __global__ void __launch_bounds__(256)                      \
      name##_cs(const float4* from, float4* to, int pieces, int steps) { \
    stream<reads, writes, true>(from, to, pieces, steps);                \
  }

KW_STREAM(read, 1, 0)
KW_STREAM(write, 0, 1)
KW_STREAM(copy, 1, 1)
KW_STREAM(triad, 2, 1)
KW_STREAM(mix_3r1w, 3, 1)

// Reads, writes or copies shared memory by 16 bytes per thread and access, lane after lane, so that
// no two lanes of a phase meet in a bank. Each step is four accesses of each kind.
template <bool READS, bool WRITES>
__device__ __forceinline__ void shared_traffic(float* out, int steps) {
  __shared__ float4 tile[1024];
  const unsigned base = (unsigned)__cvta_generic_to_shared(tile);
  const unsigned mine = base + threadIdx.x * 16u;
  for (unsigned i = threadIdx.x; i < 1024u; i += blockDim.x)
    tile[i] = make_float4(1.f, 2.f, 3.f, 4.f);
  __syncthreads();
  float4 v[4];
#pragma unroll
  for (int u = 0; u < 4; ++u) v[u] = make_float4(1.f, 1.f, 1.f, 1.f);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      // Blocks have 256 threads: four accesses cover the 16 KiB of the tile.
      const unsigned at = mine + u * 4096u;
      if (READS)
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[u].x), "=f"(v[u].y), "=f"(v[u].z), "=f"(v[u].w)
                     : "r"(at));
      if (WRITES)
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "r"(at), "f"(v[u].x), "f"(v[u].y), "f"(v[u].z), "f"(v[u].w)
                     : "memory");
    }
  }
  float total = 0.f;
#pragma unroll
  for (int u = 0; u < 4; ++u) total += v[u].x + v[u].y + v[u].z + v[u].w;
  if (total == -1.f) out[0] = total;
}

// Only reads shared memory. Loaded values are folded, and no two steps read the same place, because
// ptxas moves a load whose address does not change out of its loop. Lanes stay on consecutive quads
// of a row of 4 KiB.
extern "C" __global__ void __launch_bounds__(256) shared_read(float* out, int steps) {
  __shared__ float4 tile[1024];
  const unsigned base = (unsigned)__cvta_generic_to_shared(tile);
  for (unsigned i = threadIdx.x; i < 1024u; i += blockDim.x)
    tile[i] = make_float4((float)i, 2.f, 3.f, (float)blockIdx.x);
  __syncthreads();
  unsigned kept[4] = {};
  unsigned within = threadIdx.x * 16u;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      float4 v;
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                   : "r"(base + within + u * 4096u));
      kept[0] ^= __float_as_uint(v.x), kept[1] ^= __float_as_uint(v.y);
      kept[2] ^= __float_as_uint(v.z), kept[3] ^= __float_as_uint(v.w);
    }
    within = (within + 128u) & 4095u;
  }
  // Every place was read the same number of times or once more, so the compiler cannot compute this
  // condition without the loads.
  if ((kept[0] ^ kept[1] ^ kept[2] ^ kept[3]) == 0x9e3779b9u) out[0] = 1.f;
}
extern "C" __global__ void __launch_bounds__(256) shared_write(float* out, int steps) {
  shared_traffic<false, true>(out, steps);
}
extern "C" __global__ void __launch_bounds__(256) shared_copy(float* out, int steps) {
  shared_traffic<true, true>(out, steps);
}

// Runs chains of x = x * factor + term; a step is 16 FMAs of each of KW_CHAINS chains.
#define KW_CHAINS 8

extern "C" __global__ void __launch_bounds__(256)
    fma_f32(float* out, int steps, float factor, float term) {
  float x[KW_CHAINS];
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) x[c] = (float)(threadIdx.x + c);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int c = 0; c < KW_CHAINS; ++c)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[c]) : "f"(factor), "f"(term));
  }
  float total = 0.f;
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) total += x[c];
  if (total == -1.f) out[0] = total;
}

extern "C" __global__ void __launch_bounds__(256)
    fma_f64(double* out, int steps, double factor, double term) {
  double x[KW_CHAINS];
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) x[c] = (double)(threadIdx.x + c);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int c = 0; c < KW_CHAINS; ++c)
        asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[c]) : "d"(factor), "d"(term));
  }
  double total = 0;
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) total += x[c];
  if (total == -1.0) out[0] = total;
}

// The same chains on pairs of f16: a register holds two numbers, and `factor` and `term` hold their
// value twice.
extern "C" __global__ void __launch_bounds__(256)
    fma_f16x2(unsigned* out, int steps, unsigned factor, unsigned term) {
  unsigned x[KW_CHAINS];
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) x[c] = 0x3c003c00u + c;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int c = 0; c < KW_CHAINS; ++c)
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[c]) : "r"(factor), "r"(term));
  }
  unsigned total = 0;
#pragma unroll
  for (int c = 0; c < KW_CHAINS; ++c) total ^= x[c];
  if (total == 0xffffffffu) out[0] = total;
}

// Random bits for the operands of tensor cores, different in every lane, register and format. The
// bits that toggle decide how much power tensor cores draw, and with it their clock.
__device__ __forceinline__ unsigned hashed(unsigned seed) {
  unsigned h = seed * 0x9e3779b9u + threadIdx.x * 0x85ebca6bu + blockIdx.x * 0xc2b2ae35u;
  h ^= h >> 16, h *= 0x7feb352du, h ^= h >> 15, h *= 0x846ca68bu, h ^= h >> 16;
  return h;
}
// Make numbers between -1 and 1 of random bits: in each part of the word the exponent is below that
// of 1, and sign and mantissa are random.
__device__ __forceinline__ unsigned as_tf32(unsigned h) { return (h & 0x807fe000u) | 0x3f000000u; }
__device__ __forceinline__ unsigned as_bf16(unsigned h) { return (h & 0x807f807fu) | 0x3f003f00u; }
__device__ __forceinline__ unsigned as_f16(unsigned h) { return (h & 0x83ff83ffu) | 0x38003800u; }
__device__ __forceinline__ unsigned as_e4m3(unsigned h) { return (h & 0x87878787u) | 0x30303030u; }

// Defines a kernel of tensor core products. A step is 4 mma of each of 4 accumulators; `across`
// counts the registers of A, `down` those of B.
#define KW_MMA(name, of, across, down, instruction)                                               \
  extern "C" __global__ void __launch_bounds__(256) name(float* out, int steps) {                 \
    unsigned a[4], b[2];                                                                          \
    float d[4][4];                                                                                \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) a[i] = of(hashed(i));                           \
    _Pragma("unroll") for (int i = 0; i < 2; ++i) b[i] = of(hashed(16 + i));                      \
    _Pragma("unroll") for (int t = 0; t < 4; ++t) _Pragma("unroll") for (int i = 0; i < 4; ++i)   \
        d[t][i] = 0.f;                                                                            \
    for (int step = 0; step < steps; ++step) {                                                    \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) _Pragma("unroll") for (int t = 0; t < 4; ++t) \
          instruction(d[t], a, b);                                                                \
    }                                                                                             \
    float total = 0.f;                                                                            \
    _Pragma("unroll") for (int t = 0; t < 4; ++t) _Pragma("unroll") for (int i = 0; i < 4; ++i)   \
        total += d[t][i];                                                                         \
    if (total == -1.f) out[0] = total;                                                            \
  }

#define KW_MMA_42(shape, types)                                                   \
  asm volatile("mma.sync.aligned." shape ".row.col." types                        \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                   \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void mma_step_tf32(float* d, const unsigned* a, const unsigned* b) {
  KW_MMA_42("m16n8k8", "f32.tf32.tf32.f32");
}
__device__ __forceinline__ void mma_step_bf16(float* d, const unsigned* a, const unsigned* b) {
  KW_MMA_42("m16n8k16", "f32.bf16.bf16.f32");
}
__device__ __forceinline__ void mma_step_f16(float* d, const unsigned* a, const unsigned* b) {
  KW_MMA_42("m16n8k16", "f32.f16.f16.f32");
}
KW_MMA(mma_tf32, as_tf32, 4, 2, mma_step_tf32)
KW_MMA(mma_bf16, as_bf16, 4, 2, mma_step_bf16)
#else
__device__ __forceinline__ void mma_step_f16(float* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
      " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
#endif
KW_MMA(mma_f16, as_f16, 4, 2, mma_step_f16)

#if __CUDA_ARCH__ >= 890
__device__ __forceinline__ void mma_step_f8(float* d, const unsigned* a, const unsigned* b) {
  KW_MMA_42("m16n8k32", "f32.e4m3.e4m3.f32");
}
KW_MMA(mma_f8, as_e4m3, 4, 2, mma_step_f8)
#endif
