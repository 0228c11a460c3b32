// A copy that ends no earlier than `wait` ns after it began, by the GPU's own timer.
// SPDX-License-Identifier: Apache-2.0
// kw: launch clock_wait grid(ceil_div(n, 1024)) block(256) args(n, wait, x, y)

extern "C" __global__ void __launch_bounds__(256)
    clock_wait(int n, int wait, const float* __restrict__ x, float* __restrict__ y) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  const long long first = blockIdx.x * 1024LL + threadIdx.x;
  for (long long i = first; i < first + 1024 && i < n; i += 256) y[i] = x[i];
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < (unsigned long long)wait);
}
