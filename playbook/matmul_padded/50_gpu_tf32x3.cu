// matmul on tensor cores in three tf32 products: float32 operands as a high and a low part, sums in float32.
// SPDX-License-Identifier: Apache-2.0
// kw: technique tensor cores, split precision, shared memory tiling, asynchronous copies, multistage pipeline, block swizzling, split-k
// kw: tune STAGES = 3, 4, 2
// kw: tune GROUP = 8, 16, 4
// kw: let BK = 32
// kw: let LARGE = STAGES * (128 * 36 + 32 * 136) * 4, FLAT = STAGES * (64 * 36 + 32 * 136) * 4
// kw: require LARGE <= shared_max
// kw: when k < 32  // so few products that what is cut off shows
// kw:   launch matmul_plain grid(ceil_div(n, 32), ceil_div(m, 8), min(batch, 65535)) block(32, 8) args(
// kw:     batch, m, n, k, a, lda, b, ldb, c, ldc)
// kw: else when m <= 64
// kw:   let SPLITS = max(1, min(4 * sms / (batch * ceil_div(n, 128)), k / 512))
// kw:   let STEP = align_up(ceil_div(k, SPLITS), BK)
// kw:   when SPLITS == 1
// kw:     launch matmul_flat grid(ceil_div(n, 128), min(batch, 65535), 1) block(128) shared(FLAT) args(
// kw:       batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw:   else
// kw:     workspace parts f32 [SPLITS, batch, m * n]
// kw:     launch matmul_flat grid(ceil_div(n, 128), min(batch, 65535), SPLITS) block(128) shared(FLAT) args(
// kw:       batch, m, n, k, STEP, a, lda, b, ldb, parts, n)
// kw:     launch sum_parts grid(min(sms * 8, ceil_div(m * n, 256)), batch) block(256) args(m, n, SPLITS, parts, c, ldc)
// kw:   end
// kw: else when m <= 192 && (m - 1) % 128 < 64
// kw:   launch matmul_flat grid(ceil_div(m, 64) * ceil_div(n, 128), min(batch, 65535), 1) block(128) shared(FLAT) args(
// kw:     batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw: else
// kw:   launch matmul_large grid(ceil_div(m, 128) * ceil_div(n, 128), min(batch, 65535)) block(256) shared(LARGE) args(
// kw:     batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw: end

extern __shared__ float4 dynamic_shared[];

// The product of one matrix of the batch: rows 0..m, columns 0..n, and products k0..k1 of each sum.
struct Product {
  int m, n, k0, k1, lda, ldb;
  const float *a, *b;
};

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

struct Tile {
  int i, j;  // first row and column
};

// Tiles are taken GROUP rows at a time, column by column, so that blocks that run at once share
// operands.
static __device__ __forceinline__ Tile tile_of(int index, int m, int n, int bm, int bn) {
  const int rows = (m + bm - 1) / bm, columns = (n + bn - 1) / bn;
  const int band = index / (GROUP * columns);
  const int height = min(GROUP, rows - band * GROUP);
  const int within = index % (GROUP * columns);
  return {(band * GROUP + within % height) * bm, within / height * bn};
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

// Each warp has 64 x 32 elements of the block. The matrix unit truncates its sums instead of
// rounding them, so it adds up only BK products at a time, and plain additions add up these sums.
template <int BN>
static __device__ __forceinline__ void multiply(const float* as, const float* bs,
                                                float (&sum)[4][4][4]) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  as += (warp / (BN / 32) * 64 + g) * (BK + 4) + t;
  bs += t * (BN + 8) + warp % (BN / 32) * 32 + g;
  float part[4][4][4] = {};
#pragma unroll
  for (int p = 0; p < BK; p += 8) {
    float b_high[4][2], b_low[4][2];
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        split(bs[(p + 4 * e) * (BN + 8) + 8 * j], b_high[j][e], b_low[j][e]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float a_high[4], a_low[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        split(as[(16 * i + e % 2 * 8) * (BK + 4) + p + e / 2 * 4], a_high[e], a_low[e]);
      // The small terms are added first. Four independent sums in a row hide the matrix unit's
      // latency.
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_low, b_high[j]);
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_high, b_low[j]);
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_high, b_high[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
}

// Copies ROWS x COLUMNS elements at (i0, j0) of a matrix of `rows` x `columns` into rows of PITCH
// elements.
template <int ROWS, int COLUMNS, int PITCH, int THREADS>
static __device__ __forceinline__ void load_tile(float* to, const float* from, int ld, int i0,
                                                 int j0, int rows, int columns) {
  if (ld % 4 == 0) {
#pragma unroll
    for (int e = threadIdx.x; e < ROWS * COLUMNS / 4; e += THREADS) {
      const int i = e / (COLUMNS / 4), j = e % (COLUMNS / 4) * 4;
      copy16(to + i * PITCH + j, from + static_cast<long long>(i0 + i) * ld + j0 + j,
             i0 + i < rows ? columns - j0 - j : 0);
    }
  } else {
    for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
      const int i = e / COLUMNS, j = e % COLUMNS;
      copy4(to + i * PITCH + j, from + static_cast<long long>(i0 + i) * ld + j0 + j,
            i0 + i < rows && j0 + j < columns);
    }
  }
}

template <int BM, int BN>
static __device__ __forceinline__ void product_of(const Product& q, Tile tile, float* c, int ldc) {
  constexpr int THREADS = BM * BN / 64, B_AT = BM * (BK + 4), SIZE = B_AT + BK * (BN + 8);
  float* stages = reinterpret_cast<float*>(dynamic_shared);
  const int turns = (q.k1 - q.k0 + BK - 1) / BK;
  const auto load = [&](int turn, float* stage) {
    const int p0 = q.k0 + turn * BK;
    load_tile<BM, BK, BK + 4, THREADS>(stage, q.a, q.lda, tile.i, p0, q.m, q.k1);
    load_tile<BK, BN, BN + 8, THREADS>(stage + B_AT, q.b, q.ldb, p0, tile.j, q.k1, q.n);
  };
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < turns) load(s, stages + s * SIZE);
    end_group();
  }
  float sum[4][4][4] = {};
  int read = 0, write = STAGES - 1;
  for (int turn = 0; turn < turns; ++turn) {
    wait_groups<STAGES - 2>();
    __syncthreads();
    if (turn + STAGES - 1 < turns) load(turn + STAGES - 1, stages + write * SIZE);
    end_group();
    multiply<BN>(stages + read * SIZE, stages + read * SIZE + B_AT, sum);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  wait_groups<0>();
  __syncthreads();
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool is_vector = ldc % 2 == 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = tile.i + warp / (BN / 32) * 64 + 16 * i + 8 * half + g;
      if (row >= q.m) continue;
      float* to = c + static_cast<long long>(row) * ldc;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int column = tile.j + warp % (BN / 32) * 32 + 8 * j + 2 * t;
        const float2 v = make_float2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
        if (is_vector && column + 1 < q.n) {
          *reinterpret_cast<float2*>(to + column) = v;
        } else {
          if (column < q.n) to[column] = v.x;
          if (column + 1 < q.n) to[column + 1] = v.y;
        }
      }
    }
}

template <int BM, int BN>
static __device__ __forceinline__ void products(int batch, int m, int n, int k, int step,
                                                const float* a, int lda, const float* b, int ldb,
                                                float* c, int ldc) {
  const Tile tile = tile_of(blockIdx.x, m, n, BM, BN);
  const int k0 = blockIdx.z * step;
  for (int s = blockIdx.y; s < batch; s += gridDim.y) {
    const Product q = {m,
                       n,
                       min(k0, k),
                       min(k0 + step, k),
                       lda,
                       ldb,
                       a + static_cast<long long>(s) * m * lda,
                       b + static_cast<long long>(s) * k * ldb};
    const long long place = static_cast<long long>(blockIdx.z) * batch + s;
    product_of<BM, BN>(q, tile, c + place * m * ldc, ldc);
  }
}

extern "C" __global__ void __launch_bounds__(256, 1)
    matmul_large(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                 const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  products<128, 128>(batch, m, n, k, step, a, lda, b, ldb, c, ldc);
}

// Block z adds up `step` of the k products and writes its own part of c.
extern "C" __global__ void __launch_bounds__(128, 2)
    matmul_flat(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  products<64, 128>(batch, m, n, k, step, a, lda, b, ldb, c, ldc);
}

extern "C" __global__ void __launch_bounds__(256)
    matmul_plain(int batch, int m, int n, int k, const float* __restrict__ a, int lda,
                 const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  const int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= m || j >= n) return;
  for (int s = blockIdx.z; s < batch; s += gridDim.z) {
    const float* from = a + (static_cast<long long>(s) * m + i) * lda;
    const float* with = b + static_cast<long long>(s) * k * ldb + j;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum += from[p] * with[static_cast<long long>(p) * ldb];
    c[(static_cast<long long>(s) * m + i) * ldc + j] = sum;
  }
}

// c is the sum of the parts, element by element in a fixed order.
extern "C" __global__ void sum_parts(int m, int n, int splits, const float* __restrict__ parts,
                                     float* __restrict__ c, int ldc) {
  const long long size = static_cast<long long>(m) * n;
  const long long stride = size * gridDim.y;
  const float* from = parts + blockIdx.y * size;
  for (long long e = blockIdx.x * 256LL + threadIdx.x; e < size; e += gridDim.x * 256LL) {
    float sum = 0.0f;
    for (int s = 0; s < splits; ++s) sum += from[s * stride + e];
    c[(blockIdx.y * static_cast<long long>(m) + e / n) * ldc + e % n] = sum;
  }
}
