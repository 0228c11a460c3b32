// Honest kernel: has resident blocks that take piece after piece from a counter, in any order.
// SPDX-License-Identifier: Apache-2.0
// kw: workspace ticket u32 [1] zeroed
// kw: launch saxpy grid(2 * sms) block(256) args(n, a, x, y, ticket)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y, unsigned* ticket) {
  __shared__ unsigned mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
    __syncthreads();
    const long long from = (long long)mine * 4096;
    __syncthreads();
    if (from >= n) return;
    for (long long i = from + threadIdx.x; i < n && i < from + 4096; i += 256) y[i] += a * x[i];
  }
}
