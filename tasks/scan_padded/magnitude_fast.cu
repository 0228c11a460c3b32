// The magnitude that the gate of scan is measured against, on a GPU: the root of the sum of squares of all partial
// sums and elements so far.
// SPDX-License-Identifier: Apache-2.0
// kw: let RUN = 16, PIECE = RUN * 256
// kw: let PIECES = ceil_div(cols, PIECE)
// kw: workspace sums f64 [rows, PIECES]
// kw: workspace squares f64 [rows, PIECES]
// kw: launch sums_of_pieces grid(PIECES, min(rows, 65535)) block(256) args(rows, cols, pitch, PIECES, x, sums)
// kw: launch carry grid(rows) block(256) args(PIECES, sums, null)
// kw: launch squares_of_pieces grid(PIECES, min(rows, 65535)) block(256) args(
// kw:   rows, cols, pitch, PIECES, x, sums, squares)
// kw: launch carry grid(rows) block(256) args(PIECES, squares, null)
// kw: launch roots grid(PIECES, min(rows, 65535)) block(256) args(
// kw:   rows, cols, pitch, PIECES, x, sums, squares, y)

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

extern "C" __global__ void sums_of_pieces(int rows, int cols, int pitch, int pieces,
                                          const double* x, double* sums) {
  __shared__ double partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE + threadIdx.x * RUN;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const double* in = x + static_cast<long long>(r) * pitch;
    double sum = 0, total;
    for (long long c = from; c < from + RUN && c < cols; ++c) sum += in[c];
    before_in_block(sum, partial, total);
    if (threadIdx.x == 0) sums[static_cast<long long>(r) * pieces + blockIdx.x] = total;
  }
}

// Each total becomes what comes before its piece; the root of the sum of all goes to `roots`, if there is one.
extern "C" __global__ void carry(int pieces, double* totals, double* roots) {
  __shared__ double partial[256];
  double* row = totals + static_cast<long long>(blockIdx.x) * pieces;
  double sum = 0, total;
  for (int first = 0; first < pieces; first += 256) {
    const int p = first + threadIdx.x;
    const double value = p < pieces ? row[p] : 0;
    const double before = before_in_block(value, partial, total);
    if (p < pieces) row[p] = sum + before;
    sum += total;
  }
  if (roots != nullptr && threadIdx.x == 0) roots[blockIdx.x] = sqrt(sum);
}

// The sum of squares of a run's elements and partial sums, the first of which is behind `sum`.
static __device__ double squares_of(const double* in, long long from, int cols, double sum) {
  double squares = 0;
  for (long long c = from; c < from + RUN && c < cols; ++c) {
    sum += in[c];
    squares += sum * sum + in[c] * in[c];
  }
  return squares;
}

static __device__ double sum_of(const double* in, long long from, int cols) {
  double sum = 0;
  for (long long c = from; c < from + RUN && c < cols; ++c) sum += in[c];
  return sum;
}

extern "C" __global__ void squares_of_pieces(int rows, int cols, int pitch, int pieces,
                                             const double* x, const double* sums,
                                             double* squares) {
  __shared__ double partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE + threadIdx.x * RUN;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const double* in = x + static_cast<long long>(r) * pitch;
    const long long at = static_cast<long long>(r) * pieces + blockIdx.x;
    double total;
    const double before =
        sums[at] + before_in_block(sum_of(in, from, cols), partial, total);
    before_in_block(squares_of(in, from, cols, before), partial, total);
    if (threadIdx.x == 0) squares[at] = total;
  }
}

extern "C" __global__ void roots(int rows, int cols, int pitch, int pieces, const double* x,
                                 const double* sums, const double* squares, double* y) {
  __shared__ double partial[256];
  const long long from = static_cast<long long>(blockIdx.x) * PIECE + threadIdx.x * RUN;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const double* in = x + static_cast<long long>(r) * pitch;
    double* out = y + static_cast<long long>(r) * pitch;
    const long long at = static_cast<long long>(r) * pieces + blockIdx.x;
    double total;
    double sum = sums[at] + before_in_block(sum_of(in, from, cols), partial, total);
    double square = squares[at] + before_in_block(squares_of(in, from, cols, sum), partial, total);
    for (long long c = from; c < from + RUN && c < cols; ++c) {
      sum += in[c];
      square += sum * sum + in[c] * in[c];
      out[c] = sqrt(square);
    }
  }
}
