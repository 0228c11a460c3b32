// Honest kernel: has clocks, files and fast arithmetic in code that is not compiled.
// SPDX-License-Identifier: Apache-2.0
#ifdef DEBUG
#include <stdio.h>
#include <time.h>
#include "/etc/passwd"
#endif
#if 0
#pragma GCC optimize("Ofast")
__attribute__((constructor)) static void first() { fopen("/tmp/x", "w"); }
#endif
void saxpy(int n, float a, const float* x, float* y) {
#ifdef DEBUG
  const long began = __rdtsc();
  printf("%ld\n", clock() - began);
#endif
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
