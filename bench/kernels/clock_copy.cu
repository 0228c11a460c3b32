// Copies like bench/tasks/clock, four elements for each thread, and then sleeps for about `wait` ns.
// It cannot wait until an exact time, since only the referee and trusted code may read the timer.
// SPDX-License-Identifier: Apache-2.0
// kw: launch clock_copy grid(ceil_div(n, 1024)) block(256) args(n, wait, x, y)

extern "C" __global__ void __launch_bounds__(256)
    clock_copy(int n, int wait, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = blockIdx.x * 1024LL + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (const long long i = first + 256 * k; i < n) y[i] = x[i];
  for (int slept = 0; slept < wait; slept += 500) __nanosleep(500);
}
