// matmul on plain FMA: tiles in shared memory that arrive in the background, 8 x 8 products per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: technique shared memory tiling, register tiling, asynchronous copies, multistage pipeline, block swizzling, split-k
// kw: tune BK = 8, 16
// kw: tune STAGES = 3, 2, 4
// kw: tune GROUP = 8, 16, 4
// kw: let LARGE = STAGES * BK * (132 + 128) * 4, NARROW = STAGES * BK * (36 + 128) * 4, FLAT = STAGES * BK * (68 + 128) * 4
// kw: when m <= 64
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
// kw: else when m <= 160 && (m - 1) % 128 < 32
// kw:   launch matmul_narrow grid(ceil_div(m, 32) * ceil_div(n, 128), min(batch, 65535)) block(64) shared(NARROW) args(
// kw:     batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw: else
// kw:   launch matmul_large grid(ceil_div(m, 128) * ceil_div(n, 128), min(batch, 65535)) block(256) shared(LARGE) args(
// kw:     batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw: end

extern __shared__ float4 dynamic_shared[];

// One matrix of the batch: rows 0..m, columns 0..n, of the sums k0..k1.
struct Product {
  int m, n, k0, k1, lda, ldb;
  const float *a, *b;
};

// Copies to shared memory in the background; without `has` nothing is read and zeros are written. They arrive in the order of
// the groups that `end_group` closes.
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

// `many` elements of four; the rest become zeros.
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

// Until at most PENDING groups of the calling thread are under way.
template <int PENDING>
static __device__ __forceinline__ void wait_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

struct Tile {
  int i, j;  // first row and column
};

// GROUP rows of tiles at a time, column by column, so that blocks that run at once share operands.
static __device__ __forceinline__ Tile tile_of(int index, int m, int n, int bm, int bn) {
  const int rows = (m + bm - 1) / bm, columns = (n + bn - 1) / bn;
  const int band = index / (GROUP * columns);
  const int height = min(GROUP, rows - band * GROUP);
  const int within = index % (GROUP * columns);
  return {(band * GROUP + within % height) * bm, within / height * bn};
}

// Four neighbours of one row of c, as far as there are columns.
static __device__ __forceinline__ void store4(float* row, int j, int n, bool is_vector, float4 v) {
  if (is_vector && j + 3 < n) {
    *reinterpret_cast<float4*>(row + j) = v;
    return;
  }
  if (j < n) row[j] = v.x;
  if (j + 1 < n) row[j + 1] = v.y;
  if (j + 2 < n) row[j + 2] = v.z;
  if (j + 3 < n) row[j + 3] = v.w;
}

// Warps tile the block in 32 x 64, lanes their warp in 4 x 8; a thread owns 2 x 2 pieces of 4 x 4.
template <int BM, int BN>
struct Place {
  int row, column;

  __device__ Place() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / (BN / 64) * 32 + lane / 8 * 4;
    column = warp % (BN / 64) * 64 + lane % 8 * 4;
  }
};

template <int BM, int BN>
static __device__ __forceinline__ void multiply(const float* as, const float* bs,
                                                const Place<BM, BN>& place, float (&sum)[8][8]) {
#pragma unroll
  for (int p = 0; p < BK; ++p) {
    const float* a = as + p * (BM + 4) + place.row;
    const float* b = bs + p * BN + place.column;
    const float4 a0 = *reinterpret_cast<const float4*>(a);
    const float4 a1 = *reinterpret_cast<const float4*>(a + 16);
    const float4 b0 = *reinterpret_cast<const float4*>(b);
    const float4 b1 = *reinterpret_cast<const float4*>(b + 32);
    const float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) sum[i][j] += left[i] * right[j];
  }
}

// One stage: a transposed, so that a thread's rows are neighbours; b as it lies.
template <int BM, int BN, int THREADS>
static __device__ __forceinline__ void load_stage(const Product& q, Tile tile, int p0, float* as,
                                                  float* bs) {
  // Eight neighbours along k and four rows per warp: whole sectors of a, and no bank twice.
  const int p = p0 + threadIdx.x % 8, i = threadIdx.x / 8;
  const float* from = q.a + static_cast<long long>(tile.i + i) * q.lda + p;
  as += threadIdx.x % 8 * (BM + 4) + i;
#pragma unroll
  for (int k = 0; k < BK; k += 8)
#pragma unroll
    for (int row = 0; row < BM; row += THREADS / 8)
      copy4(as + k * (BM + 4) + row, from + static_cast<long long>(row) * q.lda + k,
            tile.i + i + row < q.m && p + k < q.k1);
  if (q.ldb % 4 == 0) {
#pragma unroll
    for (int e = threadIdx.x; e < BK * BN / 4; e += THREADS) {
      const int p = e / (BN / 4), j = e % (BN / 4) * 4;
      copy16(bs + p * BN + j, q.b + static_cast<long long>(p0 + p) * q.ldb + tile.j + j,
             p0 + p < q.k1 ? q.n - tile.j - j : 0);
    }
  } else {
    for (int e = threadIdx.x; e < BK * BN; e += THREADS) {
      const int p = e / BN, j = e % BN;
      copy4(bs + p * BN + j, q.b + static_cast<long long>(p0 + p) * q.ldb + tile.j + j,
            p0 + p < q.k1 && tile.j + j < q.n);
    }
  }
}

template <int BM, int BN>
static __device__ __forceinline__ void product_of(const Product& q, Tile tile, float* c, int ldc) {
  constexpr int THREADS = BM * BN / 64, SIZE = BK * (BM + 4 + BN);
  float* stages = reinterpret_cast<float*>(dynamic_shared);
  const Place<BM, BN> place;
  const int turns = (q.k1 - q.k0 + BK - 1) / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < turns)
      load_stage<BM, BN, THREADS>(q, tile, q.k0 + s * BK, stages + s * SIZE,
                                  stages + s * SIZE + BK * (BM + 4));
    end_group();
  }
  float sum[8][8] = {};
  int read = 0, write = STAGES - 1;
  for (int turn = 0; turn < turns; ++turn) {
    wait_groups<STAGES - 2>();
    __syncthreads();
    if (turn + STAGES - 1 < turns)
      load_stage<BM, BN, THREADS>(q, tile, q.k0 + (turn + STAGES - 1) * BK, stages + write * SIZE,
                                  stages + write * SIZE + BK * (BM + 4));
    end_group();
    multiply<BM, BN>(stages + read * SIZE, stages + read * SIZE + BK * (BM + 4), place, sum);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  wait_groups<0>();
  __syncthreads();
  const bool is_vector = ldc % 4 == 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = tile.i + place.row + i % 4 + i / 4 * 16;
    if (row >= q.m) continue;
    float* to = c + static_cast<long long>(row) * ldc;
#pragma unroll
    for (int j = 0; j < 8; j += 4)
      store4(to, tile.j + place.column + j * 8, q.n, is_vector,
             make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
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

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_large(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                 const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  products<128, 128>(batch, m, n, k, step, a, lda, b, ldb, c, ldc);
}

extern "C" __global__ void __launch_bounds__(64, 8)
    matmul_narrow(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                  const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  products<32, 128>(batch, m, n, k, step, a, lda, b, ldb, c, ldc);
}

// Block z adds up `step` of the k products, into its own part of c.
extern "C" __global__ void __launch_bounds__(128, 4)
    matmul_flat(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  products<64, 128>(batch, m, n, k, step, a, lda, b, ldb, c, ldc);
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
