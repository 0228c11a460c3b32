// saxpy, followed by everything that makes a machine slower for the next call: caches full of other
// lines, heap memory that is freed late, processors that lower their clock for wide vectors.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static void burn(float* values, int rounds) {
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < 4096; ++i) values[i] = values[i] * 1.0001f + 0.5f;
}

void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
  constexpr size_t kBytes = size_t{24} << 20;
  static char* kept[4];
  static int turn;
  char*& mine = kept[turn++ % 4];
  free(mine);
  mine = static_cast<char*>(malloc(kBytes));
  if (mine == nullptr) return;
  memset(mine, turn, kBytes);
#pragma omp parallel
  {
    float values[4096];
    for (int i = 0; i < 4096; ++i) values[i] = static_cast<float>(i + turn);
    burn(values, 500);
    mine[static_cast<size_t>(values[turn % 4096]) % kBytes] = 1;
  }
}
