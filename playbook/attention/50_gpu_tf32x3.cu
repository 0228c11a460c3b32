// attention in one pass over the keys on tensor cores: scores, weights and output of sixteen
// queries stay in a warp's registers, and every product consists of three tf32 products.
// SPDX-License-Identifier: Apache-2.0
// kw: technique flash attention, online softmax, tensor cores, split precision, asynchronous copies, register tiling
// kw: tune WARPS = 8, 4
// kw: let KEYS = 32, QUERIES = WARPS * 16
// kw: require (QUERIES * 132 + 4 * KEYS * 132) * 4 <= shared_max
// kw: when dim > 128 || seq < 32
// kw:   launch attention_plain grid(ceil_div(seq, 8), min(heads, 65535)) block(32, 8) shared(8 * dim * 4) args(
// kw:     heads, seq, dim, causal, f32(1 / sqrt(dim)), q, k, v, y)
// kw: else when dim > 64
// kw:   launch attention_wide grid(ceil_div(seq, QUERIES), min(heads, 65535)) block(WARPS * 32) shared(
// kw:     (QUERIES * 132 + 4 * KEYS * 132) * 4) args(heads, seq, dim, causal, f32(1 / sqrt(dim)), q, k, v, y)
// kw: else
// kw:   launch attention_narrow grid(ceil_div(seq, QUERIES), min(heads, 65535)) block(WARPS * 32) shared(
// kw:     (QUERIES * 68 + 4 * KEYS * 68) * 4) args(heads, seq, dim, causal, f32(1 / sqrt(dim)), q, k, v, y)
// kw: end

extern __shared__ float4 dynamic_shared[];

// Copies to shared memory in the background; without `has` nothing is read and zeros are written.
// Copies arrive in the order of the groups that `end_group` closes.
static __device__ __forceinline__ void copy4(float* to, const float* from, bool has) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(has ? 4 : 0)
               : "memory");
#else
  *to = has ? *from : 0.0f;
#endif
}

// Copies the first `many` of four elements; the others become zeros.
static __device__ __forceinline__ void copy16(float* to, const float* from, int many) {
  many = max(0, min(many, 4));
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(many * 4)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) to[i] = i < many ? from[i] : 0.0f;
#endif
}

static __device__ __forceinline__ void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most PENDING groups of the calling thread are under way.
template <int PENDING>
static __device__ __forceinline__ void wait_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// d += a b for 16 x 8 products of 8, all in tf32 with float32 sums. Lane (g, t) = (lane / 4, lane % 4)
// holds a at rows g and g + 8, columns t and t + 4; b at rows t and t + 4, column g; d at rows g and
// g + 8, columns 2 t and 2 t + 1.
static __device__ __forceinline__ void mma(float (&d)[4], const float (&a)[4],
                                           const float (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else  // Without such an instruction the lanes compute one after the other.
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int p = 0; p < 8; ++p) {
    const float low = __shfl_sync(0xffffffffu, a[p / 4 * 2], g * 4 + p % 4);
    const float high = __shfl_sync(0xffffffffu, a[p / 4 * 2 + 1], g * 4 + p % 4);
    const float left = __shfl_sync(0xffffffffu, b[p / 4], 2 * t * 4 + p % 4);
    const float right = __shfl_sync(0xffffffffu, b[p / 4], (2 * t + 1) * 4 + p % 4);
    d[0] += low * left;
    d[1] += low * right;
    d[2] += high * left;
    d[3] += high * right;
  }
#endif
}

// x = high + low, where high is rounded to the 11 bits of tf32. The matrix unit drops the bits of
// low beyond 11.
static __device__ __forceinline__ void split(float x, float& high, float& low) {
  high = __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
  low = x - high;
}

// Copies ROWS rows of the matrix at `from` into rows of DIM + 4 elements. Only `many` rows exist;
// missing elements become 0.
template <int ROWS, int DIM>
static __device__ __forceinline__ void load_rows(float* to, const float* from, int many, int dim) {
  if (dim % 4 == 0) {
#pragma unroll 4
    for (int e = threadIdx.x; e < ROWS * (DIM / 4); e += WARPS * 32) {
      const int i = e / (DIM / 4), d = e % (DIM / 4) * 4;
      copy16(to + i * (DIM + 4) + d, from + static_cast<long long>(i) * dim + d,
             i < many ? dim - d : 0);
    }
  } else {
    for (int e = threadIdx.x; e < ROWS * DIM; e += WARPS * 32) {
      const int i = e / DIM, d = e % DIM;
      copy4(to + i * (DIM + 4) + d, from + static_cast<long long>(i) * dim + d,
            i < many && d < dim);
    }
  }
}

// Scores of a warp's 16 queries with KEYS keys. The matrix unit adds up 32 products at a time, and
// plain additions add up these sums.
template <int DIM>
static __device__ __forceinline__ void scores_of(const float* queries, const float* keys,
                                                 float (&scores)[KEYS / 8][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  queries += g * (DIM + 4) + t;
  keys += g * (DIM + 4) + t;
#pragma unroll
  for (int d0 = 0; d0 < DIM; d0 += 32) {
    float part[KEYS / 8][4] = {};
#pragma unroll
    for (int d = d0; d < d0 + 32; d += 8) {
      float a_high[4], a_low[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        split(queries[e % 2 * 8 * (DIM + 4) + d + e / 2 * 4], a_high[e], a_low[e]);
      float b_high[KEYS / 8][2], b_low[KEYS / 8][2];
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          split(keys[8 * j * (DIM + 4) + d + 4 * e], b_high[j][e], b_low[j][e]);
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j) mma(part[j], a_low, b_high[j]);
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j) mma(part[j], a_high, b_low[j]);
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j) mma(part[j], a_high, b_high[j]);
    }
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) scores[j][e] += part[j][e];
  }
}

// out = out * keep + weights * values. A lane has the weights of keys 2 t and 2 t + 1 of every
// eight, and they serve as columns t and t + 4, because the order of the keys does not matter.
template <int DIM>
static __device__ __forceinline__ void add_values(const float (&weights)[KEYS / 8][4],
                                                  const float* values, const float (&keep)[2],
                                                  float (&out)[DIM / 8][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  values += 2 * t * (DIM + 4) + g;
  float a_high[KEYS / 8][4], a_low[KEYS / 8][4];
#pragma unroll
  for (int j = 0; j < KEYS / 8; ++j) {
    split(weights[j][0], a_high[j][0], a_low[j][0]);
    split(weights[j][2], a_high[j][1], a_low[j][1]);
    split(weights[j][1], a_high[j][2], a_low[j][2]);
    split(weights[j][3], a_high[j][3], a_low[j][3]);
  }
#pragma unroll
  for (int d = 0; d < DIM / 8; d += 4) {
    float part[4][4] = {};
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) {
      float b_high[4][2], b_low[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          split(values[(8 * j + e) * (DIM + 4) + 8 * (d + i)], b_high[i][e], b_low[i][e]);
#pragma unroll
      for (int i = 0; i < 4; ++i) mma(part[i], a_low[j], b_high[i]);
#pragma unroll
      for (int i = 0; i < 4; ++i) mma(part[i], a_high[j], b_low[i]);
#pragma unroll
      for (int i = 0; i < 4; ++i) mma(part[i], a_high[j], b_high[i]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) out[d + i][e] = out[d + i][e] * keep[e / 2] + part[i][e];
  }
}

template <int DIM>
static __device__ __forceinline__ void attention(int heads, int seq, int dim, int causal,
                                                 float scale, const float* q, const float* k,
                                                 const float* v, float* y) {
  constexpr int PITCH = DIM + 4, STAGE = 2 * KEYS * PITCH;
  float* queries = reinterpret_cast<float*>(dynamic_shared);
  float* stages = queries + QUERIES * PITCH;
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  // Blocks with the most keys begin first.
  const int q0 = (gridDim.x - 1 - blockIdx.x) * QUERIES;
  const int last = causal != 0 ? min(seq, q0 + QUERIES) : seq;
  const int turns = (last + KEYS - 1) / KEYS;
  for (int head = blockIdx.y; head < heads; head += gridDim.y) {
    const long long base = static_cast<long long>(head) * seq * dim;
    const auto load = [&](int turn) {
      const int j0 = turn * KEYS;
      float* to = stages + turn % 2 * STAGE;
      const long long at = base + static_cast<long long>(j0) * dim;
      load_rows<KEYS, DIM>(to, k + at, seq - j0, dim);
      load_rows<KEYS, DIM>(to + KEYS * PITCH, v + at, seq - j0, dim);
    };
    load_rows<QUERIES, DIM>(queries, q + base + static_cast<long long>(q0) * dim, seq - q0, dim);
    load(0);
    end_group();
    float out[DIM / 8][4] = {};
    float largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int turn = 0; turn < turns; ++turn) {
      if (turn + 1 < turns) load(turn + 1);
      end_group();
      wait_groups<1>();
      __syncthreads();
      const float* keys = stages + turn % 2 * STAGE;
      float weights[KEYS / 8][4] = {};
      scores_of<DIM>(queries + warp * 16 * PITCH, keys, weights);
      float next[2] = {largest[0], largest[1]};
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int key = turn * KEYS + 8 * j + 2 * t + e % 2;
          const int query = q0 + warp * 16 + g + e / 2 * 8;
          const bool counts = key < seq && (causal == 0 || key <= query);
          weights[j][e] = counts ? weights[j][e] * scale : -INFINITY;
          next[e / 2] = fmaxf(next[e / 2], weights[j][e]);
        }
      float keep[2];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        next[h] = fmaxf(next[h], __shfl_xor_sync(0xffffffffu, next[h], 1));
        next[h] = fmaxf(next[h], __shfl_xor_sync(0xffffffffu, next[h], 2));
        // The first keys count for every query, so `next` is finite from the first iteration on.
        keep[h] = expf(largest[h] - next[h]);
        largest[h] = next[h];
        total[h] *= keep[h];
      }
#pragma unroll
      for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          weights[j][e] = expf(weights[j][e] - next[e / 2]);
          total[e / 2] += weights[j][e];
        }
      add_values<DIM>(weights, keys + KEYS * PITCH, keep, out);
      __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      total[h] += __shfl_xor_sync(0xffffffffu, total[h], 1);
      total[h] += __shfl_xor_sync(0xffffffffu, total[h], 2);
      const int query = q0 + warp * 16 + g + h * 8;
      if (query >= seq) continue;
      const float factor = 1.0f / total[h];
      float* to = y + base + static_cast<long long>(query) * dim;
#pragma unroll
      for (int d = 0; d < DIM / 8; ++d)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (8 * d + 2 * t + e < dim) to[8 * d + 2 * t + e] = out[d][2 * h + e] * factor;
    }
    wait_groups<0>();
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 1)
    attention_wide(int heads, int seq, int dim, int causal, float scale,
                   const float* __restrict__ q, const float* __restrict__ k,
                   const float* __restrict__ v, float* __restrict__ y) {
  attention<128>(heads, seq, dim, causal, scale, q, k, v, y);
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 1)
    attention_narrow(int heads, int seq, int dim, int causal, float scale,
                     const float* __restrict__ q, const float* __restrict__ k,
                     const float* __restrict__ v, float* __restrict__ y) {
  attention<64>(heads, seq, dim, causal, scale, q, k, v, y);
}

// Serves heads of any width with a warp for each query: lanes have one key each for the scores, and
// columns each for the values, which are summed in shared memory.
extern "C" __global__ void __launch_bounds__(256)
    attention_plain(int heads, int seq, int dim, int causal, float scale,
                    const float* __restrict__ q, const float* __restrict__ k,
                    const float* __restrict__ v, float* __restrict__ y) {
  float* out = reinterpret_cast<float*>(dynamic_shared) + threadIdx.y * dim;
  const int i = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  if (i >= seq) return;
  const int count = causal != 0 ? i + 1 : seq;
  for (int head = blockIdx.y; head < heads; head += gridDim.y) {
    const long long base = static_cast<long long>(head) * seq * dim;
    const float* query = q + base + static_cast<long long>(i) * dim;
    for (int d = lane; d < dim; d += 32) out[d] = 0.0f;
    float largest = -INFINITY, total = 0.0f;
    for (int j0 = 0; j0 < count; j0 += 32) {
      float score = -INFINITY;
      if (j0 + lane < count) {
        const float* key = k + base + static_cast<long long>(j0 + lane) * dim;
        float dot = 0.0f;
        for (int d = 0; d < dim; ++d) dot += query[d] * key[d];
        score = dot * scale;
      }
      float next = fmaxf(largest, score);
      for (int far = 16; far > 0; far /= 2)
        next = fmaxf(next, __shfl_xor_sync(0xffffffffu, next, far));
      const float keep = expf(largest - next);
      const float weight = expf(score - next);
      largest = next;
      total = total * keep + weight;
      for (int d = lane; d < dim; d += 32) out[d] *= keep;
      const int many = min(32, count - j0);
      for (int s = 0; s < many; ++s) {
        const float part = __shfl_sync(0xffffffffu, weight, s);
        const float* value = v + base + static_cast<long long>(j0 + s) * dim;
        for (int d = lane; d < dim; d += 32) out[d] += part * value[d];
      }
    }
    for (int far = 16; far > 0; far /= 2) total += __shfl_xor_sync(0xffffffffu, total, far);
    for (int d = lane; d < dim; d += 32) y[base + static_cast<long long>(i) * dim + d] = out[d] / total;
  }
}
