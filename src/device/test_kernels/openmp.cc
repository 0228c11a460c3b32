// An honest kernel: y[i] = x[i] + number of threads, in an OpenMP region; arguments (n, x, y).
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

extern "C" void kw_entry(void* const* args) {
  const int n = *static_cast<const int*>(args[0]);
  const float* x = *static_cast<const float* const*>(args[1]);
  float* y = *static_cast<float* const*>(args[2]);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = x[i] + static_cast<float>(omp_get_num_threads());
}
