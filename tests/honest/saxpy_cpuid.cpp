// Honest kernel: reads the size of a cache line by the instruction cpuid.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
#include <cpuid.h>
void saxpy(int n, float a, const float* x, float* y) {
  unsigned eax = 1, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  const int line = (int)((ebx >> 8 & 0xff) * 8), block = line > 0 ? line * 16 : 1024;
  for (int b = 0; b < n; b += block)
    for (int i = b; i < n && i < b + block; ++i) y[i] += a * x[i];
}
