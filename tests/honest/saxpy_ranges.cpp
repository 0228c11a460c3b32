// Honest kernel: uses views of <ranges> and std::span.
// SPDX-License-Identifier: Apache-2.0
#include <ranges>
#include <span>
void saxpy(int n, float a, const float* x, float* y) {
  const std::span<const float> from(x, (std::size_t)n);
  const std::span<float> to(y, (std::size_t)n);
  for (const std::size_t i : std::views::iota(std::size_t{0}, from.size())) to[i] += a * from[i];
}
