// softmax by persistent blocks: a row is computed in registers while the next one arrives in shared
// memory.
// SPDX-License-Identifier: Apache-2.0
// kw: technique persistent blocks, asynchronous copies, software pipelining, register tiling, warp shuffles
// kw: tune PER_SM = 2, 3
// kw: tune MEDIUM_PER_SM = 5, 8
// kw: when cols / 4 <= 8 * 4
// kw:   launch softmax_short<8> grid(ceil_div(rows, 32)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols / 4 <= 16 * 4
// kw:   launch softmax_short<16> grid(ceil_div(rows, 16)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols <= 512
// kw:   launch softmax_short<32> grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols <= 4096
// kw:   launch softmax_medium grid(min(rows, sms * MEDIUM_PER_SM)) block(256) shared(4 * 256 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else when cols <= 16384
// kw:   launch softmax_wide grid(min(rows, sms * PER_SM)) block(512) shared(8 * 512 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else when cols <= 16 * 512 * 4 && shared_max >= 16 * 512 * 16
// kw:   launch softmax_wider grid(min(rows, sms)) block(512) shared(16 * 512 * 16) args(
// kw:     rows, cols, pitch, x, y)
// kw: else
// kw:   launch softmax_long grid(rows) block(1024) args(cols, pitch, x, y)
// kw: end

extern __shared__ float4 dynamic_shared[];

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

// Copies sixteen bytes to shared memory, which only the calling thread reads, after
// `copies_arrived`.
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

// Each thread reads only the vectors that it has copied itself, so no barrier is needed.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ float begin_row(const Row& row, const float* x) {
  const float4* from = reinterpret_cast<const float4*>(x + row.at + row.head);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + threadIdx.x;
    if (i < row.vectors) begin_copy(dynamic_shared + i, from + i);
  }
  return row.edge >= 0 ? x[row.at + row.edge] : -INFINITY;
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void softmax_rows(int rows, int cols, int pitch, const float* x,
                                                    float* y) {
  __shared__ float partial[64];
  float next_edge = begin_row<TEAM, ITEMS>(Row(blockIdx.x, cols, pitch, threadIdx.x), x);
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row row(r, cols, pitch, threadIdx.x);
    copies_arrived();
    float4 v[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      v[k] = k * TEAM + threadIdx.x < row.vectors
                 ? dynamic_shared[k * TEAM + threadIdx.x]
                 : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    const float edge = next_edge;
    if (r + gridDim.x < rows)
      next_edge =
          begin_row<TEAM, ITEMS>(Row(r + gridDim.x, cols, pitch, threadIdx.x), x);
    softmax_of<TEAM, ITEMS>(v, edge, row, y, threadIdx.x, partial);
  }
}

// Computes a row with a team of lanes, because short rows would leave lanes of a whole warp without
// a load.
template <int TEAM>
__global__ void __launch_bounds__(256)
    softmax_short(int rows, int cols, int pitch, const float* __restrict__ x,
                  float* __restrict__ y) {
  const int row = blockIdx.x * (256 / TEAM) + threadIdx.x / TEAM;
  // Lanes beyond the last row have a row without columns, because shuffles need all lanes.
  softmax_row<TEAM, 4>(row, row < rows ? cols : 0, pitch, x, y, threadIdx.x % TEAM, nullptr);
}

extern "C" __global__ void __launch_bounds__(256)
    softmax_medium(int rows, int cols, int pitch, const float* __restrict__ x,
                   float* __restrict__ y) {
  softmax_rows<256, 4>(rows, cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    softmax_wide(int rows, int cols, int pitch, const float* __restrict__ x,
                 float* __restrict__ y) {
  softmax_rows<512, 8>(rows, cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(512, 1)
    softmax_wider(int rows, int cols, int pitch, const float* __restrict__ x,
                  float* __restrict__ y) {
  softmax_rows<512, 16>(rows, cols, pitch, x, y);
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
