// The truth of histogram on a GPU: pieces of x, each counted key by key by the thread of that key.
// SPDX-License-Identifier: Apache-2.0
// kw: let PIECE = 16384
// kw: fill h with 0
// kw: launch histogram_truth grid(ceil_div(n, PIECE)) block(256) args(n, x, h)

extern "C" __global__ void histogram_truth(int n, const unsigned char* x, int* h) {
  const long long from = static_cast<long long>(blockIdx.x) * PIECE;
  const int many = n - from < PIECE ? static_cast<int>(n - from) : PIECE;
  int count = 0;
  for (int i = 0; i < many; ++i) count += x[from + i] == threadIdx.x;
  atomicAdd(&h[threadIdx.x], count);
}
