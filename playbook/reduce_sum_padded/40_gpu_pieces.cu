// reduce_sum with as many threads as a row's length suggests: eight lanes, a warp, a block, or many
// blocks, of which the last to finish adds up the parts.
// SPDX-License-Identifier: Apache-2.0
// kw: technique loads in flight, vectorization, warp shuffles, single pass reduction
// kw: tune THREADS = 256, 512, 128
// kw: tune VECTORS = 8, 4, 16
// kw: tune PIECE_TURNS = 8, 4, 16
// kw: let PIECE = THREADS * VECTORS * 4 * PIECE_TURNS
// kw: when cols <= 64
// kw:   launch sum_narrow grid(ceil_div(rows, 128)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols <= 512
// kw:   launch sum_short grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, x, y)
// kw: else when rows >= 4 * sms || cols <= 65536
// kw:   launch sum_rows grid(rows) block(THREADS) args(cols, pitch, x, y)
// kw: else
// kw:   let PIECES = ceil_div(cols, PIECE)
// kw:   workspace parts f32 [rows, PIECES]
// kw:   workspace ready u32 [rows] zeroed
// kw:   launch sum_pieces grid(PIECES, rows) block(THREADS) args(cols, pitch, x, parts, ready, y)
// kw: end

// A run of elements that may begin anywhere: single elements up to a multiple of sixteen bytes,
// then vectors, then single elements.
struct Run {
  const float* single;  // the element of thread `tid`, or null
  const float4* vectors;
  int many;

  __device__ Run(const float* from, long long at, int length, int tid) {
    const int head = min(length, static_cast<int>(-at & 3));
    many = (length - head) / 4;
    vectors = reinterpret_cast<const float4*>(from + head);
    const int tail = length - head - 4 * many;
    single = tid < head                    ? from + tid
             : tid >= 4 && tid < 4 + tail ? from + length - tail + tid - 4
                                          : nullptr;
  }
  __device__ float edge() const { return single != nullptr ? __ldcs(single) : 0.0f; }
};

static __device__ __forceinline__ float sum_of(float4 v) { return v.x + v.y + (v.z + v.w); }

// All loads of ROWS rows of at most LANES * ITEMS * 4 columns are under way before the first is used.
template <int LANES, int ITEMS, int ROWS>
static __device__ __forceinline__ void sum_groups(int rows, int cols, int pitch, const float* x,
                                                  float* y) {
  const int lane = threadIdx.x % LANES;
  const long long first = blockIdx.x * (256LL / LANES * ROWS) + threadIdx.x / LANES;
  float4 v[ROWS][ITEMS];
  float edge[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const long long r = first + i * (256 / LANES);
    const bool is_row = r < rows;
    const long long at = is_row ? r * pitch : 0;
    const Run run(x + at, at, is_row ? cols : 0, lane);
    edge[i] = run.edge();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      v[i][k] = k * LANES + lane < run.many ? __ldcs(run.vectors + k * LANES + lane)
                                            : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    float sum = edge[i];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) sum += sum_of(v[i][k]);
#pragma unroll
    for (int far = LANES / 2; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
    const long long r = first + i * (256 / LANES);
    if (lane == 0 && r < rows) y[r] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(256)
    sum_narrow(int rows, int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  sum_groups<8, 2, 4>(rows, cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(256)
    sum_short(int rows, int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  sum_groups<32, 4, 1>(rows, cols, pitch, x, y);
}

// The sum of one value per thread, in thread 0.
static __device__ __forceinline__ float block_sum(float sum) {
  __shared__ float partial[THREADS / 32];
#pragma unroll
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x < THREADS / 32 ? partial[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32) {
#pragma unroll
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
  }
  return sum;
}

// The calling thread's part of a run's sum.
static __device__ __forceinline__ float part_of(const Run& run) {
  float sums[VECTORS] = {};
  int i = threadIdx.x;
  for (; i + (VECTORS - 1) * THREADS < run.many; i += VECTORS * THREADS) {
    float4 v[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) v[k] = __ldcs(run.vectors + i + k * THREADS);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) sums[k] += sum_of(v[k]);
  }
  for (; i < run.many; i += THREADS) sums[0] += sum_of(__ldcs(run.vectors + i));
  float sum = run.edge();
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) sum += sums[k];
  return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    sum_rows(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  const long long at = static_cast<long long>(blockIdx.x) * pitch;
  const float sum = block_sum(part_of(Run(x + at, at, cols, threadIdx.x)));
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

// The last block of a row adds up the row's parts, always in the same order.
extern "C" __global__ void __launch_bounds__(THREADS)
    sum_pieces(int cols, int pitch, const float* __restrict__ x, float* parts, unsigned* ready,
               float* __restrict__ y) {
  __shared__ bool is_last;
  const int from = blockIdx.x * PIECE;
  const long long at = static_cast<long long>(blockIdx.y) * pitch + from;
  const float part = block_sum(part_of(Run(x + at, at, min(PIECE, cols - from), threadIdx.x)));
  float* row = parts + static_cast<long long>(blockIdx.y) * gridDim.x;
  if (threadIdx.x == 0) {
    row[blockIdx.x] = part;
    __threadfence();
    is_last = atomicAdd(ready + blockIdx.y, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += THREADS) sum += __ldcg(row + i);
  __syncthreads();  // All threads have read the partial sums before they are overwritten.
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.y] = sum;
}
