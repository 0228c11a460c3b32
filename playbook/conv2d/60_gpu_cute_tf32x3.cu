// conv2d as a matrix product with TMA and wgmma in CuTe, in three tf32 products. The left side is
// read in place, because a tap is an offset.
// SPDX-License-Identifier: Apache-2.0
//
// First the images are copied to a workspace: channels innermost, with their padding, every STRIDE-th row and column together
// (a "phase"), and each number as a high and a low tf32 part. In a phase, the pixel that a tap reads for an output lies a fixed
// number of places further on, and taps beside each other lie side by side. So 128 outputs and BK sums are one box of memory,
// and padding costs only the outputs between the rows, which are not stored.
// The unit cuts its sums off instead of rounding them: it only ever adds up BK products, and while it does the sums of those
// before are added to the others by plain additions.
//
// kw: dialect cute
// kw: require arch == sm_90a
// kw: technique implicit gemm, tensor cores, split precision, TMA, warp specialisation, thread block clusters, multicast, persistent blocks, multistage pipeline, layout change
// kw: let BM = 128, BN = 128, BK = 32, STAGES = 3
// kw: let CP = align_up(ci, 4), TAPS = ceil_div(kw, stride), RUN = TAPS * CP, CHUNKS = ceil_div(RUN, BK), TURNS = kh * stride * CHUNKS
// kw: let ROWS = ho + (kh - 1) / stride, COLUMNS = wo + (kw - 1) / stride  // of a phase
// kw: let PLACES = n * ROWS * COLUMNS, PLANE = PLACES + TAPS, PHASES = stride * stride
// kw: let FEW = co > BN && co % BN <= 8 ? co % BN : 0  // channels left to the plain kernel
// kw: when ci * kh * kw >= 32 && PHASES * PLANE * CP <= 250000000
// kw:   workspace images f32 [2, PHASES, PLANE, CP]
// kw:   workspace filters f32 [2, co, TURNS * BK]
// kw:   launch split_images grid(n * PHASES * ROWS * ceil_div(COLUMNS, 32) * ceil_div(CP, 32)) block(32, 8) args(
// kw:     struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), CP, ROWS, COLUMNS, i64(PLANE * CP), x, images[0], images[1])
// kw:   launch split_filters grid(ceil_div(TURNS * BK, 256), min(co, 65535)) block(256) args(
// kw:     struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), CP, RUN, CHUNKS, f, filters[0], filters[1])
// kw:   map map_a = images sizes(RUN, PLACES, PHASES, 2) strides(CP * 4, PLANE * CP * 4, PHASES * PLANE * CP * 4) box(BK, BM, 1, 2) swizzle(128)
// kw:   map map_b = filters sizes(TURNS * BK, co, 2) strides(TURNS * BK * 4, co * TURNS * BK * 4) box(BK, BN / 2, 1) swizzle(128)
// kw:   let TILES = ceil_div(PLACES, 2 * BM) * ceil_div(co - FEW, BN), BYTES = STAGES * (BM + BN) * BK * 8 + 2048
// kw:   when FEW > 0
// kw:     fork rest
// kw:       launch conv2d_plain grid(ceil_div(ho * wo, 32), min(n * FEW, 65535)) block(32, 8) args(
// kw:         struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), co - FEW, x, f, y)
// kw:     end
// kw:     launch conv2d_wgmma grid(2 * min(sms / 2, TILES)) block(384) cluster(2) shared(BYTES) args(
// kw:       map_a, map_b, struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), co - FEW, ROWS, COLUMNS, CHUNKS, y)
// kw:     join rest
// kw:   else
// kw:     launch conv2d_wgmma grid(2 * min(sms / 2, TILES)) block(384) cluster(2) shared(BYTES) args(
// kw:       map_a, map_b, struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), co, ROWS, COLUMNS, CHUNKS, y)
// kw:   end
// kw: else
// kw:   launch conv2d_plain grid(ceil_div(ho * wo, 32), min(n * co, 65535)) block(32, 8) args(
// kw:     struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), 0, x, f, y)
// kw: end
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/arch/reg_reconfig.h>
#include <cutlass/numeric_types.h>

using namespace cute;

struct Sizes {
  int n, ci, co, h, w, kh, kw, stride, pad, ho, wo;
};

// x = high + low, both rounded to the 11 bits of tf32 that the unit reads.
static __device__ __forceinline__ float rounded(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}
static __device__ __forceinline__ void split(float x, float& high, float& low) {
  high = rounded(x);
  low = rounded(x - high);
}

// Transposes, block by block, 32 channels of 32 neighbours in one row of one phase.
extern "C" __global__ void __launch_bounds__(256)
    split_images(Sizes s, int cp, int rows, int columns, int64_t plane, const float* __restrict__ x,
                 float* __restrict__ high, float* __restrict__ low) {
  __shared__ float tile[32][33];
  const int across = (columns + 31) / 32, deep = (cp + 31) / 32;
  int at = blockIdx.x;
  const int c0 = at % deep * 32;
  at /= deep;
  const int j0 = at % across * 32;
  at /= across;
  const int phase = at % (s.stride * s.stride);
  at /= s.stride * s.stride;
  const int i = at % rows, image = at / rows;
  const int row = i * s.stride + phase / s.stride - s.pad;
  const int column = (j0 + int(threadIdx.x)) * s.stride + phase % s.stride - s.pad;
  const bool is_inside = row >= 0 && row < s.h && column >= 0 && column < s.w;
#pragma unroll
  for (int e = threadIdx.y; e < 32; e += 8)
    tile[e][threadIdx.x] =
        is_inside && c0 + e < s.ci ? x[((int64_t(image) * s.ci + c0 + e) * s.h + row) * s.w + column] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int e = threadIdx.y; e < 32; e += 8) {
    if (j0 + e >= columns || c0 + int(threadIdx.x) >= cp) continue;
    const int64_t place = (int64_t(image) * rows + i) * columns + j0 + e;
    const int64_t to = phase * plane + place * cp + c0 + threadIdx.x;
    split(tile[threadIdx.x][e], high[to], low[to]);
  }
}

// Writes the filters in the order of the sums: rows of the window, columns of the window modulo the
// stride, these columns, channels; padded with zeros to whole chunks of BK.
extern "C" __global__ void __launch_bounds__(256)
    split_filters(Sizes s, int cp, int run, int chunks, const float* __restrict__ f,
                  float* __restrict__ high, float* __restrict__ low) {
  const int depth = s.kh * s.stride * chunks * BK, p = blockIdx.x * 256 + threadIdx.x;
  if (p >= depth) return;
  const int part = p / (chunks * BK), e = p % (chunks * BK), c = e % cp;
  const int a = part / s.stride, b = e / cp * s.stride + part % s.stride;
  const bool is_inside = e < run && c < s.ci && b < s.kw;
  for (int o = blockIdx.y; o < s.co; o += gridDim.y) {
    const int64_t to = int64_t(o) * depth + p;
    split(is_inside ? f[((int64_t(o) * s.ci + c) * s.kh + a) * s.kw + b] : 0.0f, high[to], low[to]);
  }
}

using Element = tfloat32_t;
// Layouts of tiles as TMA writes them with the 128-byte swizzle, in rows of BK elements. The high
// part of stage s is at 2 s, the low part at 2 s + 1.
using Lines = GMMA::Layout_K_SW128_Atom<Element>;
using TilesA = decltype(tile_to_shape(Lines{}, Shape<Int<BM>, Int<BK>, Int<2 * STAGES>>{}));
using TilesB = decltype(tile_to_shape(Lines{}, Shape<Int<BN>, Int<BK>, Int<2 * STAGES>>{}));
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
  Sizes s;
  // channels of the output; rows and columns of a phase; chunks of BK sums for a row of the window
  // and a phase
  int channels, rows, columns, chunks;
  __device__ int places() const { return s.n * rows * columns; }
  __device__ int beside() const { return (channels + BN - 1) / BN; }
  __device__ int tiles() const { return (places() + 2 * BM - 1) / (2 * BM) * beside(); }
  __device__ int turns() const { return s.kh * s.stride * chunks; }
};

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
  const int stride = p.s.stride;
  Cursor at;
  for (int tile = blockIdx.x / 2; tile < p.tiles(); tile += gridDim.x / 2) {
    const int place = tile / p.beside() * 2 * BM + rank * BM, channel = tile % p.beside() * BN + rank * (BN / 2);
    int turn = 0;
    for (int a = 0; a < p.s.kh; ++a)
      for (int b = 0; b < stride; ++b)
        for (int chunk = 0; chunk < p.chunks; ++chunk, ++turn, at.advance()) {
          // Both blocks must have finished with the slot, because both are written to.
          if (at.round > 0) Empty::wait(&ring.empty[at.slot], (at.round - 1) & 1);
          Full::arrive_and_expect_tx(&ring.full[at.slot], kStageBytes);
          SM90_TMA_LOAD_4D::copy(&map_a, &ring.full[at.slot], kHint, ring.a.begin() + at.slot * 2 * BM * BK,
                                 chunk * BK, place + a / stride * p.columns, a % stride * stride + b, 0);
#pragma unroll 1
          for (int part = 0; part < 2; ++part)
            SM90_TMA_LOAD_MULTICAST_3D::copy(&map_b, &ring.full[at.slot], kBoth, kHint,
                                             ring.b.begin() + ((at.slot * 2 + part) * BN + rank * (BN / 2)) * BK,
                                             turn * BK, channel, part);
        }
  }
}

// A thread has columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 (g, t = lane / 4, lane % 4)
// in sums 4 j to 4 j + 3. Rows are places of a phase, columns are channels.
template <class Sums>
static __device__ void store(const Sums& sums, float* y, const Problem& p, int first, int channel) {
  const int lane = threadIdx.x % 32, pixels = p.s.ho * p.s.wo;
  channel += lane % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int place = first + lane / 4 + 8 * half;
    const int image = place / (p.rows * p.columns), rest = place % (p.rows * p.columns);
    const int i = rest / p.columns, j = rest % p.columns;
    if (image >= p.s.n || i >= p.s.ho || j >= p.s.wo) continue;
    float* to = y + (int64_t(image) * p.s.co + channel) * pixels + i * p.s.wo + j;
#pragma unroll
    for (int q = 0; q < BN / 8; ++q)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (channel + 8 * q + e < p.channels) to[int64_t(8 * q + e) * pixels] = sums(4 * q + 2 * half + e);
  }
}

static __device__ void consume(Ring& ring, float* y, const Problem& p, int rank) {
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
  const int turns = p.turns();
  for (int tile = blockIdx.x / 2; tile < p.tiles(); tile += gridDim.x / 2) {
    clear(sums);
    clear(odd);
    before = -1;
    for (int turn = 0; turn + 1 < turns; turn += 2) {
      step(even, odd);
      step(odd, even);
    }
    if (turns % 2 == 1) {
      step(even, odd);
      warpgroup_wait<0>();
      add(even);
    } else {
      warpgroup_wait<0>();
      add(odd);
    }
    release(before);
    store(sums, y, p, tile / p.beside() * 2 * BM + rank * BM + thread / 32 * 16, tile % p.beside() * BN);
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    conv2d_wgmma(const __grid_constant__ TmaDescriptor map_a,
                 const __grid_constant__ TmaDescriptor map_b, Sizes s, int channels, int rows,
                 int columns, int chunks, float* y) {
  extern __shared__ char memory[];
  // The swizzle repeats every 1024 bytes, but dynamic shared memory is aligned only to 16. Both
  // blocks find the same address.
  Ring& ring = *reinterpret_cast<Ring*>((reinterpret_cast<uintptr_t>(memory) + 1023) &
                                        ~uintptr_t(1023));
  const Problem p = {s, channels, rows, columns, chunks};
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
    consume(ring, y, p, rank);
  }
  cluster_sync();  // neither block ends while the other may still write to its shared memory
}

// Computes the channels from `first` on: 32 pixels in a block, each by eight threads that share the
// input's channels.
extern "C" __global__ void __launch_bounds__(256, 4)
    conv2d_plain(Sizes s, int first, const float* __restrict__ x, const float* __restrict__ f,
                 float* __restrict__ y) {
  __shared__ float parts[8][32];
  const int pixels = s.ho * s.wo, pixel = blockIdx.x * 32 + threadIdx.x, window = s.kh * s.kw;
  const int row = pixel / s.wo * s.stride - s.pad, column = pixel % s.wo * s.stride - s.pad;
  const int channels = s.co - first;
  for (int e = blockIdx.y; e < s.n * channels; e += gridDim.y) {
    const int image = e / channels, channel = first + e % channels;
    float sum = 0.0f;
    for (int c = threadIdx.y; c < s.ci; c += 8) {
      const float* in = x + (int64_t(image) * s.ci + c) * s.h * s.w;
      const float* weight = f + (int64_t(channel) * s.ci + c) * window;
      for (int a = 0; a < s.kh; ++a)
        for (int b = 0; b < s.kw; ++b, ++weight) {
          const int i = row + a, j = column + b;
          if (pixel < pixels && i >= 0 && i < s.h && j >= 0 && j < s.w)
            sum += *weight * in[int64_t(i) * s.w + j];
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && pixel < pixels) {
#pragma unroll
      for (int k = 1; k < 8; ++k) sum += parts[k][threadIdx.x];
      y[(int64_t(image) * s.co + channel) * pixels + pixel] = sum;
    }
    __syncthreads();
  }
}
