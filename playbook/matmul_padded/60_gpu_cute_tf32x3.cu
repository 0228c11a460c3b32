// matmul with TMA and wgmma in CuTe, in three tf32 products: float32 operands as a high and a low part, sums in float32.
// SPDX-License-Identifier: Apache-2.0
//
// The parts are computed first: two matrices for each operand in a workspace, those of b
// transposed, because tf32 operands must run along the sums. A cluster of two blocks computes 256 x
// BN elements of c and shares the tiles of b. The matrix unit truncates its sums instead of
// rounding them, so it adds up only BK products at a time; meanwhile plain additions add up the
// previous sums.
//
// kw: dialect cute
// kw: require arch == sm_90a
// kw: technique tensor cores, split precision, TMA, warp specialisation, thread block clusters, multicast, persistent blocks, multistage pipeline, block swizzling, split-k
// kw: tune GROUP = 8, 4, 16
// kw: let BM = 128, BN = 128, BK = 32, STAGES = 3, FLAT = STAGES * (64 * 36 + 32 * 136) * 4
// kw: let KP = align_up(k, 4)
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
// kw: else when m <= 192 && (m - 1) % 128 < 64 || batch * (m + n) * KP > 500000000  // the parts need room
// kw:   launch matmul_flat grid(ceil_div(m, 64) * ceil_div(n, 128), min(batch, 65535), 1) block(128) shared(FLAT) args(
// kw:     batch, m, n, k, k, a, lda, b, ldb, c, ldc)
// kw: else
// kw:   workspace a_parts f32 [2, batch * m, KP]
// kw:   workspace b_parts f32 [2, batch * n, KP]
// kw:   launch split_rows grid(ceil_div(KP, 1024), min(batch * m, 65535)) block(256) args(
// kw:     a, a_parts[0], a_parts[1], batch * m, k, lda, KP)
// kw:   launch split_columns grid(ceil_div(n, 32), ceil_div(KP, 32), min(batch, 65535)) block(32, 8) args(
// kw:     b, b_parts[0], b_parts[1], batch, k, n, ldb, KP)
// kw:   map map_a = a_parts sizes(k, m, batch, 2) strides(KP * 4, m * KP * 4, batch * m * KP * 4) box(BK, BM, 1, 2) swizzle(128)
// kw:   map map_b = b_parts sizes(k, n, batch, 2) strides(KP * 4, n * KP * 4, batch * n * KP * 4) box(BK, BN / 2, 1, 1) swizzle(128)
// kw:   let TILES = batch * ceil_div(m, 2 * BM) * ceil_div(n, BN), BYTES = STAGES * (BM + BN) * BK * 8 + 2048
// kw:   launch matmul_wgmma grid(2 * min(sms / 2, TILES)) block(384) cluster(2) shared(BYTES) args(
// kw:     map_a, map_b, c, batch, m, n, k, ldc)
// kw: end
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/numeric_types.h>

extern __shared__ float4 dynamic_shared[];

// The product of one matrix of the batch: rows 0..m, columns 0..n, and products k0..k1 of each sum.
struct Product {
  int m, n, k0, k1, lda, ldb;
  const float *a, *b;
};

// Copies to shared memory in the background; without `has` nothing is read and zeros are written.
// Copies arrive in the order of the groups that `end_group` closes.
static __device__ __forceinline__ void copy4(float* to, const float* from, bool has) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(has ? 4 : 0)
               : "memory");
}

// Copies the first `many` of four elements; the others become zeros.
static __device__ __forceinline__ void copy16(float* to, const float* from, int many) {
  many = max(0, min(many, 4));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(many * 4)
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

struct Corner {
  int i, j;  // first row and column
};

// Tiles are taken GROUP rows at a time, column by column, so that blocks that run at once share
// operands.
static __device__ __forceinline__ Corner corner_of(int index, int m, int n, int height,
                                                     int width) {
  const int rows = (m + height - 1) / height, columns = (n + width - 1) / width;
  const int band = index / (GROUP * columns), within = index % (GROUP * columns);
  const int bands = min(GROUP, rows - band * GROUP);
  return {(band * GROUP + within % bands) * height, within / bands * width};
}

// d += a b for 16 x 8 products of 8, all in tf32 with float32 sums. Lane (g, t) = (lane / 4, lane % 4)
// holds a at rows g and g + 8, columns t and t + 4; b at rows t and t + 4, column g; d at rows g and
// g + 8, columns 2 t and 2 t + 1.
static __device__ __forceinline__ void mma(float (&d)[4], const float (&a)[4],
                                           const float (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

// x = high + low, where high is rounded to the 11 bits of tf32. The matrix unit drops the bits of
// low beyond 11.
static __device__ __forceinline__ void split(float x, float& high, float& low) {
  high = __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
  low = x - high;
}

// A warp has 32 of the 128 columns. The matrix unit truncates its sums instead of rounding them, so
// it adds up only BK products at a time, and plain additions add up these sums.
static __device__ __forceinline__ void multiply(const float* as, const float* bs,
                                                float (&sum)[4][4][4]) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  as += g * (BK + 4) + t;
  bs += t * 136 + warp * 32 + g;
  float part[4][4][4] = {};
#pragma unroll
  for (int p = 0; p < BK; p += 8) {
    float b_high[4][2], b_low[4][2];
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        split(bs[(p + 4 * e) * 136 + 8 * j], b_high[j][e], b_low[j][e]);
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
template <int ROWS, int COLUMNS, int PITCH>
static __device__ __forceinline__ void load_tile(float* to, const float* from, int ld, int i0,
                                                 int j0, int rows, int columns) {
  if (ld % 4 == 0) {
#pragma unroll
    for (int e = threadIdx.x; e < ROWS * COLUMNS / 4; e += 128) {
      const int i = e / (COLUMNS / 4), j = e % (COLUMNS / 4) * 4;
      copy16(to + i * PITCH + j, from + static_cast<long long>(i0 + i) * ld + j0 + j,
             i0 + i < rows ? columns - j0 - j : 0);
    }
  } else {
    for (int e = threadIdx.x; e < ROWS * COLUMNS; e += 128) {
      const int i = e / COLUMNS, j = e % COLUMNS;
      copy4(to + i * PITCH + j, from + static_cast<long long>(i0 + i) * ld + j0 + j,
            i0 + i < rows && j0 + j < columns);
    }
  }
}

// Computes 64 x 128 elements of c by four warps with mma.sync, for shapes that would leave most of
// a large tile empty.
static __device__ __forceinline__ void flat_product(const Product& q, Corner tile, float* c, int ldc) {
  constexpr int B_AT = 64 * (BK + 4), SIZE = B_AT + BK * 136;
  float* stages = reinterpret_cast<float*>(dynamic_shared);
  const int turns = (q.k1 - q.k0 + BK - 1) / BK;
  const auto load = [&](int turn, float* stage) {
    const int p0 = q.k0 + turn * BK;
    load_tile<64, BK, BK + 4>(stage, q.a, q.lda, tile.i, p0, q.m, q.k1);
    load_tile<BK, 128, 136>(stage + B_AT, q.b, q.ldb, p0, tile.j, q.k1, q.n);
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
    multiply(stages + read * SIZE, stages + read * SIZE + B_AT, sum);
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
      const int row = tile.i + 16 * i + 8 * half + g;
      if (row >= q.m) continue;
      float* to = c + static_cast<long long>(row) * ldc;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int column = tile.j + warp * 32 + 8 * j + 2 * t;
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

// Block z adds up `step` of the k products and writes its own part of c.
extern "C" __global__ void __launch_bounds__(128, 2)
    matmul_flat(int batch, int m, int n, int k, int step, const float* __restrict__ a, int lda,
                const float* __restrict__ b, int ldb, float* __restrict__ c, int ldc) {
  const Corner tile = corner_of(blockIdx.x, m, n, 64, 128);
  const int k0 = blockIdx.z * step;
  for (int s = blockIdx.y; s < batch; s += gridDim.y) {
    const Product q = {m, n, min(k0, k), min(k0 + step, k), lda, ldb, a + static_cast<long long>(s) * m * lda,
                       b + static_cast<long long>(s) * k * ldb};
    const long long place = static_cast<long long>(blockIdx.z) * batch + s;
    flat_product(q, tile, c + place * m * ldc, ldc);
  }
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

// Splits rows of a into parts: 1024 elements in a block, four in a thread.
extern "C" __global__ void __launch_bounds__(256)
    split_rows(const float* __restrict__ a, float* __restrict__ high, float* __restrict__ low, int rows,
               int k, int lda, int kp) {
  const int p = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (p >= kp) return;
  for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
    float h[4], l[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) split(p + e < k ? a[row * lda + p + e] : 0.0f, h[e], l[e]);
    *reinterpret_cast<float4*>(high + row * kp + p) = make_float4(h[0], h[1], h[2], h[3]);
    *reinterpret_cast<float4*>(low + row * kp + p) = make_float4(l[0], l[1], l[2], l[3]);
  }
}

// Splits and transposes 32 x 32 elements of b.
extern "C" __global__ void __launch_bounds__(256)
    split_columns(const float* __restrict__ b, float* __restrict__ high, float* __restrict__ low,
                  int batch, int k, int n, int ldb, int kp) {
  __shared__ float tile[32][33];
  const int p0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  for (int s = blockIdx.z; s < batch; s += gridDim.z) {
#pragma unroll
    for (int e = threadIdx.y; e < 32; e += 8)
      tile[e][threadIdx.x] = p0 + e < k && j0 + int(threadIdx.x) < n
                                 ? b[(static_cast<long long>(s) * k + p0 + e) * ldb + j0 + threadIdx.x]
                                 : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = threadIdx.y; e < 32; e += 8) {
      if (j0 + e >= n || p0 + int(threadIdx.x) >= kp) continue;
      const long long to = (static_cast<long long>(s) * n + j0 + e) * kp + p0 + threadIdx.x;
      split(tile[threadIdx.x][e], high[to], low[to]);
    }
    __syncthreads();
  }
}

using namespace cute;

using Element = tfloat32_t;
// Layouts of tiles as TMA writes them with the 128-byte swizzle, in rows of BK elements. The high
// part of stage s is at 2 s, the low part at 2 s + 1.
using Rows = GMMA::Layout_K_SW128_Atom<Element>;
using TilesA = decltype(tile_to_shape(Rows{}, Shape<Int<BM>, Int<BK>, Int<2 * STAGES>>{}));
using TilesB = decltype(tile_to_shape(Rows{}, Shape<Int<BN>, Int<BK>, Int<2 * STAGES>>{}));
using Mma = decltype(make_tiled_mma(SM90_64x128x8_F32TF32TF32_SS_TN<>{}, Layout<Shape<_2, _1, _1>>{}));

struct Ring {
  alignas(1024) ArrayEngine<Element, cosize_v<TilesA>> a;
  alignas(1024) ArrayEngine<Element, cosize_v<TilesB>> b;
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
};

using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
constexpr int kWarps = 8;  // warps that multiply, in each of the two blocks
constexpr uint32_t kStageBytes = 2 * (BM + BN) * BK * sizeof(float);

struct Problem {
  int batch, m, n, k, ldc;
  __device__ int bands() const { return (m + 2 * BM - 1) / (2 * BM); }
  __device__ int columns() const { return (n + BN - 1) / BN; }
  __device__ int tiles() const { return batch * bands() * columns(); }
  __device__ int turns() const { return (k + BK - 1) / BK; }
};

struct Spot {
  int s, i, j;  // matrix of the batch, first row and column of the cluster's tile
};

static __device__ Spot spot_of(const Problem& p, int index) {
  const int each = p.bands() * p.columns();
  const Corner tile = corner_of(index % each, p.m, p.n, 2 * BM, BN);
  return {index / each, tile.i, tile.j};
}

// A position in the ring: the slot, and the parity of the round.
struct Cursor {
  int slot = 0, round = 0;
  __device__ void advance() {
    if (++slot == STAGES) slot = 0, ++round;
  }
};

static __device__ void produce(Ring& ring, const TmaDescriptor& map_a, const TmaDescriptor& map_b,
                               const Problem& p, int rank) {
  constexpr auto kHint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
  constexpr uint16_t kBoth = 3;
  Cursor at;
  for (int tile = blockIdx.x / 2; tile < p.tiles(); tile += gridDim.x / 2) {
    const Spot spot = spot_of(p, tile);
    for (int turn = 0; turn < p.turns(); ++turn, at.advance()) {
      // Both blocks must have finished with the slot, because both are written to.
      if (at.round > 0) Empty::wait(&ring.empty[at.slot], (at.round - 1) & 1);
      Full::arrive_and_expect_tx(&ring.full[at.slot], kStageBytes);
      SM90_TMA_LOAD_4D::copy(&map_a, &ring.full[at.slot], kHint,
                             ring.a.begin() + at.slot * 2 * BM * BK, turn * BK,
                             spot.i + rank * BM, spot.s, 0);
      for (int part = 0; part < 2; ++part)
        SM90_TMA_LOAD_MULTICAST_4D::copy(&map_b, &ring.full[at.slot], kBoth, kHint,
                                         ring.b.begin() + ((at.slot * 2 + part) * BN + rank * (BN / 2)) * BK,
                                         turn * BK, spot.j + rank * (BN / 2), spot.s, part);
    }
  }
}

// A thread has columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 (g, t = lane / 4, lane % 4)
// in sums 4 j to 4 j + 3.
template <class Sums>
static __device__ void store(const Sums& sums, float* c, const Problem& p, int i, int j) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = i + lane / 4 + 8 * half;
    if (row >= p.m) continue;
    float* to = c + int64_t(row) * p.ldc;
#pragma unroll
    for (int q = 0; q < BN / 8; ++q) {
      const int column = j + 8 * q + lane % 4 * 2;
      const float2 v = make_float2(sums(4 * q + 2 * half), sums(4 * q + 2 * half + 1));
      if (p.ldc % 2 == 0 && column + 1 < p.n) {
        *reinterpret_cast<float2*>(to + column) = v;
      } else {
        if (column < p.n) to[column] = v.x;
        if (column + 1 < p.n) to[column + 1] = v.y;
      }
    }
  }
}

static __device__ void consume(Ring& ring, float* c, const Problem& p, int rank) {
  const int thread = int(threadIdx.x) - 128, lane = thread % 32;
  Mma tiled;
  auto slice = tiled.get_slice(thread);
  auto as = slice.make_fragment_A(slice.partition_A(make_tensor(make_smem_ptr(ring.a.begin()), TilesA{})));
  auto bs = slice.make_fragment_B(slice.partition_B(make_tensor(make_smem_ptr(ring.b.begin()), TilesB{})));
  auto sums = partition_fragment_C(tiled, Shape<Int<BM>, Int<BN>>{});
  auto even = make_fragment_like(sums), odd = make_fragment_like(sums);
  // Lanes 0 and 1 of each warp tell the two blocks that the warp has finished with a slot.
  const auto release = [&](int slot) {
    if (lane < 2) Empty::arrive(&ring.empty[slot], lane, true);
  };
  Cursor at;
  int before = -1;  // the slot whose products may still be under way
  const auto add = [&](auto& part) {
    warpgroup_fence_operand(part);
#pragma unroll
    for (int e = 0; e < int(size(sums)); ++e) sums(e) += part(e);
  };
  // Begins the products of one slot, and adds the finished products of the slot before.
  const auto step = [&](auto& part, auto& last) {
    Full::wait(&ring.full[at.slot], at.round & 1);
    tiled.accumulate_ = GMMA::ScaleOut::Zero;
    warpgroup_fence_operand(part);
    warpgroup_arrive();
    const int high = 2 * at.slot, low = high + 1;
#pragma unroll
    for (int q = 0; q < BK / 8; ++q) {  // the small terms are added first
      gemm(tiled, as(_, _, q, low), bs(_, _, q, high), part);
      tiled.accumulate_ = GMMA::ScaleOut::One;
      gemm(tiled, as(_, _, q, high), bs(_, _, q, low), part);
      gemm(tiled, as(_, _, q, high), bs(_, _, q, high), part);
    }
    warpgroup_commit_batch();
    warpgroup_wait<1>();
    if (before >= 0) release(before);
    add(last);
    before = at.slot;
    at.advance();
  };
  for (int tile = blockIdx.x / 2; tile < p.tiles(); tile += gridDim.x / 2) {
    const Spot spot = spot_of(p, tile);
    clear(sums);
    clear(odd);
    before = -1;
    for (int turn = 0; turn + 1 < p.turns(); turn += 2) {
      step(even, odd);
      step(odd, even);
    }
    if (p.turns() % 2 == 1) {
      step(even, odd);
      warpgroup_wait<0>();
      add(even);
    } else {
      warpgroup_wait<0>();
      add(odd);
    }
    release(before);
    store(sums, c + int64_t(spot.s) * p.m * p.ldc, p, spot.i + rank * BM + thread / 32 * 16, spot.j);
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_wgmma(const __grid_constant__ TmaDescriptor map_a,
                 const __grid_constant__ TmaDescriptor map_b, float* c, int batch, int m, int n,
                 int k, int ldc) {
  // The swizzle repeats every 1024 bytes, but dynamic shared memory is aligned only to 16. Both
  // blocks find the same address.
  Ring& ring = *reinterpret_cast<Ring*>((reinterpret_cast<uintptr_t>(dynamic_shared) + 1023) &
                                        ~uintptr_t(1023));
  const Problem p = {batch, m, n, k, ldc};
  const int rank = int(block_rank_in_cluster());
  if (threadIdx.x == 0) {
    prefetch_tma_descriptor(&map_a);
    prefetch_tma_descriptor(&map_b);
    for (int i = 0; i < STAGES; ++i) {
      Full::init(&ring.full[i], 1);
      Empty::init(&ring.empty[i], 2 * kWarps);
    }
    cutlass::arch::fence_barrier_init();
  }
  cluster_sync();
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (threadIdx.x == 0) produce(ring, map_a, map_b, p, rank);
    __syncwarp();  // the cluster's barrier needs whole warps
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    consume(ring, c, p, rank);
  }
  cluster_sync();  // neither block ends while the other may still write to its shared memory
}
