// scan in three stages: totals of pieces of rows, what comes before each piece, and the sums.
// SPDX-License-Identifier: Apache-2.0
// kw: let PIECE = 4096
// kw: let PIECES = ceil_div(cols, PIECE)
// kw: workspace totals f32 [rows, PIECES]
// kw: launch piece_totals grid(PIECES, min(rows, 65535)) block(256) args(rows, cols, pitch, PIECES, x, totals)
// kw: launch scan_totals grid(rows) block(256) args(PIECES, totals)
// kw: launch scan_pieces grid(PIECES, min(rows, 65535)) block(256) args(
// kw:   rows, cols, pitch, PIECES, x, totals, y)

// Prefix sums of one value per thread over a block of 256: the sum of all threads before this one.
// `total` becomes the sum of all.
static __device__ float before_in_block(float value, float* partial, float& total) {
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    const float left = threadIdx.x >= far ? partial[threadIdx.x - far] : 0;
    __syncthreads();
    partial[threadIdx.x] += left;
    __syncthreads();
  }
  total = partial[255];
  const float before = threadIdx.x > 0 ? partial[threadIdx.x - 1] : 0;
  __syncthreads();
  return before;
}

extern "C" __global__ void piece_totals(int rows, int cols, int pitch, int pieces, const float* x,
                                        float* totals) {
  __shared__ float partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const float* in = x + static_cast<long long>(r) * pitch;
    float sum = 0, total;
    for (long long c = from + threadIdx.x; c < from + PIECE && c < cols; c += 256) sum += in[c];
    before_in_block(sum, partial, total);
    if (threadIdx.x == 0) totals[static_cast<long long>(r) * pieces + blockIdx.x] = total;
  }
}

// Each total becomes what comes before its piece.
extern "C" __global__ void scan_totals(int pieces, float* totals) {
  __shared__ float partial[256];
  float* row = totals + static_cast<long long>(blockIdx.x) * pieces;
  float carry = 0, total;
  for (int first = 0; first < pieces; first += 256) {
    const int p = first + threadIdx.x;
    const float value = p < pieces ? row[p] : 0;
    const float before = before_in_block(value, partial, total);
    if (p < pieces) row[p] = carry + before;
    carry += total;
  }
}

extern "C" __global__ void scan_pieces(int rows, int cols, int pitch, int pieces, const float* x,
                                       const float* totals, float* y) {
  __shared__ float partial[256];
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const float* in = x + static_cast<long long>(r) * pitch;
    float* out = y + static_cast<long long>(r) * pitch;
    float carry = totals[static_cast<long long>(r) * pieces + blockIdx.x], total;
    for (int k = 0; k < PIECE / 256; ++k) {
      const long long c = static_cast<long long>(blockIdx.x) * PIECE + k * 256 + threadIdx.x;
      const float value = c < cols ? in[c] : 0;
      const float before = before_in_block(value, partial, total);
      if (c < cols) out[c] = carry + before + value;
      carry += total;
    }
  }
}
