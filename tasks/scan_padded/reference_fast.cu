// The truth of scan on a GPU, in float64: each thread sums a run of neighbours one after another.
// SPDX-License-Identifier: Apache-2.0
// kw: let RUN = 16, PIECE = RUN * 256
// kw: let PIECES = ceil_div(cols, PIECE)
// kw: workspace totals f64 [rows, PIECES]
// kw: launch total_truth grid(PIECES, min(rows, 65535)) block(256) args(rows, cols, pitch, PIECES, x, totals)
// kw: launch carry_truth grid(rows) block(256) args(PIECES, totals)
// kw: launch scan_truth grid(PIECES, min(rows, 65535)) block(256) args(
// kw:   rows, cols, pitch, PIECES, x, totals, y)

// Prefix sums of one value per thread over a block of 256: the sum of all threads before this one.
// `total` becomes the sum of all.
static __device__ double before_in_block(double value, double* partial, double& total) {
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int far = 1; far < 256; far *= 2) {
    const double left = threadIdx.x >= far ? partial[threadIdx.x - far] : 0;
    __syncthreads();
    partial[threadIdx.x] += left;
    __syncthreads();
  }
  total = partial[255];
  const double before = threadIdx.x > 0 ? partial[threadIdx.x - 1] : 0;
  __syncthreads();
  return before;
}

extern "C" __global__ void total_truth(int rows, int cols, int pitch, int pieces, const double* x,
                                       double* totals) {
  __shared__ double partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE + threadIdx.x * RUN;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const double* in = x + static_cast<long long>(r) * pitch;
    double sum = 0, total;
    for (long long c = from; c < from + RUN && c < cols; ++c) sum += in[c];
    before_in_block(sum, partial, total);
    if (threadIdx.x == 0) totals[static_cast<long long>(r) * pieces + blockIdx.x] = total;
  }
}

extern "C" __global__ void carry_truth(int pieces, double* totals) {
  __shared__ double partial[256];
  double* row = totals + static_cast<long long>(blockIdx.x) * pieces;
  double carry = 0, total;
  for (int first = 0; first < pieces; first += 256) {
    const int p = first + threadIdx.x;
    const double value = p < pieces ? row[p] : 0;
    const double before = before_in_block(value, partial, total);
    if (p < pieces) row[p] = carry + before;
    carry += total;
  }
}

extern "C" __global__ void scan_truth(int rows, int cols, int pitch, int pieces, const double* x,
                                      const double* totals, double* y) {
  __shared__ double partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE + threadIdx.x * RUN;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const double* in = x + static_cast<long long>(r) * pitch;
    double* out = y + static_cast<long long>(r) * pitch;
    double sum = 0, total;
    for (long long c = from; c < from + RUN && c < cols; ++c) sum += in[c];
    sum = totals[static_cast<long long>(r) * pieces + blockIdx.x] +
          before_in_block(sum, partial, total);
    for (long long c = from; c < from + RUN && c < cols; ++c) out[c] = sum += in[c];
  }
}
