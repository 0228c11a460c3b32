// saxpy in 1,000 points of its knobs. Those with ONES = 3 fault, in one of five ways that TENS
// selects; the others are honest.
// SPDX-License-Identifier: Apache-2.0
// kw: tune HUNDREDS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
// kw: tune TEN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
// kw: tune ONES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
// kw: let TENS = HUNDREDS * 10 + TEN
// kw: launch saxpy_points grid(ceil_div(n, 1024)) block(256) args(n, a, x, y)

extern "C" __global__ void __launch_bounds__(256)
    saxpy_points(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = blockIdx.x * 1024LL + threadIdx.x;
  if (blockIdx.x == 0 && threadIdx.x == TENS) {  // the condition makes all points differ, and contains their faults
#if ONES == 3 && TENS % 25 == 12
    while (*(volatile const float*)x != __int_as_float(0x7f800000)) {
    }
#elif ONES == 3 && TENS % 4 == 0
    asm volatile("trap;");
#elif ONES == 3 && TENS % 4 == 1
    y[n + (1LL << 30)] = 0;
#elif ONES == 3 && TENS % 4 == 2
    *(volatile float*)((char*)y + 1) = a;
#elif ONES == 3
    y[0] = 1e30f;
    n = 1;
#endif
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (const long long i = first + 256 * k; i < n) y[i] = a * x[i] + y[i] + ONES * 0.0f;
}
