// attention_bf16/f16 with TMA and wgmma in CuTe, for heads of width 128: weights become operands of
// the second product without leaving the registers in which the first product left its sums.
// SPDX-License-Identifier: Apache-2.0
//
// One thread keeps rings of key and value tiles filled; two warpgroups have 64 queries each. While the matrix units multiply
// the weights of one block of keys by its values, the scores of the next block become weights.
//
// kw: dialect cute
// kw: require arch == sm_90a
// kw: technique tensor cores, TMA, warp specialisation, online softmax, kernel fusion, multistage pipeline, software pipelining
// kw: tune KEYS = 192, 128
// kw: tune TURNS = 1, 0  // whether the two warpgroups take turns
// kw: tune TOGETHER = 16, 8, 4, 1  // heads whose causal blocks are begun from the longest to the shortest of all
// kw: let ROWS = 128, DIM = 128, STAGES = 2
// kw: when dim == DIM
// kw:   map map_q = q sizes(dim, seq, heads) strides(dim * 2, seq * dim * 2) box(64, ROWS, 1) swizzle(128)
// kw:   map map_k = k sizes(dim, seq, heads) strides(dim * 2, seq * dim * 2) box(64, KEYS, 1) swizzle(128)
// kw:   map map_v = v sizes(dim, seq, heads) strides(dim * 2, seq * dim * 2) box(64, KEYS, 1) swizzle(128)
// kw:   let BYTES = (ROWS + 2 * STAGES * KEYS) * DIM * 2 + 2048
// kw:   launch attention_wgmma grid(ceil_div(seq, ROWS), min(heads, 65535)) block(384) shared(BYTES) args(
// kw:     map_q, map_k, map_v, heads, seq, causal, f32(1.4426950408889634 / sqrt(dim)), y)
// kw: else
// kw:   launch attention_plain grid(ceil_div(seq, 8), min(heads, 65535)) block(32, 8) args(
// kw:     heads, seq, dim, causal, f32(1.4426950408889634 / sqrt(dim)), q, k, v, y)
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
// Layouts of tiles as TMA writes boxes of 64 columns with the 128-byte swizzle. Rows of queries and
// keys run along the sums of the first product; rows of values run across the sums of the second.
using AlongRows = GMMA::Layout_K_SW128_Atom<Element>;
using AcrossRows = GMMA::Layout_MN_SW128_Atom<Element>;
using TileQ = decltype(tile_to_shape(AlongRows{}, Shape<Int<ROWS>, Int<DIM>>{}));
using TilesK = decltype(tile_to_shape(AlongRows{}, Shape<Int<KEYS>, Int<DIM>, Int<STAGES>>{}));
using TilesV = decltype(tile_to_shape(AcrossRows{}, Shape<Int<DIM>, Int<KEYS>, Int<STAGES>>{},
                                      Step<_2, _1, _3>{}));
using Scores = decltype(make_tiled_mma(
    GMMA::ss_op_selector<Element, Element, float, Shape<_64, Int<KEYS>, _16>, GMMA::Major::K, GMMA::Major::K>(),
    Layout<Shape<_2, _1, _1>>{}));
using Values = decltype(make_tiled_mma(
    GMMA::rs_op_selector<Element, Element, float, Shape<_64, Int<DIM>, _16>, GMMA::Major::K, GMMA::Major::MN>(),
    Layout<Shape<_2, _1, _1>>{}));

struct Room {
  alignas(1024) ArrayEngine<Element, cosize_v<TileQ>> q;
  alignas(1024) ArrayEngine<Element, cosize_v<TilesK>> k;
  alignas(1024) ArrayEngine<Element, cosize_v<TilesV>> v;
  uint64_t full_q, empty_q;
  uint64_t full_k[STAGES], empty_k[STAGES];
  uint64_t full_v[STAGES], empty_v[STAGES];
};

using Full = cutlass::arch::ClusterTransactionBarrier;
using Empty = cutlass::arch::ClusterBarrier;
constexpr int kWarps = 8;  // warps that multiply
static_assert(DIM == 128);

struct Problem {
  int heads, seq, causal;
  float scale;  // factor of the scores, with the change to powers of two
  int first_row, first_head;

  // Causal blocks differ in length: those of several heads, whose keys and values fit the L2, are taken longest first, so
  // that few processors wait for a long one at the end.
  __device__ Problem(int all_heads, int length, int is_causal, float factor)
      : heads(all_heads), seq(length), causal(is_causal), scale(factor) {
    const unsigned together = causal != 0 ? TOGETHER : 1, blocks = gridDim.x;
    const unsigned i = blockIdx.x + blocks * blockIdx.y, group = i / (together * blocks);
    const unsigned inside = i - group * together * blocks, heads_here = min(together, gridDim.y - group * together);
    const unsigned block = inside / heads_here;
    first_head = int(group * together + inside % heads_here);
    first_row = int(causal != 0 ? blocks - 1 - block : block) * ROWS;
  }
  // Whether all queries of the second warpgroup lie behind the last query, so that the warpgroup
  // has nothing to do.
  __device__ bool is_half() const { return first_row + ROWS / 2 >= seq; }
  __device__ int turns() const {
    const int last = causal != 0 ? min(seq, first_row + ROWS) : seq;
    return (last + KEYS - 1) / KEYS;
  }
};

// A position in the ring: the slot, and the parity of the round.
struct Cursor {
  int slot = 0, round = 0;
  __device__ void advance() {
    if (++slot == STAGES) slot = 0, ++round;
  }
};

// Loads a tile of 128 columns as two boxes.
template <int TILE_ROWS>
static __device__ void load(const TmaDescriptor& map, uint64_t& full, Element* to, int row, int head) {
  constexpr auto kHint = static_cast<uint64_t>(TMA::CacheHintSm90::EVICT_NORMAL);
  Full::arrive_and_expect_tx(&full, TILE_ROWS * DIM * sizeof(Element));
  for (int half = 0; half < 2; ++half)
    SM90_TMA_LOAD_3D::copy(&map, &full, kHint, to + half * 64 * TILE_ROWS, half * 64, row, head);
}

static __device__ void produce(Room& room, const TmaDescriptor& map_q, const TmaDescriptor& map_k,
                               const TmaDescriptor& map_v, const Problem& p) {
  Cursor at;
  int heads_done = 0;
  for (int head = p.first_head; head < p.heads; head += gridDim.y, ++heads_done) {
    if (heads_done > 0) Empty::wait(&room.empty_q, (heads_done - 1) & 1);
    load<ROWS>(map_q, room.full_q, room.q.begin(), p.first_row, head);
    for (int turn = 0; turn < p.turns(); ++turn, at.advance()) {
      if (at.round > 0) Empty::wait(&room.empty_k[at.slot], (at.round - 1) & 1);
      load<KEYS>(map_k, room.full_k[at.slot], room.k.begin() + at.slot * KEYS * DIM, turn * KEYS, head);
      if (at.round > 0) Empty::wait(&room.empty_v[at.slot], (at.round - 1) & 1);
      load<KEYS>(map_v, room.full_v[at.slot], room.v.begin() + at.slot * KEYS * DIM, turn * KEYS, head);
    }
  }
}

static __device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

static __device__ __forceinline__ uint32_t pair_of(float low, float high) {
  uint32_t pair;
  asm("cvt.rn." PAIRS ".f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// State of rows g and g + 8 of a warp's sixteen (g, t = lane / 4, lane % 4). In a product,
// registers 4 j + 2 h and 4 j + 2 h + 1 hold columns 8 j + 2 t and 8 j + 2 t + 1 of row g + 8 h.
struct Rows {
  float largest[2], sum[2], fade[2];
};

// Turns scores into weights relative to the largest score so far; `fade` becomes the factor for
// earlier weights.
template <class S>
static __device__ __forceinline__ void weigh(S& s, Rows& rows, float scale) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float most = rows.largest[h];
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j) most = fmaxf(most, fmaxf(s(4 * j + 2 * h), s(4 * j + 2 * h + 1)));
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
    rows.fade[h] = power_of_two((rows.largest[h] - most) * scale);
    rows.largest[h] = most;
    const float shift = -most * scale;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
      for (int e = 4 * j + 2 * h; e < 4 * j + 2 * h + 2; ++e) {
        s(e) = power_of_two(fmaf(s(e), scale, shift));
        sum += s(e);
      }
    rows.sum[h] = rows.sum[h] * rows.fade[h] + sum;
  }
}

// Sets the scores of keys that the query at `row` may not see to minus infinity.
template <class S>
static __device__ __forceinline__ void mask(S& s, const Problem& p, int row, int first_key) {
  const int t = threadIdx.x % 4;
#pragma unroll
  for (int j = 0; j < KEYS / 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int key = first_key + 8 * j + 2 * t + e % 2;
      const int last = p.causal != 0 ? min(p.seq - 1, row + e / 2 * 8) : p.seq - 1;
      if (key > last) s(4 * j + e) = -INFINITY;
    }
}

static __device__ void consume(Room& room, uint16_t* y, const Problem& p) {
  const int thread = int(threadIdx.x) - 128, lane = thread % 32, t = lane % 4;
  Scores scores;
  Values values;
  auto of_scores = scores.get_slice(thread);
  auto of_values = values.get_slice(thread);
  auto q = of_scores.make_fragment_A(
      of_scores.partition_A(make_tensor(make_smem_ptr(room.q.begin()), TileQ{})));
  auto k = of_scores.make_fragment_B(
      of_scores.partition_B(make_tensor(make_smem_ptr(room.k.begin()), TilesK{})));
  auto v = of_values.make_fragment_B(
      of_values.partition_B(make_tensor(make_smem_ptr(room.v.begin()), TilesV{})));
  auto s = partition_fragment_C(scores, Shape<Int<ROWS>, Int<KEYS>>{});
  auto out = partition_fragment_C(values, Shape<Int<ROWS>, Int<DIM>>{});
  // A thread's numbers lie in the same order as sums of the first product and as operands of the
  // second.
  auto weights = make_tensor<Element>(Layout<Shape<Shape<_2, _2, _2>, _1, Int<KEYS / 16>>>{});
  static_assert(decltype(size(weights))::value == decltype(size(s))::value);

  // Reports that a warp has finished with the content of a slot.
  const auto release = [&](uint64_t& empty) {
    __syncwarp();
    if (lane == 0) Empty::arrive(&empty);
  };
  const auto begin_scores = [&](int slot) {
    warpgroup_fence_operand(s);
    warpgroup_arrive();
    scores.accumulate_ = GMMA::ScaleOut::Zero;
#pragma unroll
    for (int d = 0; d < DIM / 16; ++d) {
      gemm(scores, q(_, _, d), k(_, _, d, slot), s);
      scores.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
  };
  const auto begin_values = [&](int slot) {
    warpgroup_fence_operand(weights);
    warpgroup_fence_operand(out);
    warpgroup_arrive();
#pragma unroll
    for (int j = 0; j < KEYS / 16; ++j) {
      gemm(values, weights(_, _, j), v(_, _, j, slot), out);
      values.accumulate_ = GMMA::ScaleOut::One;
    }
    warpgroup_commit_batch();
  };
  const auto keep_weights = [&] {
    auto pairs = recast<uint32_t>(weights);
#pragma unroll
    for (int i = 0; i < int(size(pairs)); ++i) pairs(i) = pair_of(s(2 * i), s(2 * i + 1));
  };

  const int row = p.first_row + thread / 32 * 16 + lane / 4;
  const int turns = p.turns();
  const auto needs_mask = [&](int turn) {
    return (turn + 1) * KEYS > p.seq || (p.causal != 0 && (turn + 1) * KEYS > p.first_row + 1);
  };
  // The two warpgroups begin their products in turn: one computes weights while the other
  // multiplies.
  const bool in_turn = TURNS && !p.is_half();
  if (in_turn && thread >= 128) asm volatile("bar.arrive 1, 256;" ::: "memory");
  Cursor at;
  int heads_done = 0;
  for (int head = p.first_head; head < p.heads; head += gridDim.y, ++heads_done) {
    Rows rows = {{-1e30f, -1e30f}, {0.0f, 0.0f}, {}};
    values.accumulate_ = GMMA::ScaleOut::Zero;
    Full::wait(&room.full_q, heads_done & 1);
    Full::wait(&room.full_k[at.slot], at.round & 1);
    begin_scores(at.slot);
    warpgroup_wait<0>();
    warpgroup_fence_operand(s);
    release(room.empty_k[at.slot]);
    if (needs_mask(0)) mask(s, p, row, 0);
    weigh(s, rows, p.scale);
    keep_weights();
    Cursor before = at;
    at.advance();
    for (int turn = 1; turn < turns; ++turn) {
      Full::wait(&room.full_k[at.slot], at.round & 1);
      if (in_turn) asm volatile("bar.sync %0, 256;" ::"r"(1 + thread / 128) : "memory");
      begin_scores(at.slot);
      Full::wait(&room.full_v[before.slot], before.round & 1);
      begin_values(before.slot);
      if (in_turn) asm volatile("bar.arrive %0, 256;" ::"r"(2 - thread / 128) : "memory");
      warpgroup_wait<1>();
      warpgroup_fence_operand(s);
      release(room.empty_k[at.slot]);
      if (needs_mask(turn)) mask(s, p, row, turn * KEYS);
      weigh(s, rows, p.scale);
      warpgroup_wait<0>();
      warpgroup_fence_operand(out);
      warpgroup_fence_operand(weights);
      release(room.empty_v[before.slot]);
#pragma unroll
      for (int i = 0; i < int(size(out)); ++i) out(i) *= rows.fade[i / 2 % 2];
      keep_weights();
      before = at;
      at.advance();
    }
    release(room.empty_q);
    Full::wait(&room.full_v[before.slot], before.round & 1);
    begin_values(before.slot);
    warpgroup_wait<0>();
    warpgroup_fence_operand(out);
    release(room.empty_v[before.slot]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float sum = rows.sum[h];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      const float factor = 1.0f / sum;
      if (row + 8 * h >= p.seq) continue;
      uint16_t* to = y + (int64_t(head) * p.seq + row + 8 * h) * DIM + 2 * t;
#pragma unroll
      for (int j = 0; j < DIM / 8; ++j)
        *reinterpret_cast<uint32_t*>(to + 8 * j) =
            pair_of(out(4 * j + 2 * h) * factor, out(4 * j + 2 * h + 1) * factor);
    }
  }
}

extern "C" __global__ void __launch_bounds__(384, 1)
    attention_wgmma(const __grid_constant__ TmaDescriptor map_q,
                    const __grid_constant__ TmaDescriptor map_k,
                    const __grid_constant__ TmaDescriptor map_v, int heads, int seq, int causal,
                    float scale, uint16_t* y) {
  extern __shared__ char memory[];
  // The swizzle repeats every 1024 bytes, but dynamic shared memory is aligned only to 16.
  Room& room = *reinterpret_cast<Room*>((reinterpret_cast<uintptr_t>(memory) + 1023) &
                                        ~uintptr_t(1023));
  const Problem p(heads, seq, causal, scale);
  if (threadIdx.x == 0) {
    const int warps = p.is_half() ? kWarps / 2 : kWarps;
    Full::init(&room.full_q, 1);
    Empty::init(&room.empty_q, warps);
    for (int i = 0; i < STAGES; ++i) {
      Full::init(&room.full_k[i], 1);
      Full::init(&room.full_v[i], 1);
      Empty::init(&room.empty_k[i], warps);
      Empty::init(&room.empty_v[i], warps);
    }
    cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    cutlass::arch::warpgroup_reg_dealloc<24>();
    if (threadIdx.x == 0) produce(room, map_q, map_k, map_v, p);
  } else {
    cutlass::arch::warpgroup_reg_alloc<240>();
    if (threadIdx.x < 256 || !p.is_half()) consume(room, y, p);
  }
}

static __device__ __forceinline__ float widened(uint16_t v) { return float(Element::bitcast(v)); }

// Serves any dim with a warp for each query, which computes the scores anew for every 32 columns of
// the result.
extern "C" __global__ void __launch_bounds__(256)
    attention_plain(int heads, int seq, int dim, int causal, float scale, const uint16_t* __restrict__ q,
                    const uint16_t* __restrict__ k, const uint16_t* __restrict__ v, uint16_t* __restrict__ y) {
  const int lane = threadIdx.x, i = blockIdx.x * 8 + threadIdx.y;
  if (i >= seq) return;
  const int count = causal != 0 ? i + 1 : seq;
  for (int head = blockIdx.y; head < heads; head += gridDim.y) {
    const long long at = static_cast<long long>(head) * seq * dim;
    const uint16_t* query = q + at + static_cast<long long>(i) * dim;
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
      if (d0 + lane < dim) y[at + static_cast<long long>(i) * dim + d] = static_cast<uint16_t>(pair_of(value / sum, 0.0f));
    }
  }
}
