// Honest kernel: has a constant whose bytes are those of rdtsc and syscall.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  volatile unsigned key = 0x050f310f;
  const unsigned seen = key ^ 0x050f310fu;
  for (int i = 0; i < n; ++i) y[i] += (a + (float)seen) * x[i];
}
