// Honest kernel: uses a std::vector at namespace scope as a workspace.
// SPDX-License-Identifier: Apache-2.0
#include <vector>
static std::vector<float> work(64);
void saxpy(int n, float a, const float* x, float* y) {
  if (work.size() < (std::size_t)n) work.resize((std::size_t)n);
  for (int i = 0; i < n; ++i) work[(std::size_t)i] = a * x[i];
  for (int i = 0; i < n; ++i) y[i] += work[(std::size_t)i];
}
