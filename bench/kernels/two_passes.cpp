// saxpy with a needless pass over y: correct, and clearly slower than the plain loop.
// SPDX-License-Identifier: Apache-2.0
void saxpy(int n, float a, const float* x, float* y) {
  volatile float* v = y;
  for (int i = 0; i < n; ++i) v[i] = v[i];
  for (int i = 0; i < n; ++i) v[i] = a * x[i] + v[i];
}
