// An honest kernel: y[i] = 2 x[i] for arguments (n, x, y).
// SPDX-License-Identifier: Apache-2.0
extern "C" void kw_entry(void* const* args) {
  const int n = *static_cast<const int*>(args[0]);
  const float* x = *static_cast<const float* const*>(args[1]);
  float* y = *static_cast<float* const*>(args[2]);
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}
