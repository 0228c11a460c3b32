// matmul_bf16/f16 on tensor cores by mma.sync: tiles arrive in the background in several stages, sums in float32.
// SPDX-License-Identifier: Apache-2.0
// kw: technique tensor cores, shared memory tiling, asynchronous copies, multistage pipeline, block swizzling, split-k
// kw: require arch >= sm_80
// kw: tune STAGES = 4, 3, 5
// kw: tune GROUP = 8, 16, 4
// kw: let BK = 32
// kw: let LARGE = STAGES * (128 * 40 + 32 * 136) * 2, FLAT = STAGES * (64 * 40 + 32 * 136) * 2
// kw: require LARGE <= shared_max
// kw: when m <= 64
// kw:   let SPLITS = max(1, min(4 * sms / (batch * ceil_div(n, 128)), k / 512))
// kw:   let STEP = align_up(ceil_div(k, SPLITS), BK)
// kw:   workspace parts f32 [SPLITS, batch, m * n]
// kw:   launch matmul_flat grid(ceil_div(n, 128), min(batch, 65535), SPLITS) block(128) shared(FLAT) args(
// kw:     batch, m, n, k, STEP, a, lda, b, ldb, parts)
// kw:   launch sum_parts grid(min(sms * 8, ceil_div(m * n, 256)), batch) block(256) args(m, n, SPLITS, parts, c, ldc)
// kw: else
// kw:   launch matmul_large grid(ceil_div(m, 128) * ceil_div(n, 128), min(batch, 65535)) block(256) shared(LARGE) args(
// kw:     batch, m, n, k, a, lda, b, ldb, c, ldc)
// kw: end

#ifdef KW_REAL_F16
#include <cuda_fp16.h>
#endif

typedef unsigned short Half;  // bfloat16 or float16, as it is stored

extern __shared__ uint4 dynamic_shared[];

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

static __device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies the first `many` of eight elements to shared memory in the background; the others become
// zeros. Copies arrive in the order of the groups that `end_group` closes.
static __device__ __forceinline__ void copy16(Half* to, const Half* from, int many) {
  many = max(0, min(many, 8));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(many * 2)
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

// Copies ROWS x COLUMNS elements at (i0, j0) of a matrix of `rows` x `columns` into rows of PITCH
// elements.
template <int ROWS, int COLUMNS, int PITCH, int THREADS>
static __device__ __forceinline__ void load_tile(Half* to, const Half* from, int ld, int i0, int j0, int rows,
                                                 int columns) {
  if (ld % 8 == 0) {
#pragma unroll
    for (int e = threadIdx.x; e < ROWS * COLUMNS / 8; e += THREADS) {
      const int i = e / (COLUMNS / 8), j = e % (COLUMNS / 8) * 8;
      const int many = i0 + i < rows ? columns - j0 - j : 0;
      // Even an address that is not read must lie inside the matrix.
      copy16(to + i * PITCH + j, many > 0 ? from + static_cast<long long>(i0 + i) * ld + j0 + j : from, many);
    }
  } else {
#pragma unroll 1
    for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
      const int i = e / COLUMNS, j = e % COLUMNS;
      const bool has = i0 + i < rows && j0 + j < columns;
      to[i * PITCH + j] = has ? from[static_cast<long long>(i0 + i) * ld + j0 + j] : Half(0);
    }
  }
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

// The product of one matrix of the batch: rows 0..m, columns 0..n, and products k0..k1 of each sum.
struct Product {
  int m, n, k0, k1, lda, ldb;
  const Half *a, *b;
};

// Each warp has 64 x 32 elements of the block.
template <int BN>
static __device__ __forceinline__ void multiply(const Half* as, const Half* bs, float (&sum)[4][4][4]) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  as += (warp / (BN / 32) * 64 + lane % 16) * (BK + 8) + lane / 16 * 8;
  bs += lane % 16 * (BN + 8) + warp % (BN / 32) * 32 + lane / 16 * 8;
#pragma unroll
  for (int p = 0; p < BK; p += 16) {
    unsigned a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) load_rows(a[i], as + 16 * i * (BK + 8) + p);
#pragma unroll
    for (int j = 0; j < 2; ++j) load_columns(b[j], bs + p * (BN + 8) + 16 * j);
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
}

template <int BM, int BN>
static __device__ __forceinline__ void sums_of(const Product& q, Tile tile, float (&sum)[4][4][4]) {
  constexpr int THREADS = BM * BN / 64, B_AT = BM * (BK + 8), SIZE = B_AT + BK * (BN + 8);
  Half* stages = reinterpret_cast<Half*>(dynamic_shared);
  const int turns = (q.k1 - q.k0 + BK - 1) / BK;
  const auto load = [&](int turn, Half* stage) {
    const int p0 = q.k0 + turn * BK;
    load_tile<BM, BK, BK + 8, THREADS>(stage, q.a, q.lda, tile.i, p0, q.m, q.k1);
    load_tile<BK, BN, BN + 8, THREADS>(stage + B_AT, q.b, q.ldb, p0, tile.j, q.k1, q.n);
  };
#pragma unroll 1
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < turns) load(s, stages + s * SIZE);
    end_group();
  }
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
}

// Calls `store(row, column, values of two columns)` for all elements that this thread holds.
template <int BN, class Store>
static __device__ __forceinline__ void each_pair(const Product& q, Tile tile, const float (&sum)[4][4][4],
                                                 Store store) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = tile.i + warp / (BN / 32) * 64 + 16 * i + 8 * half + g;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int column = tile.j + warp % (BN / 32) * 32 + 8 * j + 2 * t;
        if (row < q.m && column < q.n) store(row, column, sum[i][j][2 * half], sum[i][j][2 * half + 1]);
      }
    }
}

static __device__ __forceinline__ Product product_of(int s, int m, int n, int k0, int k1, const Half* a, int lda,
                                                     const Half* b, int ldb, int k) {
  return {m, n, k0, k1, lda, ldb, a + static_cast<long long>(s) * m * lda, b + static_cast<long long>(s) * k * ldb};
}

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_large(int batch, int m, int n, int k, const Half* __restrict__ a, int lda, const Half* __restrict__ b,
                 int ldb, Half* __restrict__ c, int ldc) {
  const Tile tile = tile_of(blockIdx.x, m, n, 128, 128);
  for (int s = blockIdx.y; s < batch; s += gridDim.y) {
    const Product q = product_of(s, m, n, 0, k, a, lda, b, ldb, k);
    float sum[4][4][4] = {};
    sums_of<128, 128>(q, tile, sum);
    Half* to = c + static_cast<long long>(s) * m * ldc;
    each_pair<128>(q, tile, sum, [&](int row, int column, float left, float right) {
      Half* at = to + static_cast<long long>(row) * ldc + column;
      const unsigned pair = pair_of(left, right);
      if (ldc % 2 == 0 && column + 1 < n) {
        *reinterpret_cast<unsigned*>(at) = pair;
      } else {
        at[0] = static_cast<Half>(pair);
        if (column + 1 < n) at[1] = static_cast<Half>(pair >> 16);
      }
    });
  }
}

// Block z adds up `step` of the k products and writes its own part.
extern "C" __global__ void __launch_bounds__(128, 2)
    matmul_flat(int batch, int m, int n, int k, int step, const Half* __restrict__ a, int lda,
                const Half* __restrict__ b, int ldb, float* __restrict__ parts) {
  const Tile tile = tile_of(blockIdx.x, m, n, 64, 128);
  const int k0 = min(static_cast<int>(blockIdx.z) * step, k), k1 = min(k0 + step, k);
  for (int s = blockIdx.y; s < batch; s += gridDim.y) {
    const Product q = product_of(s, m, n, k0, k1, a, lda, b, ldb, k);
    float sum[4][4][4] = {};
    sums_of<64, 128>(q, tile, sum);
    float* to = parts + (static_cast<long long>(blockIdx.z) * batch + s) * m * n;
    each_pair<128>(q, tile, sum, [&](int row, int column, float left, float right) {
      float* at = to + static_cast<long long>(row) * n + column;
      at[0] = left;
      if (column + 1 < n) at[1] = right;
    });
  }
}

// c is the sum of the parts, element by element in a fixed order.
extern "C" __global__ void sum_parts(int m, int n, int splits, const float* __restrict__ parts, Half* __restrict__ c,
                                     int ldc) {
  const long long size = static_cast<long long>(m) * n;
  const long long stride = size * gridDim.y;
  const float* from = parts + blockIdx.y * size;
  for (long long e = blockIdx.x * 256LL + threadIdx.x; e < size; e += gridDim.x * 256LL) {
    float sum = 0.0f;
    for (int s = 0; s < splits; ++s) sum += from[s * stride + e];
    c[(blockIdx.y * static_cast<long long>(m) + e / n) * ldc + e % n] = static_cast<Half>(pair_of(sum, 0.0f));
  }
}
