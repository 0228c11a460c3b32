// rmsnorm_bf16/f16 by persistent blocks: a row is computed in registers while the next one arrives
// in shared memory, and the weight is read once. Short rows are staged in pieces of memory, so that
// sectors are read and written whole.
// SPDX-License-Identifier: Apache-2.0
// kw: technique persistent blocks, asynchronous copies, software pipelining, register tiling, warp shuffles, packed halves
// kw: tune PER_SM = 3, 2
// kw: tune MEDIUM_PER_SM = 6, 4
// kw: tune PIECE = 8704, 4352, 17408     // elements of short rows that a block takes at once, about
// kw: let PER = max(8, min(64, PIECE / pitch / 8 * 8))
// kw: when pitch % 2 == 0 && pitch <= 1280 && cols <= 64
// kw:   launch rmsnorm_packed<1> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 128
// kw:   launch rmsnorm_packed<2> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 192
// kw:   launch rmsnorm_packed<3> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 320
// kw:   launch rmsnorm_packed<5> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 512
// kw:   launch rmsnorm_packed<8> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 256
// kw:   launch rmsnorm_narrow grid(ceil_div(rows, 16)) block(256) args(rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 1024
// kw:   launch rmsnorm_short grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 8 == 0 && cols <= 4096
// kw:   launch rmsnorm_medium grid(min(rows, sms * MEDIUM_PER_SM)) block(256) shared(2 * 256 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 8 == 0 && cols <= 8192
// kw:   launch rmsnorm_wide grid(min(rows, sms * PER_SM)) block(256) shared(4 * 256 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 8 == 0 && cols <= 32768 && shared_max >= 4 * 1024 * 16 + 1024
// kw:   launch rmsnorm_wider grid(min(rows, sms)) block(1024) shared(4 * 1024 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else
// kw:   launch rmsnorm_long grid(rows) block(1024) args(cols, pitch, eps, x, w, y)
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
static __device__ __forceinline__ float low_of(unsigned pair) { return widened(static_cast<Half>(pair)); }
static __device__ __forceinline__ float high_of(unsigned pair) { return widened(static_cast<Half>(pair >> 16)); }

// Rounds to the nearest number, ties to even.
static __device__ __forceinline__ unsigned pair_of(float low, float high) {
#if defined(KW_REAL_F16)
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
#elif __CUDA_ARCH__ >= 800
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  const unsigned l = __float_as_uint(low), h = __float_as_uint(high);
  return (l + 0x7fffu + (l >> 16 & 1)) >> 16 | ((h + 0x7fffu + (h >> 16 & 1)) & 0xffff0000u);
#endif
}

struct Eight {
  float v[8];

  __device__ __forceinline__ static Eight of(uint4 q) {
    return {{low_of(q.x), high_of(q.x), low_of(q.y), high_of(q.y), low_of(q.z), high_of(q.z),
             low_of(q.w), high_of(q.w)}};
  }
  __device__ __forceinline__ uint4 packed() const {
    return make_uint4(pair_of(v[0], v[1]), pair_of(v[2], v[3]), pair_of(v[4], v[5]),
                      pair_of(v[6], v[7]));
  }
  __device__ __forceinline__ float squares() const {
    return (v[0] * v[0] + v[1] * v[1] + (v[2] * v[2] + v[3] * v[3])) +
           (v[4] * v[4] + v[5] * v[5] + (v[6] * v[6] + v[7] * v[7]));
  }
};

static __device__ __forceinline__ uint4 nothing() { return make_uint4(0, 0, 0, 0); }

// Makes the compiler forget widened copies of the numbers, so that the packed ones stay in
// registers.
static __device__ __forceinline__ void forget_widened(uint4& q) {
  asm volatile("" : "+r"(q.x), "+r"(q.y), "+r"(q.z), "+r"(q.w));
}

// Where a row's vectors lie. With a pitch that is no multiple of 8 a row begins at any element, and
// its first and last few elements are handled singly. Rows of x and y begin alike.
struct Row {
  long long at;
  int head, vectors, edge;  // edge: this thread's single element, or -1

  __device__ Row(int row, int cols, int pitch, int tid) {
    at = static_cast<long long>(row) * pitch;
    head = min(cols, static_cast<int>(-at & 7));
    vectors = (cols - head) / 8;
    const int tail = cols - head - 8 * vectors;
    edge = tid < head ? tid : tid >= 8 && tid < 8 + tail ? cols - tail + tid - 8 : -1;
  }
};

// The sum over TEAM threads: half a warp, a whole one, or the block, for which `partial` has a
// number for each warp.
template <int TEAM>
static __device__ __forceinline__ float team_sum(float value, float* partial) {
#pragma unroll
  for (int far = min(TEAM, 32) / 2; far > 0; far /= 2)
    value = value + __shfl_xor_sync(0xffffffffu, value, far);
  if (TEAM <= 32) return value;
  const int lane = threadIdx.x % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[lane % ((TEAM + 31) / 32)];
#pragma unroll
  for (int far = TEAM / 64; far > 0; far /= 2)
    value = value + __shfl_xor_sync(0xffffffffu, value, far);
  return value;
}

// Copies sixteen bytes to shared memory, which only the calling thread reads, after
// `copies_arrived`.
static __device__ __forceinline__ void begin_copy(uint4* to, const uint4* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#else
  *to = *from;
#endif
}

static __device__ __forceinline__ void copies_arrived() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Elements head + 8 i to head + 8 i + 7 of a vector over the columns.
static __device__ __forceinline__ uint4 columns(const Half* w, int head, int i) {
  w += head + 8 * i;
  if (head == 0) return __ldg(reinterpret_cast<const uint4*>(w));
  if (head == 4) {
    const uint2 low = __ldg(reinterpret_cast<const uint2*>(w));
    const uint2 high = __ldg(reinterpret_cast<const uint2*>(w) + 1);
    return make_uint4(low.x, low.y, high.x, high.y);
  }
  const auto pair = [&](int e) { return static_cast<unsigned>(__ldg(w + e)) | __ldg(w + e + 1) << 16; };
  return make_uint4(pair(0), pair(2), pair(4), pair(6));
}

struct Statistics {
  float factor;
};

// The reciprocal of the root mean square of the row that lies in v and edge, where absent elements
// are 0.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ Statistics statistics_of(const Eight (&v)[ITEMS], float edge,
                                                           const Row& row, int cols, float eps, int,
                                                           float* partial) {
  float squares = edge * edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (k * TEAM < row.vectors) squares += v[k].squares();
  return {1.0f / sqrtf(team_sum<TEAM>(squares, partial) / cols + eps)};
}

static __device__ __forceinline__ float normalised(float v, Statistics s, float w) {
  return v * s.factor * w;
}
static __device__ __forceinline__ uint4 normalised(Eight v, Statistics s, uint4 w) {
  const Eight weight = Eight::of(w);
#pragma unroll
  for (int e = 0; e < 8; ++e) v.v[e] = normalised(v.v[e], s, weight.v[e]);
  return v.packed();
}

// Computes a row with half a warp or a whole one.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ void rmsnorm_row(int rows, int cols, int pitch, float eps,
                                               const Half* x, const Half* w, Half* y) {
  const int r = blockIdx.x * (256 / TEAM) + threadIdx.x / TEAM;
  const int tid = threadIdx.x % TEAM;
  // lanes without a row take part in the sums too
  const Row row(min(r, rows - 1), cols, pitch, tid);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  Eight v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = Eight::of(k * TEAM + tid < row.vectors ? from[k * TEAM + tid] : nothing());
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : 0.0f;
  const Statistics s = statistics_of<TEAM, ITEMS>(v, edge, row, cols, eps, tid, nullptr);
  if (r >= rows) return;
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + tid;
    if (i < row.vectors) to[i] = normalised(v[k], s, columns(w, row.head, i));
  }
  if (row.edge >= 0)
    y[row.at + row.edge] = static_cast<Half>(pair_of(normalised(edge, s, widened(w[row.edge])), 0.0f));
}

// Each thread reads only the vectors that it has copied itself, so no barrier is needed.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ float begin_row(const Row& row, const Half* x) {
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + threadIdx.x;
    if (i < row.vectors) begin_copy(dynamic_shared + i, from + i);
  }
  return row.edge >= 0 ? widened(x[row.at + row.edge]) : 0.0f;
}

// Serves rows that begin at a whole vector. The weight of a thread's columns stays packed in
// registers.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ void rmsnorm_rows(int rows, int cols, int pitch, float eps,
                                                const Half* x, const Half* w, Half* y) {
  // used by turns, because a slow warp may still read the last row's sums
  __shared__ float partial[2][64];
  float next_edge = begin_row<TEAM, ITEMS>(Row(blockIdx.x, cols, pitch, threadIdx.x), x);
  uint4 kept_w[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + threadIdx.x;
    kept_w[k] = i < cols / 8 ? columns(w, 0, i) : nothing();
  }
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x, turn ^= 1) {
    const Row row(r, cols, pitch, threadIdx.x);
    copies_arrived();
    Eight v[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const int i = k * TEAM + threadIdx.x;
      v[k] = Eight::of(i < row.vectors ? dynamic_shared[i] : nothing());
    }
    const float edge = next_edge;
    if (r + gridDim.x < rows)
      next_edge = begin_row<TEAM, ITEMS>(Row(r + gridDim.x, cols, pitch, threadIdx.x), x);
    const Statistics s =
        statistics_of<TEAM, ITEMS>(v, edge, row, cols, eps, threadIdx.x, partial[turn]);
    uint4* to = reinterpret_cast<uint4*>(y + row.at);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const int i = k * TEAM + threadIdx.x;
      forget_widened(kept_w[k]);
      if (i < row.vectors) to[i] = normalised(v[k], s, kept_w[k]);
    }
    if (row.edge >= 0)
      y[row.at + row.edge] = static_cast<Half>(pair_of(normalised(edge, s, widened(w[row.edge])), 0.0f));
  }
}

extern "C" __global__ void __launch_bounds__(256) rmsnorm_narrow(
    int rows, int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  rmsnorm_row<16, 2>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(256) rmsnorm_short(
    int rows, int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  rmsnorm_row<32, 4>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(256) rmsnorm_medium(
    int rows, int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  rmsnorm_rows<256, 2>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(256, 3) rmsnorm_wide(
    int rows, int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  rmsnorm_rows<256, 4>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(1024, 1) rmsnorm_wider(
    int rows, int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  rmsnorm_rows<1024, 4>(rows, cols, pitch, eps, x, w, y);
}

// Reads the row once for each sum, and once more to write; the row stays in the second-level cache
// meanwhile.
extern "C" __global__ void __launch_bounds__(1024) rmsnorm_long(
    int cols, int pitch, float eps, const Half* __restrict__ x, const Half* __restrict__ w,
    Half* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : 0.0f;
  float squares = edge * edge;
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) squares += Eight::of(from[i]).squares();
  const Statistics s = {1.0f / sqrtf(team_sum<1024>(squares, partial) / cols + eps)};
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024)
    __stcs(to + i, normalised(Eight::of(__ldcs(from + i)), s, columns(w, row.head, i)));
  if (row.edge >= 0)
    y[row.at + row.edge] = static_cast<Half>(pair_of(normalised(edge, s, widened(w[row.edge])), 0.0f));
}

// A piece of memory with `per` short rows, a multiple of 8, and the padding between them. Its
// sectors of sixteen elements are read and written whole, wherever rows begin. Padding that shares
// a sector of y with elements is written unchanged.
struct Piece {
  long long at;  // index of the piece's first element
  int rows, count;  // count: elements of the piece, without padding behind the last row
  int cols, pitch;

  __device__ Piece(int per, int all_rows, int columns, int distance) {
    const int first = blockIdx.x * per;
    at = static_cast<long long>(first) * distance;
    rows = min(per, all_rows - first);
    count = rows * distance - (first + rows == all_rows ? distance - columns : 0);
    cols = columns;
    pitch = distance;
  }

  // The s-th of 32 padding places behind a row that may share a sector with elements, or -1.
  __device__ __forceinline__ int padding(int row, int s) const {
    const int from = row * pitch + cols, to = (row + 1) * pitch, whole = (from + 15) / 16 * 16;
    const int e = s < 16 ? from + s : max(whole, to / 16 * 16) + s - 16;
    return e < min(s < 16 ? min(whole, to) : to, count) ? e : -1;
  }

  __device__ __forceinline__ void load(const Half* x, Half* staged) const {
    const uint4* from = reinterpret_cast<const uint4*>(x + at);
    for (int i = threadIdx.x; i < count / 8; i += 256)
      begin_copy(reinterpret_cast<uint4*>(staged) + i, from + i);
    const int last = count / 8 * 8 + threadIdx.x;
    if (last < count) staged[last] = x[at + last];
  }

  __device__ __forceinline__ void store(Half* y, const Half* staged) const {
    uint4* to = reinterpret_cast<uint4*>(y + at);
    for (int i = threadIdx.x; i < count / 8; i += 256) {
      if (pitch - cols >= 16) {
        const int column = i / 2 * 16 % pitch;
        if (column >= cols && column + 16 <= pitch) continue;  // this sector is padding only
      }
      to[i] = reinterpret_cast<const uint4*>(staged)[i];
    }
    const int last = count / 8 * 8 + threadIdx.x;
    if (last < count) y[at + last] = staged[last];
  }
};

static __device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffu, value, far);
  return value;
}

// Computes a row with a warp, in place in shared memory, two elements at a time, since rows begin
// at even places.
template <int ITEMS>
__global__ void __launch_bounds__(256) rmsnorm_packed(
    int per, int rows, int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* y) {
  Half* staged = reinterpret_cast<Half*>(dynamic_shared);
  const int lane = threadIdx.x % 32;
  const Piece piece(per, rows, cols, pitch);
  piece.load(x, staged);
  Half kept[8];
  if (pitch != cols) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const int r = k * 8 + threadIdx.x / 32, e = r < piece.rows ? piece.padding(r, lane) : -1;
      if (e >= 0) kept[k] = y[piece.at + e];
    }
  }
  const auto column = [&](int k, int e) { return 2 * (k * 32 + lane) + e; };
  const auto holds = [&](int k, int e) { return column(k, e) < cols; };
  float weight[ITEMS][2];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
#pragma unroll
    for (int e = 0; e < 2; ++e) weight[k][e] = holds(k, e) ? widened(w[column(k, e)]) : 0.0f;
  copies_arrived();
  __syncthreads();
  if (pitch != cols) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const int r = k * 8 + threadIdx.x / 32, e = r < piece.rows ? piece.padding(r, lane) : -1;
      if (e >= 0) staged[e] = kept[k];
    }
    __syncthreads();
  }
  for (int r = threadIdx.x / 32; r < piece.rows; r += 8) {
    unsigned* row = reinterpret_cast<unsigned*>(staged + r * pitch) + lane;
    unsigned pairs[ITEMS];
    float v[ITEMS][2];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      pairs[k] = holds(k, 0) ? row[k * 32] : 0;
      v[k][0] = low_of(pairs[k]);
      v[k][1] = high_of(pairs[k]);
    }
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      v[k][0] = holds(k, 0) ? v[k][0] : 0.0f;
      v[k][1] = holds(k, 1) ? v[k][1] : 0.0f;
      squares += v[k][0] * v[k][0] + v[k][1] * v[k][1];
    }
    const float factor = 1.0f / sqrtf(warp_sum(squares) / cols + eps);
    const auto result = [&](int k, int e) { return v[k][e] * factor * weight[k][e]; };
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      if (!holds(k, 0)) continue;
      const unsigned pair = pair_of(result(k, 0), result(k, 1));
      row[k * 32] = holds(k, 1) ? pair : (pair & 0xffffu) | (pairs[k] & 0xffff0000u);
    }
  }
  __syncthreads();
  piece.store(y, staged);
}
