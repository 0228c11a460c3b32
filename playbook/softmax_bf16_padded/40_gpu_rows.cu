// softmax_bf16/f16 of rows that stay packed in registers between the passes, with a block for each
// row. Short rows are staged in shared memory in pieces of memory, with a few lanes for each row,
// so that sectors are read and written whole wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register tiling, vectorization, warp shuffles, loads in flight, packed halves
// kw: tune THREADS = 512, 256, 1024
// kw: let CAPACITY = THREADS * 32
// kw: tune WIDER = 512, 1024, 256     // threads for rows of up to 32768 columns
// kw: tune PIECE = 17408, 8704, 34816     // elements of short rows that a block takes at once, about
// kw: let PER = max(32, min(pitch - cols > 16 ? 32 : pitch - cols > 8 ? 64 : 128, PIECE / pitch / 32 * 32))
// kw: let STAGED = 2 * (PER * pitch + 584)     // bytes: lanes read 576 elements from where a row begins, whatever its length
// kw: when pitch <= 640 && cols <= 63
// kw:   launch softmax_packed<8, 4, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols >= 128 && cols <= 143
// kw:   launch softmax_packed<8, 9, 1> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 143
// kw:   launch softmax_packed<8, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols >= 256 && cols <= 287
// kw:   launch softmax_packed<16, 9, 1> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 287
// kw:   launch softmax_packed<16, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 512
// kw:   launch softmax_packed<32, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, x, y)
// kw: else when cols <= 4096
// kw:   launch softmax_medium grid(rows) block(128) args(cols, pitch, x, y)
// kw: else when cols <= CAPACITY
// kw:   launch softmax_wide grid(rows) block(THREADS) args(cols, pitch, x, y)
// kw: else when cols <= 32768
// kw:   launch softmax_wider grid(rows) block(WIDER) args(cols, pitch, x, y)
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
static __device__ __forceinline__ Half rounded(float v) { return static_cast<Half>(pair_of(v, 0.0f)); }

// e^(v - most) * 2^shift.
static __device__ __forceinline__ float weight_of(float v, float most, float shift) {
  const float power = fmaf(v - most, 1.44269504f, shift);
#if defined(__CUDA_ARCH__)
  float weight;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(weight) : "f"(power));
  return weight;
#else
  return exp2f(power);
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
  __device__ __forceinline__ float sum() const {
    return (v[0] + v[1] + (v[2] + v[3])) + (v[4] + v[5] + (v[6] + v[7]));
  }
  // The weights relative to `most`, multiplied by 2^shift.
  __device__ __forceinline__ Eight weights(float most, float shift) const {
    Eight d;
#pragma unroll
    for (int e = 0; e < 8; ++e) d.v[e] = weight_of(v[e], most, shift);
    return d;
  }
};

static __device__ __forceinline__ uint4 nothing() {
  const unsigned pair = pair_of(NOTHING, NOTHING);
  return make_uint4(pair, pair, pair, pair);
}

// Makes the compiler forget widened copies of the numbers, so that the packed ones stay in
// registers.
template <int ITEMS>
static __device__ __forceinline__ void forget_widened(uint4 (&v)[ITEMS]) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    asm volatile("" : "+r"(v[k].x), "+r"(v[k].y), "+r"(v[k].z), "+r"(v[k].w));
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

// The largest of a vector's elements and `most`. float16 numbers are compared as they are. bfloat16
// numbers are compared together with the bits behind them, which decide nothing, so that no widened
// number is kept for later. A word whose upper half is infinity is a NaN, which fmaxf ignores.
static __device__ __forceinline__ float larger_of(float most, uint4 q) {
#ifdef KW_REAL_F16
  const auto halves = [](unsigned pair) { return *reinterpret_cast<const __half2*>(&pair); };
  const __half2 pair = __hmax2(__hmax2(halves(q.x), halves(q.y)), __hmax2(halves(q.z), halves(q.w)));
  return fmaxf(most, fmaxf(__low2float(pair), __high2float(pair)));
#else
  const auto high = [](unsigned a, unsigned b) { return fmaxf(__uint_as_float(a), __uint_as_float(b)); };
  const auto low = [&](unsigned a, unsigned b) { return high(a << 16 | a >> 16, b << 16 | b >> 16); };
  const float halves = fmaxf(fmaxf(high(q.x, q.y), high(q.z, q.w)), fmaxf(low(q.x, q.y), low(q.z, q.w)));
  return fmaxf(most, high_of(__float_as_uint(halves)));
#endif
}

// The largest of some numbers, and the sum of their weights relative to the largest.
struct Weights {
  float largest, sum;
};

// The weights of a block of TEAM threads together. Sums are relative to the largest number of each
// warp first, so that one barrier is enough.
template <int TEAM>
static __device__ __forceinline__ Weights combined_of_block(Weights m, float* partial) {
  constexpr int kWarps = TEAM / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto combine = [&](int lanes) {
    float most = m.largest;
#pragma unroll
    for (int far = lanes / 2; far > 0; far /= 2)
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, far));
    // otherwise no lane holds a number
    if (most > NOTHING) m.sum *= weight_of(m.largest, most, 0.0f);
    m.largest = most;
#pragma unroll
    for (int far = lanes / 2; far > 0; far /= 2) m.sum += __shfl_xor_sync(0xffffffffu, m.sum, far);
  };
  combine(32);
  if (lane == 0) {
    partial[warp] = m.largest;
    partial[32 + warp] = m.sum;
  }
  __syncthreads();
  m = {partial[lane % kWarps], partial[32 + lane % kWarps]};
  combine(kWarps);
  return m;
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_row(int cols, int pitch, const Half* x, Half* y) {
  __shared__ float partial[64];
  const int tid = threadIdx.x;
  const Row row(blockIdx.x, cols, pitch, tid);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  uint4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = k * TEAM + tid < row.vectors ? from[k * TEAM + tid] : nothing();
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : NOTHING;
  Weights m = {edge, 0.0f};
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) m.largest = larger_of(m.largest, v[k]);
  forget_widened(v);
  const float own = fmaxf(m.largest, -3.0e38f);  // a thread may hold no number
  m.sum = weight_of(edge, own, 0.0f);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (k * TEAM + tid < row.vectors) m.sum += Eight::of(v[k]).weights(own, 0.0f).sum();
  forget_widened(v);
  m = combined_of_block<TEAM>(m, partial);
  const float shift = -log2f(m.sum);
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + tid;
    if (i < row.vectors) to[i] = Eight::of(v[k]).weights(m.largest, shift).packed();
  }
  if (row.edge >= 0)
    y[row.at + row.edge] = rounded(weight_of(edge, m.largest, shift));
}

extern "C" __global__ void __launch_bounds__(128) softmax_medium(
    int cols, int pitch, const Half* __restrict__ x, Half* __restrict__ y) {
  softmax_row<128, 4>(cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(THREADS) softmax_wide(
    int cols, int pitch, const Half* __restrict__ x, Half* __restrict__ y) {
  softmax_row<THREADS, 4>(cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(WIDER, WIDER == 1024 ? 1 : 2) softmax_wider(
    int cols, int pitch, const Half* __restrict__ x, Half* __restrict__ y) {
  softmax_row<WIDER, 4096 / WIDER>(cols, pitch, x, y);
}

// Reads the row twice: for the largest element and the sum of weights relative to that element,
// then for the weights.
extern "C" __global__ void __launch_bounds__(1024) softmax_long(
    int cols, int pitch, const Half* __restrict__ x, Half* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : NOTHING;
  Weights m = {fmaxf(edge, -3.0e38f), row.edge >= 0 ? 1.0f : 0.0f};
#pragma unroll 2
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    const uint4 v = from[i];
    const float next = larger_of(m.largest, v);
    m.sum = m.sum * weight_of(m.largest, next, 0.0f) + Eight::of(v).weights(next, 0.0f).sum();
    m.largest = next;
  }
  m = combined_of_block<1024>(m, partial);
  const float shift = -log2f(m.sum);
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
  // Written elements must not evict the row from the L2 before it is read again.
#pragma unroll 2
  for (int i = threadIdx.x; i < row.vectors; i += 1024)
    __stcs(to + i, Eight::of(__ldcs(from + i)).weights(m.largest, shift).packed());
  if (row.edge >= 0)
    y[row.at + row.edge] = rounded(weight_of(edge, m.largest, shift));
}

// Copies sixteen bytes to shared memory; they are there after `copies_arrived` and a barrier.
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

// A piece of memory with `per` short rows, a multiple of 32, and the padding between them. Its
// sectors of sixteen elements are read and written whole, wherever rows begin. Padding that shares
// a sector of y with elements is written unchanged.
struct Piece {
  long long at;  // index of the piece's first element
  int rows, count;  // count: elements of the piece, without padding behind the last row
  int cols, pitch, shift;  // 1 << shift: padding places behind a row that may share a sector with elements

  __device__ Piece(int per, int all_rows, int columns, int distance) {
    const int first = blockIdx.x * per;
    at = static_cast<long long>(first) * distance;
    rows = min(per, all_rows - first);
    count = rows * distance - (first + rows == all_rows ? distance - columns : 0);
    cols = columns;
    pitch = distance;
    shift = 32 - __clz(min(distance - columns, 32) - 1);
  }

  __device__ __forceinline__ int places() const { return pitch == cols ? 0 : rows << shift; }

  // Where the i-th padding place lies, or -1.
  __device__ __forceinline__ int place(int i) const {
    const int row = i >> shift, s = i & ((1 << shift) - 1), from = row * pitch + cols, to = from + pitch - cols;
    int e = from + s;
    if (pitch - cols > 32 && s >= 16) e = to / 16 * 16 + s - 16;
    return i < places() && e < min(to, count) ? e : -1;
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

// The pairs of a row that one lane of its team has, TEAM pairs apart. Pairs lie at even places of
// memory: where a row begins at an odd place, its first element is the high half of a pair, and so
// for every row of this lane.
template <int TEAM, int ITEMS, int FULL>
struct Pairs {
  int first, left;  // first: column of the low half of the first pair, or -1; left: columns from there to the row's end

  __device__ __forceinline__ Pairs(int lane, int odd, int cols) : first(2 * lane - odd), left(cols - first) {}
  // With FULL, rows fill all pairs of a lane but the last.
  __device__ __forceinline__ static bool is_full(int k) { return FULL && k < ITEMS - 1; }
  __device__ __forceinline__ bool low(int k) const {
    return (k > 0 || first >= 0) && (is_full(k) || left > 2 * TEAM * k);
  }
  __device__ __forceinline__ bool high(int k) const { return is_full(k) || left > 2 * TEAM * k + 1; }

  __device__ __forceinline__ void store(unsigned* row, int k, unsigned pair) const {
    Half* halves = reinterpret_cast<Half*>(row + k * TEAM);
    if (low(k) && high(k))
      row[k * TEAM] = pair;
    else if (low(k))
      halves[0] = static_cast<Half>(pair);
    else if (high(k))
      halves[1] = static_cast<Half>(pair >> 16);
  }
};

// Gives a row to a team of TEAM lanes, which works in place in shared memory. The rows of a warp's
// teams lie so far apart that they use different banks.
template <int TEAM, int ITEMS, int FULL>
__global__ void __launch_bounds__(256, 4) softmax_packed(
    int per, int rows, int cols, int pitch, const Half* __restrict__ x, Half* y) {
  constexpr int kTeams = 32 / TEAM, kKept = 4;
  Half* staged = reinterpret_cast<Half*>(dynamic_shared);
  const Piece piece(per, rows, cols, pitch);
  piece.load(x, staged);
  Half kept[kKept];
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    if (k * 256 >= piece.places()) break;
    const int e = piece.place(k * 256 + threadIdx.x);
    if (e >= 0) kept[k] = y[piece.at + e];
  }
  const int lane = threadIdx.x % TEAM, team = threadIdx.x % 32 / TEAM, warp = threadIdx.x / 32;
  const int apart = min(TEAM == 32 ? 1 : TEAM, max(1, 2 * TEAM / (pitch & -pitch))), by = 31 - __clz(apart);
  const auto row_of = [&](int turn) {
    return (turn >> by) * kTeams * apart + team * apart + (turn & (apart - 1));
  };
  const int odd = row_of(warp) * pitch & 1;
  const Pairs<TEAM, ITEMS, FULL> pairs(lane, odd, cols);
  copies_arrived();
  __syncthreads();
  if (piece.places() > 0) {
#pragma unroll
    for (int k = 0; k < kKept; ++k) {
      if (k * 256 >= piece.places()) break;
      const int e = piece.place(k * 256 + threadIdx.x);
      if (e >= 0) staged[e] = kept[k];
    }
  }
  for (int turn = warp; turn * kTeams < per; turn += 8) {
    const int r = row_of(turn);
    const bool there = r < piece.rows;
    // All lanes take part in the sums, and read beyond their row instead of branching. Another warp
    // may be writing there, which racecheck reports; the values are masked.
    unsigned* row = reinterpret_cast<unsigned*>(staged + (r * pitch - odd)) + lane;
    float v[ITEMS][2];
    float most = NOTHING, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const unsigned pair = row[k * TEAM];
      v[k][0] = pairs.low(k) ? low_of(pair) : NOTHING;
      v[k][1] = pairs.high(k) ? high_of(pair) : NOTHING;
      most = fmaxf(most, fmaxf(v[k][0], v[k][1]));
    }
#pragma unroll
    for (int far = TEAM / 2; far > 0; far /= 2)
      most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, far));
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        v[k][e] = weight_of(v[k][e], most, 0.0f);
        sum += v[k][e];
      }
#pragma unroll
    for (int far = TEAM / 2; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
    if (!there) continue;
    const float factor = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) pairs.store(row, k, pair_of(v[k][0] * factor, v[k][1] * factor));
  }
  __syncthreads();
  piece.store(y, staged);
}
