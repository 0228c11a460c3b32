// The baseline: computes 103 Newton iterations, 3 % more than the candidate.
// SPDX-License-Identifier: Apache-2.0
void threepercent(int n, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int block = 0; block < n; block += 128) {
    const int width = n - block < 128 ? n - block : 128;
    float v[128];
    for (int i = 0; i < width; ++i) v[i] = 1.0f;
    for (int k = 0; k < 103; ++k)
      for (int i = 0; i < width; ++i) v[i] = 0.5f * (v[i] + x[block + i] / v[i]);
    for (int i = 0; i < width; ++i) y[block + i] = v[i];
  }
}
