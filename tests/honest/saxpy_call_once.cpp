// Honest kernel: fills a table once, by std::call_once.
// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <vector>
static std::once_flag once;
static std::vector<int> starts;
void saxpy(int n, float a, const float* x, float* y) {
  std::call_once(once, [] {
    for (int i = 0; i < 8; ++i) starts.push_back(i);
  });
  for (const int start : starts)
    for (int i = start; i < n; i += 8) y[i] += a * x[i];
}
