// rmsnorm by persistent blocks: a row is computed in registers while the next one arrives in shared
// memory, and the weight is read once.
// SPDX-License-Identifier: Apache-2.0
// kw: technique persistent blocks, asynchronous copies, software pipelining, register tiling, warp shuffles
// kw: tune PER_SM = 2, 1
// kw: tune MEDIUM_PER_SM = 4, 6
// kw: when cols / 4 <= 8 * 4
// kw:   launch rmsnorm_short<8> grid(ceil_div(rows, 32)) block(256) args(rows, cols, pitch, eps, x, w, y)
// kw: else when cols / 4 <= 16 * 4
// kw:   launch rmsnorm_short<16> grid(ceil_div(rows, 16)) block(256) args(rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 512
// kw:   launch rmsnorm_short<32> grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 4 == 0 && cols <= 4096
// kw:   launch rmsnorm_medium grid(min(rows, sms * MEDIUM_PER_SM)) block(256) shared(4 * 256 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 4 == 0 && cols <= 8192
// kw:   launch rmsnorm_wide grid(min(rows, sms * PER_SM)) block(256) shared(8 * 256 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else when pitch % 4 == 0 && cols <= 8 * 1024 * 4 && shared_max >= 8 * 1024 * 16
// kw:   launch rmsnorm_wider grid(min(rows, sms)) block(1024) shared(8 * 1024 * 16) args(
// kw:     rows, cols, pitch, eps, x, w, y)
// kw: else when cols <= 8 * 1024 * 4
// kw:   launch rmsnorm_shifted grid(rows) block(1024) args(cols, pitch, eps, x, w, y)
// kw: else
// kw:   launch rmsnorm_long grid(rows) block(1024) args(cols, pitch, eps, x, w, y)
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

// Each thread reads only the vectors that it has copied itself, so no barrier is needed.
template <int TEAM, int ITEMS>
static __device__ __forceinline__ float begin_row(const Row& row, const float* x) {
  const float4* from = reinterpret_cast<const float4*>(x + row.at);
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = k * TEAM + threadIdx.x;
    if (i < row.vectors) begin_copy(dynamic_shared + i, from + i);
  }
  return row.edge >= 0 ? x[row.at + row.edge] : 0.0f;
}

// Serves rows that begin at a whole vector. The first KEPT vectors of weight and bias of a thread's
// columns stay in registers.
template <int TEAM, int ITEMS, int KEPT>
static __device__ __forceinline__ void rmsnorm_rows(int rows, int cols, int pitch, float eps,
                                                   const float* x, const float* w, float* y) {
  __shared__ float partial[64];
  float next_edge = begin_row<TEAM, ITEMS>(Row(blockIdx.x, cols, pitch, threadIdx.x), x);
  float4 weight[KEPT];
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const int i = k * TEAM + threadIdx.x;
    weight[k] = i < cols / 4 ? columns(w, 0, i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const Row row(r, cols, pitch, threadIdx.x);
    copies_arrived();
    float4 v[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      v[k] = k * TEAM + threadIdx.x < row.vectors ? dynamic_shared[k * TEAM + threadIdx.x]
                                                  : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float edge = next_edge;
    if (r + gridDim.x < rows)
      next_edge =
          begin_row<TEAM, ITEMS>(Row(r + gridDim.x, cols, pitch, threadIdx.x), x);
    const float s =
        statistics_of<TEAM, ITEMS>(v, edge, row, cols, eps, threadIdx.x, partial);
    float4* to = reinterpret_cast<float4*>(y + row.at);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const int i = k * TEAM + threadIdx.x;
      if (i >= row.vectors) continue;
      if (k < KEPT) {
        to[i] = normalised(v[k], s, weight[k % KEPT]);
      } else {
        to[i] = normalised(v[k], s, columns(w, 0, i));
      }
    }
    if (row.edge >= 0) y[row.at + row.edge] = edge * s * w[row.edge];
    __syncthreads();  // Separates this row's sums from the next row's.
  }
}

// Computes a row with a team of lanes, because short rows would leave lanes of a whole warp without
// a load.
template <int TEAM>
__global__ void __launch_bounds__(256)
    rmsnorm_short(int rows, int cols, int pitch, float eps, const float* __restrict__ x,
                 const float* __restrict__ w, float* __restrict__ y) {
  const int row = blockIdx.x * (256 / TEAM) + threadIdx.x / TEAM;
  // Lanes beyond the last row have a row without columns, because shuffles need all lanes.
  rmsnorm_row<TEAM, 4>(row, row < rows ? cols : 0, pitch, eps, x, w, y, threadIdx.x % TEAM, nullptr);
}

extern "C" __global__ void __launch_bounds__(256)
    rmsnorm_medium(int rows, int cols, int pitch, float eps, const float* __restrict__ x,
                  const float* __restrict__ w, float* __restrict__ y) {
  rmsnorm_rows<256, 4, 4>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(256, 2)
    rmsnorm_wide(int rows, int cols, int pitch, float eps, const float* __restrict__ x,
                const float* __restrict__ w, float* __restrict__ y) {
  rmsnorm_rows<256, 8, 8>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    rmsnorm_wider(int rows, int cols, int pitch, float eps, const float* __restrict__ x,
                 const float* __restrict__ w, float* __restrict__ y) {
  rmsnorm_rows<1024, 8, 1>(rows, cols, pitch, eps, x, w, y);
}

extern "C" __global__ void __launch_bounds__(1024)
    rmsnorm_shifted(int cols, int pitch, float eps, const float* __restrict__ x,
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
