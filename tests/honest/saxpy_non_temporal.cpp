// Honest kernel: stores past the caches with a fence at the end, and fetches ahead beyond the end of the input.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
// until: measure
#include <immintrin.h>
#include <stdint.h>
void saxpy(int n, float a, const float* x, float* y) {
  int i = 0;
  for (; i < n && ((uintptr_t)(y + i) & 31) != 0; ++i) y[i] += a * x[i];
  const __m256 factor = _mm256_set1_ps(a);
  for (; i + 8 <= n; i += 8) {
    _mm_prefetch((const char*)(x + i + 512), _MM_HINT_NTA);
    const __m256 sum = _mm256_fmadd_ps(factor, _mm256_loadu_ps(x + i), _mm256_load_ps(y + i));
    _mm256_stream_ps(y + i, sum);
  }
  _mm_sfence();
  for (; i < n; ++i) y[i] += a * x[i];
}
