// rmsnorm_bf16/f16 of rows that stay packed in registers between the passes, with a block for each
// row. Short rows are staged in shared memory in pieces of memory, with a few lanes for each row,
// so that sectors are read and written whole wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register tiling, vectorization, warp shuffles, loads in flight, packed halves
// kw: tune THREADS = 256, 512, 1024
// kw: let CAPACITY = THREADS * 32
// kw: tune WIDER = 512, 1024, 256     // threads for rows of up to 32768 columns
// kw: tune PIECE = 17408, 8704, 34816     // elements of short rows that a block takes at once, about
// kw: let PER = max(32, min(pitch - cols > 16 ? 32 : pitch - cols > 8 ? 64 : 128, PIECE / pitch / 32 * 32))
// kw: let STAGED = 2 * (PER * pitch + 584)     // bytes: lanes read 576 elements from where a row begins, whatever its length
// kw: when pitch <= 640 && cols <= 63
// kw:   launch rmsnorm_packed<8, 4, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols >= 128 && cols <= 143
// kw:   launch rmsnorm_packed<8, 9, 1> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 143
// kw:   launch rmsnorm_packed<8, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols >= 256 && cols <= 287
// kw:   launch rmsnorm_packed<16, 9, 1> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 287
// kw:   launch rmsnorm_packed<16, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 512
// kw:   launch rmsnorm_packed<32, 9, 0> grid(ceil_div(rows, PER)) block(256) shared(STAGED) args(
// kw:     PER, rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 4096
// kw:   launch rmsnorm_medium grid(rows) block(128) args(cols, pitch, eps, x, w, y)
// kw: else when cols <= CAPACITY
// kw:   launch rmsnorm_wide grid(rows) block(THREADS) args(cols, pitch, eps, x, w, y)
// kw: else when cols <= 32768
// kw:   launch rmsnorm_wider grid(rows) block(WIDER) args(cols, pitch, eps, x, w, y)
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
static __device__ __forceinline__ Half rounded(float v) { return static_cast<Half>(pair_of(v, 0.0f)); }

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
template <int ITEMS>
static __device__ __forceinline__ void forget_widened(uint4 (&v)[ITEMS]) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    asm volatile("" : "+r"(v[k].x), "+r"(v[k].y), "+r"(v[k].z), "+r"(v[k].w));
}
template <int ITEMS>
static __device__ __forceinline__ void forget_widened(unsigned (&v)[ITEMS]) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) asm volatile("" : "+r"(v[k]));
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

template <int TEAM>
static __device__ __forceinline__ float team_sum(float value, float* partial) {
#pragma unroll
  for (int far = min(TEAM, 32) / 2; far > 0; far /= 2)
    value = value + __shfl_xor_sync(0xffffffffu, value, far);
  if (TEAM <= 32) return value;
  const int lane = threadIdx.x % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[lane % max(TEAM / 32, 1)];
#pragma unroll
  for (int far = TEAM / 64; far > 0; far /= 2)
    value = value + __shfl_xor_sync(0xffffffffu, value, far);
  return value;
}

// Elements head + 8 i to head + 8 i + 7 of a vector over the columns.
static __device__ __forceinline__ uint4 columns(const Half* w, int head, int i) {
  w += head + 8 * i;
  if (head == 0) return __ldg(reinterpret_cast<const uint4*>(w));
  if (head % 2 == 0) {
    const unsigned* pairs = reinterpret_cast<const unsigned*>(w);
    return make_uint4(__ldg(pairs), __ldg(pairs + 1), __ldg(pairs + 2), __ldg(pairs + 3));
  }
  const auto pair = [&](int e) { return static_cast<unsigned>(__ldg(w + e)) | __ldg(w + e + 1) << 16; };
  return make_uint4(pair(0), pair(2), pair(4), pair(6));
}

static __device__ __forceinline__ uint4 normalised(uint4 packed, float factor, uint4 w) {
  Eight v = Eight::of(packed);
  const Eight weight = Eight::of(w);
#pragma unroll
  for (int e = 0; e < 8; ++e) v.v[e] *= factor * weight.v[e];
  return v.packed();
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void rmsnorm_row(int cols, int pitch, float eps, const Half* x,
    const Half* w, Half* y) {
  __shared__ float partial[64];
  const int tid = threadIdx.x;
  const Row row(blockIdx.x, cols, pitch, tid);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  uint4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = k * TEAM + tid < row.vectors ? from[k * TEAM + tid] : nothing();
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : 0.0f;
  float squares = edge * edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) squares += Eight::of(v[k]).squares();
  forget_widened(v);
  const float factor = rsqrtf(team_sum<TEAM>(squares, partial) / cols + eps);
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + tid;
    if (i < row.vectors) to[i] = normalised(v[k], factor, columns(w, row.head, i));
  }
  if (row.edge >= 0)
    y[row.at + row.edge] = rounded(edge * factor * widened(w[row.edge]));
}

extern "C" __global__ void __launch_bounds__(128) rmsnorm_medium(
    int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* __restrict__ y) {
  rmsnorm_row<128, 4>(cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(THREADS) rmsnorm_wide(
    int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* __restrict__ y) {
  rmsnorm_row<THREADS, 4>(cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(WIDER, WIDER == 1024 ? 1 : 2) rmsnorm_wider(
    int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* __restrict__ y) {
  rmsnorm_row<WIDER, 4096 / WIDER>(cols, pitch, eps, x, w, y);
}

// Reads the row twice: for the squares, then to write.
extern "C" __global__ void __launch_bounds__(1024) rmsnorm_long(
    int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const uint4* from = reinterpret_cast<const uint4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? widened(x[row.at + row.edge]) : 0.0f;
  float squares = edge * edge;
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) squares += Eight::of(from[i]).squares();
  const float factor = rsqrtf(team_sum<1024>(squares, partial) / cols + eps);
  uint4* to = reinterpret_cast<uint4*>(y + row.at + row.head);
  // Written elements must not evict the row from the L2 before it is read again.
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024)
    __stcs(to + i, normalised(__ldcs(from + i), factor, columns(w, row.head, i)));
  if (row.edge >= 0)
    y[row.at + row.edge] = rounded(edge * factor * widened(w[row.edge]));
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

// A lane's pairs of a vector over the columns; `mixed`: rows of the block begin at even and at odd
// places.
template <int TEAM, int ITEMS, int FULL>
static __device__ __forceinline__ void take_columns(unsigned (&pairs)[ITEMS], const Half* w, int lane, int cols,
                                                    bool mixed, int odd) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int column = 2 * (k * TEAM + lane);
    pairs[k] = 0;
    if ((FULL && k < ITEMS - 1) || column + 1 < cols)
      pairs[k] = __ldg(reinterpret_cast<const unsigned*>(w + column));
    else if (column < cols)
      pairs[k] = __ldg(w + column);
  }
  if (!mixed) return;
#pragma unroll
  for (int k = ITEMS - 1; k >= 0; --k) {  // takes the high half of the previous pair, which the previous lane has
    const unsigned lent = lane < TEAM - 1 ? pairs[k] : k > 0 ? pairs[k - 1] : 0u;
    const unsigned before = __shfl_sync(0xffffffffu, lent, lane + TEAM - 1, TEAM);
    if (odd) pairs[k] = before >> 16 | pairs[k] << 16;
  }
}

// Gives a row to a team of TEAM lanes, which works in place in shared memory. The rows of a warp's
// teams lie so far apart that they use different banks.
template <int TEAM, int ITEMS, int FULL>
__global__ void __launch_bounds__(256, 4) rmsnorm_packed(
    int per, int rows, int cols, int pitch, float eps, const Half* __restrict__ x,
    const Half* __restrict__ w, Half* y) {
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
  unsigned weight[ITEMS];
  take_columns<TEAM, ITEMS, FULL>(weight, w, lane, cols, pitch & 1, odd);
  const float share = 1.0f / cols;
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
    forget_widened(weight);
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const unsigned pair = row[k * TEAM];
      v[k][0] = pairs.low(k) ? low_of(pair) : 0.0f;
      v[k][1] = pairs.high(k) ? high_of(pair) : 0.0f;
      squares += v[k][0] * v[k][0] + v[k][1] * v[k][1];
    }
#pragma unroll
    for (int far = TEAM / 2; far > 0; far /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, far);
    if (!there) continue;
    const float factor = rsqrtf(squares * share + eps);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      pairs.store(row, k, pair_of(v[k][0] * factor * low_of(weight[k]), v[k][1] * factor * high_of(weight[k])));
  }
  __syncthreads();
  piece.store(y, staged);
}
