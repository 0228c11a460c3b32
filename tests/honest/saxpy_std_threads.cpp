// Honest kernel: has threads that are started and joined within the call.
// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <vector>
void saxpy(int n, float a, const float* x, float* y) {
  const int k = 2;
  std::vector<std::thread> team;
  for (int t = 0; t < k; ++t)
    team.emplace_back([=] {
      for (int i = (long)n * t / k; i < (long)n * (t + 1) / k; ++i) y[i] += a * x[i];
    });
  for (std::thread& thread : team) thread.join();
}
