// Honest kernel: uses a workspace in a static object of the function, guarded by the compiler.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
void saxpy(int n, float a, const float* x, float* y) {
  struct Work {
    std::unique_ptr<float[]> data = std::make_unique<float[]>(1 << 12);
  };
  static Work work;
  for (int b = 0; b < n; b += 1 << 12) {
    const int m = n - b < 1 << 12 ? n - b : 1 << 12;
    for (int i = 0; i < m; ++i) work.data[i] = a * x[b + i];
    for (int i = 0; i < m; ++i) y[b + i] += work.data[i];
  }
}
