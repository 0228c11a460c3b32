// Right: rows shared among threads, with the way out in the middle of the loop.
// SPDX-License-Identifier: Apache-2.0
extern "C" void escape(int w, int h, int max_iter, int* image) {
#pragma omp parallel for schedule(dynamic)
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i) {
      const double cx = -2.0 + 3.0 * i / w, cy = -1.0 + 2.0 * j / h;
      double zx = 0, zy = 0;
      int it = 0;
      for (; it < max_iter; ++it) {
        if (zx * zx + zy * zy > 4) break;
        const double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
      }
      image[(long)j * w + i] = it;
    }
}
