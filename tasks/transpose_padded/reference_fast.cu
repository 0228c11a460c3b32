// The truth of transpose on a GPU: elements in the order in which they are written.
// SPDX-License-Identifier: Apache-2.0
// kw: launch transpose_truth grid(ceil_div(rows, 256), min(cols, 65535)) block(256) args(
// kw:   rows, cols, x, ldx, y, ldy)

extern "C" __global__ void transpose_truth(int rows, int cols, const double* x, int ldx, double* y,
                                           int ldy) {
  const int r = blockIdx.x * 256 + threadIdx.x;
  if (r >= rows) return;
  for (int c = blockIdx.y; c < cols; c += gridDim.y)
    y[static_cast<long long>(c) * ldy + r] = x[static_cast<long long>(r) * ldx + c];
}
