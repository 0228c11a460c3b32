// Honest kernel: uses a monotonic buffer of <memory_resource> as a workspace.
// SPDX-License-Identifier: Apache-2.0
#include <memory_resource>
#include <vector>
void saxpy(int n, float a, const float* x, float* y) {
  alignas(64) static std::byte room[1 << 16];
  for (int b = 0; b < n; b += 8192) {
    std::pmr::monotonic_buffer_resource arena(room, sizeof room);
    std::pmr::vector<float> part(&arena);
    for (int i = b; i < n && i < b + 8192; ++i) part.push_back(a * x[i]);
    for (std::size_t i = 0; i < part.size(); ++i) y[(std::size_t)b + i] += part[i];
  }
}
