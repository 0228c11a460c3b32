// transpose through a square tile in shared memory, so that both sides are read and written along rows.
// SPDX-License-Identifier: Apache-2.0
// kw: launch transpose_naive grid(ceil_div(cols, 32), ceil_div(rows, 32)) block(32, 32) args(
// kw:   rows, cols, x, ldx, y, ldy)

extern "C" __global__ void transpose_naive(int rows, int cols, const float* x, int ldx, float* y,
                                           int ldy) {
  __shared__ float tile[32][33];
  const int r = blockIdx.y * 32 + threadIdx.y;
  const int c = blockIdx.x * 32 + threadIdx.x;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = x[static_cast<long long>(r) * ldx + c];
  __syncthreads();
  const int to_row = blockIdx.x * 32 + threadIdx.y;
  const int to_col = blockIdx.y * 32 + threadIdx.x;
  if (to_row < cols && to_col < rows)
    y[static_cast<long long>(to_row) * ldy + to_col] = tile[threadIdx.x][threadIdx.y];
}
