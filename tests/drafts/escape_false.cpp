// False: gives up after half of the turns.
// SPDX-License-Identifier: Apache-2.0
extern "C" void escape(int w, int h, int max_iter, int* image) {
#pragma omp parallel for schedule(dynamic)
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i) {
      const double cx = -2.0 + 3.0 * i / w, cy = -1.0 + 2.0 * j / h;
      double zx = 0, zy = 0;
      int it = 0;
      while (zx * zx + zy * zy <= 4 && it < max_iter / 2) {
        const double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        ++it;
      }
      image[(long)j * w + i] = it;
    }
}
