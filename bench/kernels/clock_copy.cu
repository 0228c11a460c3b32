// The copy of bench/tasks/clock, four elements a thread; a block that has to wait does so afterwards.
// SPDX-License-Identifier: Apache-2.0
// kw: launch clock_copy grid(ceil_div(n, 1024)) block(256) args(n, wait, x, y)

extern "C" __global__ void __launch_bounds__(256)
    clock_copy(int n, int wait, const float* __restrict__ x, float* __restrict__ y) {
  unsigned long long begin = 0, now;
  if (wait > 0) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  const long long first = blockIdx.x * 1024LL + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (const long long i = first + 256 * k; i < n) y[i] = x[i];
  if (wait <= 0) return;
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < (unsigned long long)wait);
}
