// Honest kernel: has knobs, macros derived from knobs, and a requirement.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
// kw: tune UNROLL = 4, 8, 16
// kw: tune CHUNK = 1024, 4096
// kw: let STEP = UNROLL * 8
// kw: require STEP <= CHUNK
void saxpy(int n, float a, const float* x, float* y) {
  for (int first = 0; first < n; first += CHUNK) {
    const int end = first + CHUNK < n ? first + CHUNK : n;
    int i = first;
    for (; i + STEP <= end; i += STEP)
#pragma GCC unroll 64
      for (int j = 0; j < STEP; ++j) y[i + j] += a * x[i + j];
    for (; i < end; ++i) y[i] += a * x[i];
  }
}
