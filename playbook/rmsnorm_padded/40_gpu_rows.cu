// rmsnorm of rows that stay in registers between the passes, with a block for each row. Short rows
// are staged in shared memory in pieces of memory, so that sectors are read and written whole
// wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register tiling, vectorization, warp shuffles, loads in flight
// kw: tune THREADS = 256, 512, 1024
// kw: let CAPACITY = THREADS * 32
// kw: tune PIECE = 4352, 8704, 17408, 2176     // floats of short rows that a block takes at once, about
// kw: tune TOGETHER = 1, 2, 4     // short rows that a warp works on at once
// kw: let PER = max(8, min(64, PIECE / pitch / 8 * 8))
// kw: when pitch <= 640 && cols <= 64
// kw:   launch rmsnorm_packed<2> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 128
// kw:   launch rmsnorm_packed<4> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 160
// kw:   launch rmsnorm_packed<5> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 256
// kw:   launch rmsnorm_packed<8> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 288
// kw:   launch rmsnorm_packed<9> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when pitch <= 640 && cols <= 512
// kw:   launch rmsnorm_packed<16> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 4096
// kw:   launch rmsnorm_medium grid(rows) block(128) args(cols, pitch, eps, x, w, y)
// kw: else when cols <= CAPACITY
// kw:   launch rmsnorm_wide grid(rows) block(THREADS) args(cols, pitch, eps, x, w, y)
// kw: else when cols <= 32768
// kw:   launch rmsnorm_wider grid(rows) block(1024) args(cols, pitch, eps, x, w, y)
// kw: else
// kw:   launch rmsnorm_long grid(rows) block(1024) args(cols, pitch, eps, x, w, y)
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

// Elements head + 4 i to head + 4 i + 3 of a vector over the columns.
static __device__ __forceinline__ float4 columns(const float* w, int head, int i) {
  if (head == 0) return __ldg(reinterpret_cast<const float4*>(w) + i);
  w += head + 4 * i;
  return make_float4(__ldg(w), __ldg(w + 1), __ldg(w + 2), __ldg(w + 3));
}

// The reciprocal of the root mean square of the row that lies in v and edge, where absent elements
// are 0.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ float statistics_of(const float4 (&v)[ITEMS], float edge,
                                                      const Row&, int cols, float eps, int,
                                                      float* partial) {
  float squares = edge * edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    squares += v[k].x * v[k].x + v[k].y * v[k].y + (v[k].z * v[k].z + v[k].w * v[k].w);
  return 1.0f / sqrtf(team_sum<TEAM>(squares, partial) / cols + eps);
}

static __device__ __forceinline__ float4 normalised(float4 v, float s, float4 w) {
  return make_float4(v.x * s * w.x, v.y * s * w.y, v.z * s * w.z, v.w * s * w.w);
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void rmsnorm_row(int r, int cols, int pitch, float eps,
                                                  const float* x, const float* w, float* y,
                                                  int tid, float* partial) {
  const Row row(r, cols, pitch, tid);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  float4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = k * TEAM + tid < row.vectors ? from[k * TEAM + tid]
                                        : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : 0.0f;
  const float s = statistics_of<TEAM, ITEMS>(v, edge, row, cols, eps, tid, partial);
  float4* to = reinterpret_cast<float4*>(y + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + tid;
    if (i < row.vectors) to[i] = normalised(v[k], s, columns(w, row.head, i));
  }
  if (row.edge >= 0) y[row.at + row.edge] = edge * s * w[row.edge];
}

extern "C" __global__ void __launch_bounds__(128)
    rmsnorm_medium(int cols, int pitch, float eps, const float* __restrict__ x,
                  const float* __restrict__ w, float* __restrict__ y) {
  __shared__ float partial[64];
  rmsnorm_row<128, 8>(blockIdx.x, cols, pitch, eps, x, w, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    rmsnorm_wide(int cols, int pitch, float eps, const float* __restrict__ x,
                const float* __restrict__ w, float* __restrict__ y) {
  __shared__ float partial[64];
  rmsnorm_row<THREADS, 8>(blockIdx.x, cols, pitch, eps, x, w, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(1024)
    rmsnorm_wider(int cols, int pitch, float eps, const float* __restrict__ x,
                 const float* __restrict__ w, float* __restrict__ y) {
  __shared__ float partial[64];
  rmsnorm_row<1024, 8>(blockIdx.x, cols, pitch, eps, x, w, y, threadIdx.x, partial);
}

// Reads the row twice: for the squares, then to write.
extern "C" __global__ void __launch_bounds__(1024)
    rmsnorm_long(int cols, int pitch, float eps, const float* __restrict__ x,
                const float* __restrict__ w, float* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : 0.0f;
  float squares = edge * edge;
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    const float4 v = from[i];
    squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
  }
  const float s = 1.0f / sqrtf(team_sum<1024>(squares, partial) / cols + eps);
  float4* to = reinterpret_cast<float4*>(y + row.at + row.head);
  // Written elements must not evict the row from the L2 before it is read again.
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024)
    __stcs(to + i, normalised(__ldcs(from + i), s, columns(w, row.head, i)));
  if (row.edge >= 0) y[row.at + row.edge] = edge * s * w[row.edge];
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

// A piece of memory with `per` short rows, a multiple of 8, and the padding between them. Its
// sectors of eight floats are read and written whole, wherever rows begin. Padding that shares a
// sector of y with elements is written unchanged.
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

  // The s-th of sixteen padding places behind a row that may share a sector with elements, or -1.
  __device__ __forceinline__ int padding(int row, int s) const {
    const int from = row * pitch + cols, to = (row + 1) * pitch, whole = (from + 7) / 8 * 8;
    const int e = s < 8 ? from + s : max(whole, to / 8 * 8) + s - 8;
    return e < min(s < 8 ? min(whole, to) : to, count) ? e : -1;
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

template <int ROWS>
static __device__ __forceinline__ void warp_sums(float (&value)[ROWS]) {
#pragma unroll
  for (int far = 16; far > 0; far /= 2)
#pragma unroll
    for (int j = 0; j < ROWS; ++j) value[j] += __shfl_xor_sync(0xffffffffu, value[j], far);
}

// Computes several rows at once with a warp, in place in shared memory, so that their sums do not
// wait for each other.
template <int ITEMS>
__global__ void __launch_bounds__(256)
    rmsnorm_packed(int per, int rows, int cols, int pitch, float eps, const float* __restrict__ x, const float* __restrict__ w, float* y) {
  float* staged = reinterpret_cast<float*>(dynamic_shared);
  const int lane = threadIdx.x % 32;
  const Piece piece(per, rows, cols, pitch);
  piece.load(x, staged);
  float kept[4];
  if (pitch != cols) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = k * 256 + threadIdx.x;
      const int e = i < 16 * piece.rows ? piece.padding(i / 16, i % 16) : -1;
      if (e >= 0) kept[k] = y[piece.at + e];
    }
  }
  float weight[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) weight[k] = k * 32 + lane < cols ? __ldg(w + k * 32 + lane) : 0.0f;
  copies_arrived();
  __syncthreads();
  if (pitch != cols) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = k * 256 + threadIdx.x;
      const int e = i < 16 * piece.rows ? piece.padding(i / 16, i % 16) : -1;
      if (e >= 0) staged[e] = kept[k];
    }
  }
  constexpr int kRows = ITEMS <= 9 ? TOGETHER : 1;
  for (int first = threadIdx.x / 32; first < piece.rows; first += 8 * kRows) {
    const auto row = [&](int j) { return staged + (first + 8 * j) * pitch + lane; };
    const auto holds = [&](int j, int k) { return k * 32 + lane < cols && first + 8 * j < piece.rows; };
    float v[kRows][ITEMS], factor[kRows];
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      factor[j] = 0.0f;
#pragma unroll
      for (int k = 0; k < ITEMS; ++k) {
        v[j][k] = holds(j, k) ? row(j)[k * 32] : 0.0f;
        factor[j] += v[j][k] * v[j][k];
      }
    }
    warp_sums(factor);
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      factor[j] = 1.0f / sqrtf(factor[j] / cols + eps);
#pragma unroll
      for (int k = 0; k < ITEMS; ++k)
        if (holds(j, k)) row(j)[k * 32] = v[j][k] * factor[j] * weight[k];
    }
  }
  __syncthreads();
  piece.store(y, staged);
}
