// softmax of rows that stay in registers between the passes, with a block for each row. Short rows
// are staged in shared memory in pieces of memory, so that sectors are read and written whole
// wherever rows begin.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register tiling, vectorization, warp shuffles, loads in flight
// kw: tune THREADS = 512, 256, 1024
// kw: let CAPACITY = THREADS * 32
// kw: tune PIECE = 4352, 8704, 17408, 2176     // floats of short rows that a block takes at once, about
// kw: tune TOGETHER = 1, 2, 4     // short rows that a warp works on at once
// kw: let PER = max(8, min(64, PIECE / pitch / 8 * 8))
// kw: when pitch <= 640 && cols <= 64
// kw:   launch softmax_packed<2> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 128
// kw:   launch softmax_packed<4> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 160
// kw:   launch softmax_packed<5> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 256
// kw:   launch softmax_packed<8> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 288
// kw:   launch softmax_packed<9> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when pitch <= 640 && cols <= 512
// kw:   launch softmax_packed<16> grid(ceil_div(rows, PER)) block(256) shared(PER * pitch * 4 + 16) args(PER, rows, cols, pitch, x, y)
// kw: else when cols <= 4096
// kw:   launch softmax_medium grid(rows) block(128) args(cols, pitch, x, y)
// kw: else when cols <= CAPACITY
// kw:   launch softmax_wide grid(rows) block(THREADS) args(cols, pitch, x, y)
// kw: else when cols <= 32768
// kw:   launch softmax_wider grid(rows) block(1024) args(cols, pitch, x, y)
// kw: else
// kw:   launch softmax_long grid(rows) block(1024) args(cols, pitch, x, y)
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
static __device__ __forceinline__ float team_max(float value, float* partial) {
#pragma unroll
  for (int far = min(TEAM, 32) / 2; far > 0; far /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, far));
  if (TEAM <= 32) return value;
  const int lane = threadIdx.x % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[lane % max(TEAM / 32, 1)];
#pragma unroll
  for (int far = TEAM / 64; far > 0; far /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, far));
  return value;
}

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

template <class F>
static __device__ __forceinline__ void each(float4& v, F f) {
  f(v.x);
  f(v.y);
  f(v.z);
  f(v.w);
}

// The weights of the row that lies in v and edge, where absent elements are -infinity.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_of(float4 (&v)[ITEMS], float edge, const Row& row,
                                                  float* y, int tid, float* partial) {
  float largest = edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    largest = fmaxf(largest, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  largest = team_max<TEAM>(largest, partial);
  edge = expf(edge - largest);
  float sum = edge;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    each(v[k], [&](float& e) { e = expf(e - largest); });
    sum += v[k].x + v[k].y + (v[k].z + v[k].w);
  }
  const float factor = 1.0f / team_sum<TEAM>(sum, partial + 32);
  float* out = y + row.at;
  float4* to = reinterpret_cast<float4*>(out + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    each(v[k], [&](float& e) { e *= factor; });
    if (k * TEAM + tid < row.vectors) to[k * TEAM + tid] = v[k];
  }
  if (row.edge >= 0) out[row.edge] = edge * factor;
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_row(int r, int cols, int pitch, const float* x,
                                                   float* y, int tid, float* partial) {
  const Row row(r, cols, pitch, tid);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  float4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    v[k] = k * TEAM + tid < row.vectors
               ? from[k * TEAM + tid]
               : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : -INFINITY;
  softmax_of<TEAM, ITEMS>(v, edge, row, y, tid, partial);
}

extern "C" __global__ void __launch_bounds__(128)
    softmax_medium(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float partial[64];
  softmax_row<128, 8>(blockIdx.x, cols, pitch, x, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    softmax_wide(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float partial[64];
  softmax_row<THREADS, 8>(blockIdx.x, cols, pitch, x, y, threadIdx.x, partial);
}

extern "C" __global__ void __launch_bounds__(1024)
    softmax_wider(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float partial[64];
  softmax_row<1024, 8>(blockIdx.x, cols, pitch, x, y, threadIdx.x, partial);
}

// Reads the row twice: for the largest element and the sum of weights relative to that element,
// then for the weights.
extern "C" __global__ void __launch_bounds__(1024)
    softmax_long(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float partial[64];
  const Row row(blockIdx.x, cols, pitch, threadIdx.x);
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
  const float edge = row.edge >= 0 ? x[row.at + row.edge] : -INFINITY;
  float largest = edge;
  float sum = row.edge >= 0 ? 1.0f : 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    float4 v = __ldcs(from + i);
    const float next = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    each(v, [&](float& e) { e = expf(e - next); });
    sum = sum * expf(largest - next) + (v.x + v.y + (v.z + v.w));
    largest = next;
  }
  const float most = team_max<1024>(largest, partial);
  const float factor = 1.0f / team_sum<1024>(sum * expf(largest - most), partial + 32);
  float4* to = reinterpret_cast<float4*>(y + row.at + row.head);
#pragma unroll 4
  for (int i = threadIdx.x; i < row.vectors; i += 1024) {
    float4 v = __ldcs(from + i);
    each(v, [&](float& e) { e = expf(e - most) * factor; });
    __stcs(to + i, v);  // must not evict the row from the L2 before it is read again
  }
  if (row.edge >= 0) y[row.at + row.edge] = expf(edge - most) * factor;
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
    softmax_packed(int per, int rows, int cols, int pitch, const float* __restrict__ x, float* y) {
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
    float v[kRows][ITEMS], largest[kRows], sum[kRows];
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      largest[j] = -INFINITY;
#pragma unroll
      for (int k = 0; k < ITEMS; ++k) {
        v[j][k] = holds(j, k) ? row(j)[k * 32] : -INFINITY;
        largest[j] = fmaxf(largest[j], v[j][k]);
      }
    }
#pragma unroll
    for (int far = 16; far > 0; far /= 2)
#pragma unroll
      for (int j = 0; j < kRows; ++j)
        largest[j] = fmaxf(largest[j], __shfl_xor_sync(0xffffffffu, largest[j], far));
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      sum[j] = 0.0f;
#pragma unroll
      for (int k = 0; k < ITEMS; ++k) {
        v[j][k] = expf(v[j][k] - largest[j]);
        sum[j] += v[j][k];
      }
    }
    warp_sums(sum);
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      const float factor = 1.0f / sum[j];
#pragma unroll
      for (int k = 0; k < ITEMS; ++k)
        if (holds(j, k)) row(j)[k * 32] = v[j][k] * factor;
    }
  }
  __syncthreads();
  piece.store(y, staged);
}
