// attention_bf16/f16 on tensor cores by mma.sync: scores stay in registers, keys and values arrive in the background.
// SPDX-License-Identifier: Apache-2.0
// kw: technique tensor cores, online softmax, kernel fusion, asynchronous copies, double buffering, register tiling
// kw: require arch >= sm_80
// kw: let ROWS = 128, KEYS = 64
// kw: let BYTES64 = (ROWS + 4 * KEYS) * (64 + 8) * 2, BYTES128 = (ROWS + 4 * KEYS) * (128 + 8) * 2
// kw: when dim <= 64
// kw:   launch attention_tiles<64> grid(ceil_div(seq, ROWS), min(heads, 65535)) block(128) shared(BYTES64) args(
// kw:     heads, seq, dim, causal, f32(1.4426950408889634 / sqrt(dim)), q, k, v, y)
// kw: else when dim <= 128 && BYTES128 <= shared_max
// kw:   launch attention_tiles<128> grid(ceil_div(seq, ROWS), min(heads, 65535)) block(128) shared(BYTES128) args(
// kw:     heads, seq, dim, causal, f32(1.4426950408889634 / sqrt(dim)), q, k, v, y)
// kw: else
// kw:   launch attention_plain grid(ceil_div(seq, 8), min(heads, 65535)) block(32, 8) args(
// kw:     heads, seq, dim, causal, f32(1.4426950408889634 / sqrt(dim)), q, k, v, y)
// kw: end

#ifdef KW_REAL_F16
#include <cuda_fp16.h>
#endif

typedef unsigned short Half;  // bfloat16 or float16, as it is stored

extern __shared__ uint4 dynamic_shared[];

static __device__ __forceinline__ float widened(Half v) {
#ifdef KW_REAL_F16
  return __half2float(__ushort_as_half(v));
#else
  return __uint_as_float(static_cast<unsigned>(v) << 16);
#endif
}

// Rounds to the nearest number, ties to even.
static __device__ __forceinline__ unsigned pair_of(float low, float high) {
#ifdef KW_REAL_F16
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
#else
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}

static __device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#define NOTHING __int_as_float(0xff800000)  // minus infinity, whose weight is 0

static __device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies eight elements to shared memory in the background, or writes zeros. Copies arrive in the
// order of their groups.
static __device__ __forceinline__ void copy16(Half* to, const Half* from, bool has) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(has ? 16 : 0)
               : "memory");
}

static __device__ __forceinline__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most PENDING groups of the calling thread are under way.
template <int PENDING>
static __device__ __forceinline__ void wait_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Loads four 8 x 8 matrices, whose rows' addresses lanes 0-7, 8-15, 16-23 and 24-31 give. Lane (g,
// t) = (lane / 4, lane % 4) gets the elements 2 t and 2 t + 1 of row g of each matrix, or of column
// g where they are transposed.
static __device__ __forceinline__ void load_rows(unsigned (&r)[4], const Half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}
static __device__ __forceinline__ void load_columns(unsigned (&r)[4], const Half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}

// d += a b for 16 x 8 products of 16 with float32 sums. Lane (g, t) holds a at rows g and g + 8, columns 2 t, 2 t + 1 and
// eight further; b at rows 2 t, 2 t + 1 and eight further, column g; d at rows g and g + 8, columns 2 t and 2 t + 1.
static __device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#ifdef KW_REAL_F16
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// Copies COUNT rows of `dim` elements, from row `first` on, into rows of D + 8 elements; elements
// beyond `seq` and `dim` become zeros.
template <int COUNT, int D>
static __device__ __forceinline__ void load_tile(Half* to, const Half* head, int first, int seq, int dim) {
  if (dim % 8 == 0) {
#pragma unroll 4
    for (int e = threadIdx.x; e < COUNT * D / 8; e += 128) {
      const int row = e / (D / 8), d = e % (D / 8) * 8;
      const bool has = first + row < seq && d < dim;
      copy16(to + row * (D + 8) + d, has ? head + static_cast<long long>(first + row) * dim + d : head, has);
    }
  } else {
#pragma unroll 1
    for (int e = threadIdx.x; e < COUNT * D; e += 128) {
      const int row = e / D, d = e % D;
      const bool has = first + row < seq && d < dim;
      to[row * (D + 8) + d] = has ? head[static_cast<long long>(first + row) * dim + d] : Half(0);
    }
  }
}

// State of a warp's two blocks of 16 rows: lane (g, t) has rows g and g + 8 of each.
struct Rows {
  float largest[2][2];  // the largest score so far
  float sum[2][2];  // sum of the weights in this lane's columns, relative to `largest`
};

// Turns scores into weights, and scales earlier sums to the new maximum.
template <int D>
static __device__ __forceinline__ void weigh(float (&s)[2][KEYS / 8][4], float (&out)[2][D / 8][4], Rows& rows,
                                             float scale) {
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = rows.largest[i][half];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j) most = fmaxf(most, fmaxf(s[i][j][2 * half], s[i][j][2 * half + 1]));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
      const float fade = power_of_two((rows.largest[i][half] - most) * scale);
      rows.largest[i][half] = most;
      const float shift = -most * scale;
      float sum = 0.0f;
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) sum += s[i][j][e] = power_of_two(fmaf(s[i][j][e], scale, shift));
      rows.sum[i][half] = rows.sum[i][half] * fade + sum;
#pragma unroll
      for (int j = 0; j < D / 8; ++j) out[i][j][2 * half] *= fade, out[i][j][2 * half + 1] *= fade;
    }
}

// Computes 128 queries with four warps of 32. D is dim, rounded up with zeros. `scale` includes the
// change to powers of two.
template <int D>
__global__ void __launch_bounds__(128, 2)
    attention_tiles(int heads, int seq, int dim, int causal, float scale, const Half* __restrict__ q,
                    const Half* __restrict__ k, const Half* __restrict__ v, Half* __restrict__ y) {
  constexpr int PITCH = D + 8;
  Half* queries = reinterpret_cast<Half*>(dynamic_shared);
  Half* keys = queries + ROWS * PITCH;  // there are two stages
  Half* values = keys + 2 * KEYS * PITCH;  // there are two stages
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  // the longest blocks come first
  const int i0 = (causal != 0 ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * ROWS;
  const int last = causal != 0 ? min(seq, i0 + ROWS) : seq;
  const int turns = (last + KEYS - 1) / KEYS;
  for (int head = blockIdx.y; head < heads; head += gridDim.y) {
    const long long at = static_cast<long long>(head) * seq * dim;
    load_tile<ROWS, D>(queries, q + at, i0, seq, dim);
    load_tile<KEYS, D>(keys, k + at, 0, seq, dim);
    load_tile<KEYS, D>(values, v + at, 0, seq, dim);
    end_group();
    float out[2][D / 8][4] = {};
    Rows rows;
    for (int i = 0; i < 4; ++i) rows.largest[i / 2][i % 2] = -1e30f, rows.sum[i / 2][i % 2] = 0.0f;
    for (int turn = 0; turn < turns; ++turn) {
      const int j0 = turn * KEYS;
      if (turn + 1 < turns) {
        const int next = (turn + 1) % 2 * KEYS * PITCH;
        load_tile<KEYS, D>(keys + next, k + at, j0 + KEYS, seq, dim);
        load_tile<KEYS, D>(values + next, v + at, j0 + KEYS, seq, dim);
      }
      end_group();
      wait_groups<1>();
      __syncthreads();
      float s[2][KEYS / 8][4] = {};
      const Half* a_at = queries + (warp * 32 + lane % 16) * PITCH + lane / 16 * 8;
      const Half* b_at = keys + (turn % 2 * KEYS + lane / 16 * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8;
#pragma unroll
      for (int d = 0; d < D; d += 16) {
        unsigned a[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) load_rows(a[i], a_at + 16 * i * PITCH + d);
#pragma unroll
        for (int j = 0; j < KEYS / 16; ++j) {
          unsigned b[4];
          load_rows(b, b_at + 16 * j * PITCH + d);
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            mma(s[i][2 * j], a[i], b[0], b[1]);
            mma(s[i][2 * j + 1], a[i], b[2], b[3]);
          }
        }
      }
      if (j0 + KEYS > seq || (causal != 0 && j0 + KEYS > i0 + 1)) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              const int row = i0 + warp * 32 + 16 * i + g + e / 2 * 8, key = j0 + 8 * j + 2 * t + e % 2;
              if (key >= seq || (causal != 0 && key > row)) s[i][j][e] = NOTHING;
            }
      }
      weigh<D>(s, out, rows, scale);
      const Half* v_at = values + (turn % 2 * KEYS + lane / 8 % 2 * 8 + lane % 8) * PITCH + lane / 16 * 8;
#pragma unroll
      for (int j = 0; j < KEYS / 16; ++j) {
        unsigned p[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            p[i][e] = pair_of(s[i][2 * j + e / 2][e % 2 * 2], s[i][2 * j + e / 2][e % 2 * 2 + 1]);
#pragma unroll
        for (int d = 0; d < D; d += 16) {
          unsigned b[4];
          load_columns(b, v_at + 16 * j * PITCH + d);
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            mma(out[i][d / 8], p[i], b[0], b[1]);
            mma(out[i][d / 8 + 1], p[i], b[2], b[3]);
          }
        }
      }
      __syncthreads();
    }
    wait_groups<0>();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = rows.sum[i][half];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        const float factor = 1.0f / sum;
        const int row = i0 + warp * 32 + 16 * i + g + 8 * half;
        if (row >= seq) continue;
        Half* to = y + at + static_cast<long long>(row) * dim;
#pragma unroll
        for (int j = 0; j < D / 8; ++j) {
          const int d = 8 * j + 2 * t;
          const unsigned pair = pair_of(out[i][j][2 * half] * factor, out[i][j][2 * half + 1] * factor);
          if (dim % 2 == 0 && d < dim) {
            *reinterpret_cast<unsigned*>(to + d) = pair;
          } else {
            if (d < dim) to[d] = static_cast<Half>(pair);
            if (d + 1 < dim) to[d + 1] = static_cast<Half>(pair >> 16);
          }
        }
      }
  }
}

// Serves any dim with a warp for each query, which computes the scores anew for every 32 columns of
// the result.
extern "C" __global__ void __launch_bounds__(256)
    attention_plain(int heads, int seq, int dim, int causal, float scale, const Half* __restrict__ q,
                    const Half* __restrict__ k, const Half* __restrict__ v, Half* __restrict__ y) {
  const int lane = threadIdx.x, i = blockIdx.x * 8 + threadIdx.y;
  if (i >= seq) return;
  const int count = causal != 0 ? i + 1 : seq;
  for (int head = blockIdx.y; head < heads; head += gridDim.y) {
    const long long at = static_cast<long long>(head) * seq * dim;
    const Half* query = q + at + static_cast<long long>(i) * dim;
    const auto score = [&](int j) {
      float sum = 0.0f;
      for (int d = lane; d < dim; d += 32)
        sum += widened(query[d]) * widened(k[at + static_cast<long long>(j) * dim + d]);
      for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
      return sum * scale;
    };
    float largest = score(0), sum = 0.0f;
    for (int j = 0; j < count; ++j) {
      const float s = score(j), most = fmaxf(largest, s);
      sum = sum * power_of_two(largest - most) + power_of_two(s - most);
      largest = most;
    }
    for (int d0 = 0; d0 < dim; d0 += 32) {
      const int d = min(d0 + lane, dim - 1);
      float value = 0.0f;
      for (int j = 0; j < count; ++j)
        value += power_of_two(score(j) - largest) * widened(v[at + static_cast<long long>(j) * dim + d]);
      if (d0 + lane < dim) y[at + static_cast<long long>(i) * dim + d] = static_cast<Half>(pair_of(value / sum, 0.0f));
    }
  }
}
