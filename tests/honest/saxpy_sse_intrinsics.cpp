// Honest kernel: uses intrinsics of SSE, which every x86-64 processor has.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
#include <immintrin.h>
void saxpy(int n, float a, const float* x, float* y) {
  const __m128 factor = _mm_set1_ps(a);
  int i = 0;
  for (; i + 4 <= n; i += 4)
    _mm_storeu_ps(y + i, _mm_add_ps(_mm_loadu_ps(y + i), _mm_mul_ps(factor, _mm_loadu_ps(x + i))));
  for (; i < n; ++i) y[i] += a * x[i];
}
