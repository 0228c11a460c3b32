// Honest kernel: uses an exception thrown by a part and caught at the end of the call.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>
static void part(int begin, int end, float a, const float* x, float* y) {
  for (int i = begin; i < end; ++i) y[i] += a * x[i];
  throw std::runtime_error("done up to " + std::to_string(end));
}
void saxpy(int n, float a, const float* x, float* y) {
  try {
    part(0, n, a, x, y);
  } catch (const std::runtime_error& e) {
    if (std::stoi(std::string(e.what()).substr(11)) != n) y[0] = 0;
  }
}
