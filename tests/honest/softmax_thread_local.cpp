// Honest kernel: has buffers for each thread that live as long as the threads.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// until: measure
#include <math.h>

#include <vector>
static thread_local std::vector<float> row;
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for schedule(static, 4)
  for (int r = 0; r < rows; ++r) {
    row.assign(x + (long)r * pitch, x + (long)r * pitch + cols);
    float largest = row[0], sum = 0;
    for (const float v : row) largest = v > largest ? v : largest;
    for (float& v : row) sum += v = expf(v - largest);
    for (int c = 0; c < cols; ++c) y[(long)r * pitch + c] = row[(std::size_t)c] / sum;
  }
}
