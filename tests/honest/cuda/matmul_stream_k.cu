// Honest kernel: uses Stream-K: as many blocks as multiprocessors share all k-iterations of all tiles evenly; the block
// that arrives last at a tile adds up its parts, always in the same order.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// kw: tune BM = 128, 64
// kw: tune BN = 128, 64
// kw: let BK = 16, SHARED = BK * (BM + BN) * 4
// kw: require SHARED <= shared_max
// kw: let TM = ceil_div(m, BM), TN = ceil_div(n, BN), TK = ceil_div(k, BK)
// kw: let TILES = batch * TM * TN, TURNS = TILES * TK
// kw: let WORKERS = min(sms, TURNS)
// kw: workspace partial f32 [2 * WORKERS, BM * BN]
// kw: workspace arrived u32 [TILES] zeroed
// kw: launch stream_k<BM, BN> grid(WORKERS) block(256) shared(SHARED) args(
// kw:   a, b, c, partial, arrived, m, n, k, lda, ldb, ldc, TM, TN, TK, i64(TURNS))

extern __shared__ float dynamic_shared[];

// The worker whose share contains this iteration: shares begin at worker * turns / workers.
static __device__ int worker_of(long long turn, long long turns) {
  return static_cast<int>(((turn + 1) * gridDim.x - 1) / turns);
}
static __device__ long long begin_of(int worker, long long turns) { return worker * turns / gridDim.x; }

// Each thread computes rows and columns of the tile that are 16 apart.
template <int M, int N>
__global__ void __launch_bounds__(256)
    stream_k(const float* a, const float* b, float* c, float* partial, unsigned* arrived, int m, int n, int k,
             int lda, int ldb, int ldc, int tiles_m, int tiles_n, int tiles_k, long long turns) {
  constexpr int ROWS = M / 16, COLUMNS = N / 16;
  float* tile_a = dynamic_shared;  // [BK][M]
  float* tile_b = dynamic_shared + BK * M;
  __shared__ int is_last;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int worker = blockIdx.x;
  const long long first = begin_of(worker, turns), end = begin_of(worker + 1, turns);
  for (long long turn = first; turn < end;) {
    const long long tile = turn / tiles_k, tile_begin = tile * tiles_k, tile_end = tile_begin + tiles_k;
    const long long until = end < tile_end ? end : tile_end;
    const int column0 = static_cast<int>(tile % tiles_n) * N;
    const int row0 = static_cast<int>(tile / tiles_n % tiles_m) * M;
    const long long matrix = tile / tiles_n / tiles_m;
    float sums[ROWS][COLUMNS] = {};
    for (long long t = turn; t < until; ++t) {
      const int k0 = static_cast<int>(t - tile_begin) * BK;
      for (int i = threadIdx.x; i < BK * M; i += 256) {
        const int row = row0 + i / BK, p = k0 + i % BK;
        tile_a[i % BK * M + i / BK] = row < m && p < k ? a[(matrix * m + row) * lda + p] : 0.0f;
      }
      for (int i = threadIdx.x; i < BK * N; i += 256) {
        const int p = k0 + i / N, column = column0 + i % N;
        tile_b[i] = p < k && column < n ? b[(matrix * k + p) * ldb + column] : 0.0f;
      }
      __syncthreads();
      for (int p = 0; p < BK; ++p) {
        float left[ROWS], right[COLUMNS];
#pragma unroll
        for (int i = 0; i < ROWS; ++i) left[i] = tile_a[p * M + i * 16 + y];
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) right[j] = tile_b[p * N + j * 16 + x];
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
          for (int j = 0; j < COLUMNS; ++j) sums[i][j] += left[i] * right[j];
      }
      __syncthreads();
    }
    bool writes = true;
    if (turn != tile_begin || until != tile_end) {
      // Partial sums of a worker's first tile go to its slot 0, those of its last tile to slot 1.
      const long long slot = 2 * worker + (turn == first ? 0 : 1);
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) partial[(slot * M + i * 16 + y) * N + j * 16 + x] = sums[i][j];
      __threadfence();
      __syncthreads();
      const int from = worker_of(tile_begin, turns), to = worker_of(tile_end - 1, turns);
      if (threadIdx.x == 0) is_last = atomicAdd(&arrived[tile], 1u) == static_cast<unsigned>(to - from);
      __syncthreads();
      writes = is_last != 0;
      if (writes) {
        __threadfence();
        for (int i = 0; i < ROWS; ++i)
          for (int j = 0; j < COLUMNS; ++j) sums[i][j] = 0;
        for (int w = from; w <= to; ++w) {
          const long long other = 2 * static_cast<long long>(w) + (begin_of(w, turns) >= tile_begin ? 0 : 1);
          for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < COLUMNS; ++j)
              sums[i][j] += __ldcg(&partial[(other * M + i * 16 + y) * N + j * 16 + x]);
        }
      }
      __syncthreads();  // all threads have read is_last before it is written again
    }
    if (writes)
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
          const int row = row0 + i * 16 + y, column = column0 + j * 16 + x;
          if (row < m && column < n) c[(matrix * m + row) * ldc + column] = sums[i][j];
        }
    turn = until;
  }
}
