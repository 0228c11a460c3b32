// Honest kernel: moves tiles through shared memory whose padding column is never written.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: transpose_padded
// kw: launch transpose grid(ceil_div(cols, 32), ceil_div(rows, 32)) block(32, 8) args(rows, cols, x, ldx, y, ldy)
extern "C" __global__ void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int from = blockIdx.y * 32 + k;
    if (from < rows && c < cols) tile[k][threadIdx.x] = x[(long long)from * ldx + c];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int to = blockIdx.x * 32 + k;
    if (to < cols && r < rows) y[(long long)to * ldy + r] = tile[threadIdx.x][k];
  }
}
