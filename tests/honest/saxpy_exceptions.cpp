// Honest kernel: uses exceptions, the standard containers and a lambda, all within the call.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <vector>
void saxpy(int n, float a, const float* x, float* y) {
  const std::function<float(float, float)> update = [a](float u, float v) { return v + a * u; };
  std::vector<float> result(static_cast<std::size_t>(n));
  try {
    if (n < 4) throw std::length_error("short");
    std::transform(x, x + n, y, result.begin(), update);
    std::copy(result.begin(), result.end(), y);
  } catch (const std::exception&) {
    for (int i = 0; i < n; ++i) y[i] = update(x[i], y[i]);
  }
}
