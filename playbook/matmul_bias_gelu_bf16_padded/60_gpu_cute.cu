// matmul_bias_gelu_bf16/f16 with TMA and wgmma in CuTe: bias and GELU while the sums are still in registers.
// SPDX-License-Identifier: Apache-2.0
//
// A cluster of two blocks computes 256 x 256 elements of c; block r has rows 128 r to 128 r + 127.
// One thread of a block keeps a ring of tiles filled: with its own rows of a, and with half of the
// columns of b, which it sends to both blocks. Two warpgroups multiply 64 rows each. Blocks are
// persistent and take one tile after the other, so that the ring never runs dry between tiles.
//
// kw: dialect cute
// kw: require arch == sm_90a
// kw: technique tensor cores, TMA, warp specialisation, thread block clusters, multicast, persistent blocks, multistage pipeline, block swizzling, fused epilogue
// kw: tune GROUP = 8, 4, 16
// kw: tune STAGES = 4, 3
// kw: let BM = 128, BN = 256, BK = 64
// kw: when lda % 8 == 0 && ldb % 8 == 0
// kw:   let TILES = ceil_div(m, 2 * BM) * ceil_div(n, BN)
// kw:   map map_a = a sizes(k, m) strides(lda * 2) box(BK, BM) swizzle(128)
// kw:   map map_b = b sizes(n, k) strides(ldb * 2) box(64, BK) swizzle(128)
// kw:   let BYTES = STAGES * (BM + BN) * BK * 2 + 2048
// kw:   launch matmul_wgmma grid(2 * min(sms / 2, TILES)) block(384) cluster(2) shared(BYTES) args(
// kw:     map_a, map_b, bias, c, m, n, k, ldc)
// kw: else  // rows that begin at no multiple of 16 bytes
// kw:   launch matmul_plain grid(ceil_div(n, 32), ceil_div(m, 8)) block(32, 8) args(
// kw:     m, n, k, a, lda, b, ldb, bias, c, ldc)
// kw: end
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/numeric_types.h>

using namespace cute;

#ifdef KW_REAL_F16
using Element = half_t;
#define PAIRS "f16x2"
#else
using Element = bfloat16_t;
#define PAIRS "bf16x2"
#endif
// Layouts of tiles as TMA writes them with the 128-byte swizzle, in rows of 64 elements. Rows of a
// run along k. Rows of b run along n, and each box of 64 columns of b holds all of a stage's k.
using TilesA = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<Element>{},
                                      Shape<Int<BM>, Int<BK>, Int<STAGES>>{}));
using TilesB = decltype(tile_to_shape(GMMA::Layout_MN_SW128_Atom<Element>{},
                                      Shape<Int<BN>, Int<BK>, Int<STAGES>>{}, Step<_2, _1, _3>{}));
using Mma = decltype(make_tiled_mma(
    GMMA::ss_op_selector<Element, Element, float, Shape<_64, Int<BN>, _16>, GMMA::Major::K, GMMA::Major::MN>(),
    Layout<Shape<_2, _1, _1>>{}));

struct Ring {
  alignas(1024) ArrayEngine<Element, cosize_v<TilesA>> a;
  alignas(1024) ArrayEngine<Element, cosize_v<TilesB>> b;
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
};

using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
constexpr int kWarps = 8;  // warps that multiply, in each of the two blocks
constexpr uint32_t kStageBytes = (BM + BN) * BK * sizeof(Element);

struct Problem {
  int m, n, k, ldc;
  __device__ int bands() const { return (m + 2 * BM - 1) / (2 * BM); }
  __device__ int columns() const { return (n + BN - 1) / BN; }
  __device__ int tiles() const { return bands() * columns(); }
  __device__ int turns() const { return (k + BK - 1) / BK; }
};

struct Place {
  int i, j;  // first row and column of the cluster's tile
};

// Tiles are taken GROUP rows at a time, column by column, so that clusters that run at once share
// operands in the L2.
static __device__ Place place_of(const Problem& p, int tile) {
  const int bands = p.bands(), columns = p.columns();
  const int group = tile / (GROUP * columns), rest = tile % (GROUP * columns);
  const int height = min(GROUP, bands - group * GROUP);
  return {(group * GROUP + rest % height) * 2 * BM, rest / height * BN};
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
    const Place place = place_of(p, tile);
    for (int turn = 0; turn < p.turns(); ++turn, at.advance()) {
      // Both blocks must have finished with the slot, because both are written to.
      if (at.round > 0) Empty::wait(&ring.empty[at.slot], (at.round - 1) & 1);
      Full::arrive_and_expect_tx(&ring.full[at.slot], kStageBytes);
      SM90_TMA_LOAD_2D::copy(&map_a, &ring.full[at.slot], kHint,
                             ring.a.begin() + at.slot * BM * BK, turn * BK,
                             place.i + rank * BM);
      for (int box = 2 * rank; box < 2 * rank + 2; ++box)
        SM90_TMA_LOAD_MULTICAST_2D::copy(&map_b, &ring.full[at.slot], kBoth, kHint,
                                         ring.b.begin() + (at.slot * BN + box * 64) * BK,
                                         place.j + box * 64, turn * BK);
    }
  }
}

// Four lanes t = 0 … 3 with four registers b = 0 … 3 each: lane t gets register t of lane b as its b.
static __device__ __forceinline__ void transpose(uint32_t (&v)[4]) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int bit = 1; bit < 4; bit *= 2)
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      if (b & bit) continue;
      const bool is_upper = t & bit;
      const uint32_t other =
          __shfl_xor_sync(0xffffffffu, is_upper ? v[b] : v[b | bit], bit);
      (is_upper ? v[b] : v[b | bit]) = other;
    }
}

static __device__ __forceinline__ uint32_t pair_of(float low, float high) {
  uint32_t pair;
  asm("cvt.rn." PAIRS ".f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// gelu(x) is x Q(|x|) below 0 and x - x Q(|x|) above 0, with the tail Q(z) = erfc(z / sqrt 2) / 2
// to an absolute 1e-7 by Abramowitz and Stegun, 7.1.26, whose coefficients are halved here.
static __device__ __forceinline__ float gelu(float x) {
  const float z = fabsf(x) * 0.70710678f;
  const float t = __fdividef(1.0f, 1.0f + 0.3275911f * z);
  float tail = 0.5307027145f;
  tail = tail * t - 0.7265760135f;
  tail = tail * t + 0.7107068705f;
  tail = tail * t - 0.142248368f;
  tail = tail * t + 0.127414796f;
  tail = tail * t * __expf(-z * z) * x;
  return x < 0.0f ? tail : x - tail;
}

static __device__ __forceinline__ float widened(uint16_t v) { return float(Element::bitcast(v)); }

// A thread has columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 (g, t = lane / 4, lane % 4)
// in registers 4 j to 4 j + 3. Lanes of equal g exchange values, so that each stores eight adjacent
// columns.
template <class Sums>
static __device__ void store(const Sums& sums, const uint16_t* bias, uint16_t* c, const Problem& p, int i,
                             int j) {
  const int lane = threadIdx.x % 32, t = lane % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = i + lane / 4 + 8 * half;
#pragma unroll
    for (int q = 0; q < BN / 32; ++q) {
      uint32_t v[4];
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        const int at = 4 * (4 * q + b) + 2 * half, of = j + 32 * q + 8 * b + 2 * t;
        const float left = of < p.n ? widened(__ldg(bias + of)) : 0.0f;
        const float right = of + 1 < p.n ? widened(__ldg(bias + of + 1)) : 0.0f;
        v[b] = pair_of(gelu(sums(at) + left), gelu(sums(at + 1) + right));
      }
      transpose(v);
      const int column = j + 32 * q + 8 * t;
      if (row >= p.m || column >= p.n) continue;
      uint16_t* to = c + int64_t(row) * p.ldc + column;
      if (p.ldc % 8 == 0 && column + 8 <= p.n) {
        *reinterpret_cast<uint4*>(to) = make_uint4(v[0], v[1], v[2], v[3]);
      } else {
#pragma unroll
        for (int e = 0; e < 8; ++e)
          if (column + e < p.n) to[e] = static_cast<uint16_t>(v[e / 2] >> 16 * (e % 2));
      }
    }
  }
}

static __device__ void consume(Ring& ring, const uint16_t* bias, uint16_t* c, const Problem& p, int rank) {
  const int thread = int(threadIdx.x) - 128, lane = thread % 32;
  auto tiles_a = make_tensor(make_smem_ptr(ring.a.begin()), TilesA{});
  auto tiles_b = make_tensor(make_smem_ptr(ring.b.begin()), TilesB{});
  Mma tiled;
  auto slice = tiled.get_slice(thread);
  auto fragments_a = slice.make_fragment_A(slice.partition_A(tiles_a));
  auto fragments_b = slice.make_fragment_B(slice.partition_B(tiles_b));
  auto sums = partition_fragment_C(tiled, Shape<Int<BM>, Int<BN>>{});
  // Lanes 0 and 1 of each warp tell the two blocks that the warp has finished with a slot.
  const auto release = [&](int slot) {
    if (lane < 2) Empty::arrive(&ring.empty[slot], lane, true);
  };
  Cursor at;
  for (int tile = blockIdx.x / 2; tile < p.tiles(); tile += gridDim.x / 2) {
    const Place place = place_of(p, tile);
    tiled.accumulate_ = GMMA::ScaleOut::Zero;
    warpgroup_fence_operand(sums);
    int before = -1;  // the slot whose product may still be under way
    for (int turn = 0; turn < p.turns(); ++turn, at.advance()) {
      Full::wait(&ring.full[at.slot], at.round & 1);
      warpgroup_arrive();
#pragma unroll
      for (int q = 0; q < size<2>(fragments_a); ++q) {
        gemm(tiled, fragments_a(_, _, q, at.slot), fragments_b(_, _, q, at.slot), sums);
        tiled.accumulate_ = GMMA::ScaleOut::One;
      }
      warpgroup_commit_batch();
      warpgroup_wait<1>();
      if (before >= 0) release(before);
      before = at.slot;
    }
    warpgroup_wait<0>();
    warpgroup_fence_operand(sums);
    release(before);
    store(sums, bias, c, p, place.i + rank * BM + thread / 32 * 16, place.j);
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_wgmma(const __grid_constant__ TmaDescriptor map_a,
                 const __grid_constant__ TmaDescriptor map_b, const uint16_t* bias, uint16_t* c,
                 int m, int n, int k, int ldc) {
  extern __shared__ char memory[];
  // The swizzle repeats every 1024 bytes, but dynamic shared memory is aligned only to 16. Both
  // blocks find the same address.
  Ring& ring = *reinterpret_cast<Ring*>((reinterpret_cast<uintptr_t>(memory) + 1023) &
                                        ~uintptr_t(1023));
  const Problem p = {m, n, k, ldc};
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
    cutlass::arch::warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 0) produce(ring, map_a, map_b, p, rank);
    __syncwarp();  // the cluster's barrier needs whole warps
  } else {
    cutlass::arch::warpgroup_reg_alloc<240>();
    consume(ring, bias, c, p, rank);
  }
  cluster_sync();  // neither block ends while the other may still write to its shared memory
}

extern "C" __global__ void __launch_bounds__(256)
    matmul_plain(int m, int n, int k, const Element* __restrict__ a, int lda,
                 const Element* __restrict__ b, int ldb, const Element* __restrict__ bias,
                 Element* __restrict__ c, int ldc) {
  const int i = blockIdx.y * 8 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
  if (i >= m || j >= n) return;
  const Element* from = a + int64_t(i) * lda;
  float sum = float(bias[j]);
  for (int p = 0; p < k; ++p) sum += float(from[p]) * float(b[int64_t(p) * ldb + j]);
  c[int64_t(i) * ldc + j] = Element(gelu(sum));
}
