// A matrix product with TMA and wgmma in CuTe: device code alone, tensor maps as kernel parameters.
// SPDX-License-Identifier: Apache-2.0
//
// c[m, n] = a[m, k] * b[n, k]^T for f16 operands with k contiguous and f32 results. One warp of a
// warpgroup loads tiles through a ring in shared memory, two warpgroups multiply.
//
// kw: dialect cute
// kw: tune STAGES = 4, 3
// kw: let BM = 128, BN = 128, BK = 64, THREADS = 384
// kw: map tmA = a as f16 sizes(k, m) strides(k * 2) box(BK, BM) swizzle(128)
// kw: map tmB = b as f16 sizes(k, n) strides(k * 2) box(BK, BN) swizzle(128)
// kw: launch cute_gemm grid(ceil_div(n, BN), ceil_div(m, BM)) block(THREADS)
// kw:   shared(STAGES * (BM + BN) * BK * 2 + 2048) args(tmA, tmB, c, m, n, k)
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/numeric_types.h>

using namespace cute;

using Element = half_t;
using Atom = GMMA::Layout_K_SW128_Atom<Element>;
// A TMA box of 64 columns of f16 fills one row of the 128-byte swizzle, so TMA writes exactly this layout.
using TilesA = decltype(tile_to_shape(Atom{}, Shape<Int<BM>, Int<BK>, Int<STAGES>>{}));
using TilesB = decltype(tile_to_shape(Atom{}, Shape<Int<BN>, Int<BK>, Int<STAGES>>{}));
using Mma = decltype(make_tiled_mma(
    SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, Layout<Shape<_2, _1, _1>>{}));

struct Ring {
  alignas(1024) ArrayEngine<Element, cosize_v<TilesA>> a;
  alignas(1024) ArrayEngine<Element, cosize_v<TilesB>> b;
  uint64_t full[STAGES];
  uint64_t empty[STAGES];
};

using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
constexpr int kConsumers = 256;
constexpr uint32_t kStageBytes = (BM + BN) * BK * sizeof(Element);

__device__ void produce(Ring& ring, const TmaDescriptor& map_a, const TmaDescriptor& map_b,
                        int tiles) {
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES, round = t / STAGES;
    if (round > 0) Empty::wait(&ring.empty[stage], (round - 1) & 1);
    Full::arrive_and_expect_tx(&ring.full[stage], kStageBytes);
    constexpr auto kHint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
    SM90_TMA_LOAD_2D::copy(&map_a, &ring.full[stage], kHint, ring.a.begin() + stage * BM * BK,
                           t * BK, int(blockIdx.y) * BM);
    SM90_TMA_LOAD_2D::copy(&map_b, &ring.full[stage], kHint, ring.b.begin() + stage * BN * BK,
                           t * BK, int(blockIdx.x) * BN);
  }
}

__device__ void consume(Ring& ring, float* c, int m, int n, int tiles) {
  const int thread = int(threadIdx.x) - 128;
  auto tiles_a = make_tensor(make_smem_ptr(ring.a.begin()), TilesA{});
  auto tiles_b = make_tensor(make_smem_ptr(ring.b.begin()), TilesB{});
  auto mma = Mma{}.get_slice(thread);
  auto fragments_a = mma.make_fragment_A(mma.partition_A(tiles_a));
  auto fragments_b = mma.make_fragment_B(mma.partition_B(tiles_b));
  auto sums = partition_fragment_C(Mma{}, Shape<Int<BM>, Int<BN>>{});
  clear(sums);
  Mma tiled;
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % STAGES;
    Full::wait(&ring.full[stage], (t / STAGES) & 1);
    warpgroup_fence_operand(sums);
    warpgroup_arrive();
    gemm(tiled, fragments_a(_, _, _, stage), fragments_b(_, _, _, stage), sums);
    warpgroup_commit_batch();
    warpgroup_wait<0>();
    warpgroup_fence_operand(sums);
    Empty::arrive(&ring.empty[stage]);
  }
  auto places = mma.partition_C(make_identity_tensor(Shape<Int<BM>, Int<BN>>{}));
  for (int i = 0; i < size(sums); ++i) {
    const int row = int(blockIdx.y) * BM + get<0>(places(i));
    const int column = int(blockIdx.x) * BN + get<1>(places(i));
    if (row < m && column < n) c[int64_t(row) * n + column] = sums(i);
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    cute_gemm(const __grid_constant__ TmaDescriptor map_a, const __grid_constant__ TmaDescriptor map_b,
         float* c, int m, int n, int k) {
  extern __shared__ char memory[];
  // The swizzle pattern repeats every 1024 bytes, but dynamic shared memory is only 16-byte aligned.
  Ring& ring = *reinterpret_cast<Ring*>((reinterpret_cast<uintptr_t>(memory) + 1023) &
                                        ~uintptr_t(1023));
  const int tiles = (k + BK - 1) / BK;
  if (threadIdx.x == 0) {
    prefetch_tma_descriptor(&map_a);
    prefetch_tma_descriptor(&map_b);
    for (int i = 0; i < STAGES; ++i) {
      Full::init(&ring.full[i], 1);
      Empty::init(&ring.empty[i], kConsumers);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (threadIdx.x == 0) produce(ring, map_a, map_b, tiles);
  } else {
    cutlass::arch::warpgroup_reg_alloc<232>();
    consume(ring, c, m, n, tiles);
  }
}
