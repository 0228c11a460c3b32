// softmax_bf16/f16 by persistent blocks: a row is computed in registers while the next one arrives
// in shared memory. Short rows are staged in pieces of memory, so that sectors are read and written
// whole wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique persistent blocks, asynchronous copies, software pipelining, register tiling, warp shuffles, packed halves
// kw: tune PER_SM = 2, 3
// kw: tune MEDIUM_PER_SM = 6, 4
// kw: tune PIECE = 8704, 4352, 17408     // elements of short rows that a block takes at once, about
// kw: let PER = max(8, min(64, PIECE / pitch / 8 * 8))
// kw: when pitch % 2 == 0 && pitch <= 1280 && cols <= 64
// kw:   launch softmax_packed<1> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 128
// kw:   launch softmax_packed<2> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 192
// kw:   launch softmax_packed<3> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 320
// kw:   launch softmax_packed<5> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch % 2 == 0 && pitch <= 1280 && cols <= 512
// kw:   launch softmax_packed<8> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 2 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when cols <= 1024
// kw:   launch softmax_short grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols <= 4096
// kw:   launch softmax_medium grid(min(rows, sms * MEDIUM_PER_SM)) block(256) shared(2 * 256 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else when cols <= 16384
// kw:   launch softmax_wide grid(min(rows, sms * PER_SM)) block(512) shared(4 * 512 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else when cols <= 32768 && shared_max >= 4 * 1024 * 16 + 1024
// kw:   launch softmax_wider grid(min(rows, sms)) block(1024) shared(4 * 1024 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else
// kw:   launch softmax_long grid(rows) block(1024) args(cols, pitch, x, y)
// kw: end

#ifdef KW_REAL_F16
#include <cuda_fp16.h>
#endif

typedef unsigned short Half;  // bfloat16 or float16, as it is stored

extern __shared__ uint4 dynamic_shared[];

#define NOTHING __int_as_float(0xff800000)  // minus infinity, whose weight is 0

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
  __device__ __forceinline__ static Eight all(float value) {
    return {{value, value, value, value, value, value, value, value}};
  }
  __device__ __forceinline__ uint4 packed() const {
    return make_uint4(pair_of(v[0], v[1]), pair_of(v[2], v[3]), pair_of(v[4], v[5]),
                      pair_of(v[6], v[7]));
  }
  __device__ __forceinline__ float largest() const {
    return fmaxf(fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3])),
                 fmaxf(fmaxf(v[4], v[5]), fmaxf(v[6], v[7])));
  }
  __device__ __forceinline__ float sum() const {
    return (v[0] + v[1] + (v[2] + v[3])) + (v[4] + v[5] + (v[6] + v[7]));
  }
  // exp of each element minus `most`. The error of about 1e-6 is small compared with rounding to
  // the result.
  __device__ __forceinline__ void weigh(float most) {
#pragma unroll
    for (int e = 0; e < 8; ++e) v[e] = __expf(v[e] - most);
  }
  __device__ __forceinline__ void scale(float factor) {
#pragma unroll
    for (int e = 0; e < 8; ++e) v[e] *= factor;
  }
};

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

template <int TEAM>
static __device__ __forceinline__ float team_max(float value, float* partial) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, far));
  if (TEAM == 32) return value;
  const int lane = threadIdx.x % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[lane % ((TEAM + 31) / 32)];
#pragma unroll
  for (int far = TEAM / 64; far > 0; far /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, far));
  return value;
}

template <int TEAM>
static __device__ __forceinline__ float team_sum(float value, float* partial) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2)
    value = value + __shfl_xor_sync(0xffffffffu, value, far);
  if (TEAM == 32) return value;
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

// The weights of the row that lies in v and edge, where absent elements are -infinity. Vectors
// beyond the row for the whole team are skipped.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_of(Eight (&v)[ITEMS], float edge, const Row& row,
                                                  Half* y, int tid, float* partial) {
  float largest = edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (k * TEAM < row.vectors) largest = fmaxf(largest, v[k].largest());
  largest = team_max<TEAM>(largest, partial);
  edge = __expf(edge - largest);
  float sum = edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (k * TEAM >= row.vectors) continue;
    v[k].weigh(largest);
    sum += v[k].sum();
  }
  const float factor = 1.0f / team_sum<TEAM>(sum, partial + 32);
  Half* out = y + row.at;
  uint4* to = reinterpret_cast<uint4*>(out + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (k * TEAM + tid >= row.vectors) continue;
    v[k].scale(factor);
    to[k * TEAM + tid] = v[k].packed();
  }
  if (row.edge >= 0) out[row.edge] = static_cast<Half>(pair_of(edge * factor, 0.0f));
}

// Each thread reads only the vectors that it has copied itself, so no barrier is needed.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ float begin_row(const Row& row, const Half* x) {
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + threadIdx.x;
    if (i < row.vectors) begin_copy(dynamic_shared + i, from + i);
  }
  return row.edge >= 0 ? widened(x[row.at + row.edge]) : NOTHING;
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_rows(int rows, int cols, int pitch, const Half* x,
                                                    Half* y) {
  __shared__ float partial[64];
  float next_edge = begin_row<TEAM, ITEMS>(Row(blockIdx.x, cols, pitch, threadIdx.x), x);
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row row(r, cols, pitch, threadIdx.x);
    copies_arrived();
    Eight v[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      v[k] = k * TEAM + threadIdx.x < row.vectors
                 ? Eight::of(dynamic_shared[k * TEAM + threadIdx.x])
                 : Eight::all(NOTHING);
    const float edge = next_edge;
    if (r + gridDim.x < rows)
      next_edge = begin_row<TEAM, ITEMS>(Row(r + gridDim.x, cols, pitch, threadIdx.x), x);
    softmax_of<TEAM, ITEMS>(v, edge, row, y, threadIdx.x, partial);
  }
}

// Computes a row with a warp.
extern "C" __global__ void __launch_bounds__(256)
    softmax_short(int rows, int cols, int pitch, const Half* __restrict__ x,
                  Half* __restrict__ y) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (r >= rows) return;
  const Row row(r, cols, pitch, lane);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  Eight v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    v[k] = k * 32 + lane < row.vectors ? Eight::of(from[k * 32 + lane])
                                       : Eight::all(NOTHING);
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : NOTHING;
  softmax_of<32, 4>(v, edge, row, y, lane, nullptr);
}

extern "C" __global__ void __launch_bounds__(256)
    softmax_medium(int rows, int cols, int pitch, const Half* __restrict__ x,
                   Half* __restrict__ y) {
  softmax_rows<256, 2>(rows, cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    softmax_wide(int rows, int cols, int pitch, const Half* __restrict__ x,
                 Half* __restrict__ y) {
  softmax_rows<512, 4>(rows, cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    softmax_wider(int rows, int cols, int pitch, const Half* __restrict__ x,
                  Half* __restrict__ y) {
  softmax_rows<1024, 4>(rows, cols, pitch, x, y);
}

// Reads the row twice: for the largest element and the sum of weights relative to that element,
// then for the weights.
extern "C" __global__ void __launch_bounds__(1024)
    softmax_long(int cols, int pitch, const Half* __restrict__ x, Half* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : NOTHING;
  float largest = edge;
  float sum = row.edge >= 0 ? 1.0f : 0.0f;
#pragma unroll 2
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    Eight v = Eight::of(from[i]);
    const float next = fmaxf(largest, v.largest());
    v.weigh(next);
    sum = sum * __expf(largest - next) + v.sum();
    largest = next;
  }
  const float most = team_max<1024>(largest, partial);
  const float factor = 1.0f / team_sum<1024>(sum * __expf(largest - most), partial + 32);
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
#pragma unroll 2
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    Eight v = Eight::of(__ldcs(from + i));
    v.weigh(most);
    v.scale(factor);
    __stcs(to + i, v.packed());
  }
  if (row.edge >= 0)
    y[row.at + row.edge] = static_cast<Half>(pair_of(__expf(edge - most) * factor, 0.0f));
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
__global__ void __launch_bounds__(256) softmax_packed(
    int per, int rows, int cols, int pitch, const Half* __restrict__ x, Half* y) {
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
    float largest = NOTHING, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        if (!holds(k, e)) v[k][e] = NOTHING;
        largest = fmaxf(largest, v[k][e]);
      }
#pragma unroll
    for (int far = 16; far > 0; far /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, far));
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        v[k][e] = __expf(v[k][e] - largest);
        sum += v[k][e];
      }
    const float factor = 1.0f / warp_sum(sum);
    const auto result = [&](int k, int e) { return v[k][e] * factor; };
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
