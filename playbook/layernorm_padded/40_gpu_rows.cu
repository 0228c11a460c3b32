// layernorm of rows that stay in registers between the passes, with a block for each row. Short
// rows are staged in shared memory in pieces of memory, so that sectors are read and written whole
// wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register tiling, vectorization, warp shuffles, loads in flight
// kw: tune THREADS = 256, 512, 1024
// kw: let CAPACITY = THREADS * 32
// kw: tune PIECE = 8704, 4352, 17408, 2176     // floats of short rows that a block takes at once, about
// kw: let PER = max(16, min(64, PIECE / pitch / 16 * 16))
// kw: when pitch <= 640 && cols <= 64
// kw:   launch layernorm_packed<16, 4> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, b, y)
// kw: else when pitch <= 640 && cols <= 144
// kw:   launch layernorm_packed<16, 9> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, b, y)
// kw: else when pitch <= 640 && cols <= 288
// kw:   launch layernorm_packed<32, 9> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, b, y)
// kw: else when pitch <= 640 && cols <= 512
// kw:   launch layernorm_packed<32, 16> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, b, y)
// kw: else when cols <= 4096
// kw:   launch layernorm_medium grid(rows) block(128) args(cols, pitch, eps, x, w, b, y)
// kw: else when cols <= CAPACITY
// kw:   launch layernorm_wide grid(rows) block(THREADS) args(cols, pitch, eps, x, w, b, y)
// kw: else when cols <= 32768
// kw:   launch layernorm_wider grid(rows) block(1024) args(cols, pitch, eps, x, w, b, y)
// kw: else
// kw:   launch layernorm_long grid(rows) block(1024) args(cols, pitch, eps, x, w, b, y)
// kw: end

// Where a row's vectors lie. With a pitch that is no multiple of 4 a row begins at any element, and
// its first and last few elements are handled singly. Rows of x and y begin alike.
struct Row {
  long long at;
  int head, vectors, edge;  // edge: this thread's single element, or -1

  __device__ Row(int row, int cols, int pitch, int tid) {
    at = static_cast<long long>(row) * pitch;
    head = min(cols, static_cast<int>(-at & 3));
    vectors = (cols - head) / 4;
    const int tail = cols - head - 4 * vectors;
    edge = tid < head ? tid : tid >= 4 && tid < 4 + tail ? cols - tail + tid - 4 : -1;
  }
};

// Moments of `count` numbers; `squares` is the sum of their squared distances from the mean.
struct Moments {
  float count, mean, squares;
};

template <int TEAM>
static __device__ __forceinline__ float team_sum(float value) {
#pragma unroll
  for (int far = TEAM / 2; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffu, value, far);
  return value;
}

// The moments of all lanes of a team together, which have `count` numbers, after Chan et al. and in
// one reduction: relative to the mean of lane `first`, whose count is not 0. That mean is so close
// to the mean of all numbers that hardly anything cancels.
template <int TEAM>
static __device__ __forceinline__ Moments combined(Moments m, float count, int first) {
  const float near = __shfl_sync(0xffffffffu, m.mean, first, TEAM), by = m.mean - near;
  const float sum = team_sum<TEAM>(m.count * by);
  const float squares = team_sum<TEAM>(m.squares + m.count * by * by);
  const float mean = sum * (1.0f / fmaxf(count, 1.0f));
  return {count, near + mean, fmaxf(squares - sum * mean, 0.0f)};
}

// The moments of a block of TEAM threads together, which have `count` numbers, at least one of them
// in the first warp.
template <int TEAM>
static __device__ __forceinline__ Moments combined_of_block(Moments m, float count, float* partial) {
  constexpr int kWarps = TEAM / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned holding = __ballot_sync(0xffffffffu, m.count > 0.0f);
  m = combined<32>(m, team_sum<32>(m.count), holding != 0 ? __ffs(holding) - 1 : 0);
  if (lane == 0) {
    partial[warp] = m.count;
    partial[32 + warp] = m.mean;
    partial[64 + warp] = m.squares;
  }
  __syncthreads();
  const int other = lane % kWarps;
  return combined<kWarps>({partial[other], partial[32 + other], partial[64 + other]}, count, 0);
}

static __device__ __forceinline__ float sum_of(float4 v) { return v.x + v.y + (v.z + v.w); }
static __device__ __forceinline__ float squares_of(float4 v, float mean) {
  v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
  return v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
}

// Elements head + 4 i to head + 4 i + 3 of a vector over the columns.
static __device__ __forceinline__ float4 columns(const float* w, int head, int i) {
  if (head == 0) return __ldg(reinterpret_cast<const float4*>(w) + i);
  w += head + 4 * i;
  return make_float4(__ldg(w), __ldg(w + 1), __ldg(w + 2), __ldg(w + 3));
}

struct Statistics {
  float mean, factor;

  __device__ Statistics(Moments m, int cols, float eps) : mean(m.mean), factor(1.0f / sqrtf(m.squares / cols + eps)) {}
};

// The statistics of the row that lies in v and edge, where absent elements are 0.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ Statistics statistics_of(const float4 (&v)[ITEMS], float edge,
                                                           const Row& row, int cols, float eps,
                                                           int tid, float* partial) {
  Moments m = {row.edge >= 0 ? 1.0f : 0.0f, edge, 0.0f};
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    m.count += k * TEAM + tid < row.vectors ? 4.0f : 0.0f;
    m.mean += sum_of(v[k]);
  }
  m.mean /= fmaxf(m.count, 1.0f);
  if (row.edge >= 0) m.squares = (edge - m.mean) * (edge - m.mean);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (k * TEAM + tid < row.vectors) m.squares += squares_of(v[k], m.mean);
  return Statistics(combined_of_block<TEAM>(m, cols, partial), cols, eps);
}

static __device__ __forceinline__ float4 normalised(float4 v, Statistics s, float4 w, float4 b) {
  return make_float4((v.x - s.mean) * s.factor * w.x + b.x, (v.y - s.mean) * s.factor * w.y + b.y,
                     (v.z - s.mean) * s.factor * w.z + b.z, (v.w - s.mean) * s.factor * w.w + b.w);
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void layernorm_row(int r, int cols, int pitch, float eps,
                                                  const float* x, const float* w, const float* b, float* y,
                                                  int tid, float* partial) {
  const Row row(r, cols, pitch, tid);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  float4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = k * TEAM + tid < row.vectors ? from[k * TEAM + tid]
                                        : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : 0.0f;
  const Statistics s = statistics_of<TEAM, ITEMS>(v, edge, row, cols, eps, tid, partial);
  float4* to = reinterpret_cast<float4*>(y + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + tid;
    if (i < row.vectors) to[i] = normalised(v[k], s, columns(w, row.head, i), columns(b, row.head, i));
  }
  if (row.edge >= 0) y[row.at + row.edge] = (edge - s.mean) * s.factor * w[row.edge] + b[row.edge];
}

extern "C" __global__ void __launch_bounds__(128, 8)
    layernorm_medium(int cols, int pitch, float eps, const float* __restrict__ x,
                  const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y) {
  __shared__ float partial[96];
  layernorm_row<128, 8>(blockIdx.x, cols, pitch, eps, x, w, b, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    layernorm_wide(int cols, int pitch, float eps, const float* __restrict__ x,
                const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y) {
  __shared__ float partial[96];
  layernorm_row<THREADS, 8>(blockIdx.x, cols, pitch, eps, x, w, b, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(1024)
    layernorm_wider(int cols, int pitch, float eps, const float* __restrict__ x,
                 const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y) {
  __shared__ float partial[96];
  layernorm_row<1024, 8>(blockIdx.x, cols, pitch, eps, x, w, b, y, threadIdx.x, partial);
}

// Reads the row twice: for its moments, then to write.
extern "C" __global__ void __launch_bounds__(1024)
    layernorm_long(int cols, int pitch, float eps, const float* __restrict__ x,
                const float* __restrict__ w, const float* __restrict__ b, float* __restrict__ y) {
  __shared__ float partial[96];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : 0.0f;
  Moments m = {row.edge >= 0 ? 1.0f : 0.0f, edge, 0.0f};
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    const float4 v = from[i];
    const float mean = sum_of(v) * 0.25f, by = mean - m.mean, share = 4.0f / (m.count + 4.0f);
    m.squares += squares_of(v, mean) + by * by * m.count * share;
    m.mean += by * share;
    m.count += 4.0f;
  }
  const Statistics s(combined_of_block<1024>(m, cols, partial), cols, eps);
  float4* to = reinterpret_cast<float4*>(y + row.at + row.head);
  // Written elements must not evict the row from the L2 before it is read again.
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024)
    __stcs(to + i, normalised(__ldcs(from + i), s, columns(w, row.head, i), columns(b, row.head, i)));
  if (row.edge >= 0) y[row.at + row.edge] = (edge - s.mean) * s.factor * w[row.edge] + b[row.edge];
}

extern __shared__ float4 dynamic_shared[];

// Copies sixteen bytes to shared memory; they are there after `copies_arrived` and a barrier.
static __device__ __forceinline__ void begin_copy(float4* to, const float4* from) {
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

// A piece of memory with `per` short rows, a multiple of 16, and the padding between them. Its
// sectors of eight floats are read and written whole, wherever rows begin. Padding that shares a
// sector of y with elements is written unchanged.
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
    shift = 32 - __clz(min(distance - columns, 16) - 1);
  }

  __device__ __forceinline__ int places() const { return pitch == cols ? 0 : rows << shift; }

  // Where the i-th padding place lies, or -1.
  __device__ __forceinline__ int place(int i) const {
    const int row = i >> shift, s = i & ((1 << shift) - 1), from = row * pitch + cols, to = from + pitch - cols;
    int e = from + s;
    if (pitch - cols > 16 && s >= 8) e = to / 8 * 8 + s - 8;
    return i < places() && e < min(to, count) ? e : -1;
  }

  __device__ __forceinline__ void load(const float* x, float* staged) const {
    const float4* from = reinterpret_cast<const float4*>(x + at);
    for (int i = threadIdx.x; i < count / 4; i += 256)
      begin_copy(reinterpret_cast<float4*>(staged) + i, from + i);
    const int last = count / 4 * 4 + threadIdx.x;
    if (last < count) staged[last] = x[at + last];
  }

  __device__ __forceinline__ void store(float* y, const float* staged) const {
    float4* to = reinterpret_cast<float4*>(y + at);
    for (int i = threadIdx.x; i < count / 4; i += 256) {
      if (pitch - cols >= 8) {
        const int column = i / 2 * 8 % pitch;
        if (column >= cols && column + 8 <= pitch) continue;  // this sector is padding only
      }
      to[i] = reinterpret_cast<const float4*>(staged)[i];
    }
    const int last = count / 4 * 4 + threadIdx.x;
    if (last < count) y[at + last] = staged[last];
  }
};

// Gives a row to half a warp or a whole one, which works in place in shared memory. The rows of a
// warp's halves lie so far apart that they use different banks.
template <int TEAM, int ITEMS>
__global__ void __launch_bounds__(256)
    layernorm_packed(int per, int rows, int cols, int pitch, float eps, const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ b, float* y) {
  constexpr int kTeams = 32 / TEAM, kKept = 4;
  float* staged = reinterpret_cast<float*>(dynamic_shared);
  const Piece piece(per, rows, cols, pitch);
  piece.load(x, staged);
  float kept[kKept];
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    if (k * 256 >= piece.places()) break;
    const int e = piece.place(k * 256 + threadIdx.x);
    if (e >= 0) kept[k] = y[piece.at + e];
  }
  const int lane = threadIdx.x % TEAM, team = threadIdx.x % 32 / TEAM, warp = threadIdx.x / 32;
  const int apart = TEAM == 32 ? 1 : min(8, max(1, TEAM / (pitch & -pitch))), by = 31 - __clz(apart);
  const int left = cols - lane;  // number of columns from this lane's first on
  const float held = max(0, (left + TEAM - 1) / TEAM), share = 1.0f / fmaxf(held, 1.0f);
  float weight[ITEMS], bias[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    weight[k] = left > k * TEAM ? __ldg(w + k * TEAM + lane) : 0.0f;
    bias[k] = left > k * TEAM ? __ldg(b + k * TEAM + lane) : 0.0f;
  }
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
    const int r = (turn >> by) * kTeams * apart + team * apart + (turn & (apart - 1));
    // lanes without a row take part in the sums too
    float* row = staged + min(r, piece.rows - 1) * pitch + lane;
    float v[ITEMS];
    Moments m = {held, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      v[k] = left > k * TEAM ? row[k * TEAM] : 0.0f;
      m.mean += v[k];
    }
    m.mean *= share;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      // the lane's mean, which is close enough to the row's for the following steps to be exact
      v[k] -= m.mean;
      if (left > k * TEAM) m.squares += v[k] * v[k];
    }
    const Moments all = combined<TEAM>(m, cols, 0);
    if (r >= piece.rows) continue;
    const float factor = rsqrtf(all.squares / cols + eps), by_mean = m.mean - all.mean;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      if (left > k * TEAM) row[k * TEAM] = (v[k] + by_mean) * factor * weight[k] + bias[k];
  }
  __syncthreads();
  piece.store(y, staged);
}
