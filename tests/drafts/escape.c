// How long points of a plane take to leave a circle, in turns.
// SPDX-License-Identifier: Apache-2.0
void escape(int w, int h, int max_iter, int *image) {
  for (int j = 0; j < h; j++)
    for (int i = 0; i < w; i++) {
      const double cx = -2.0 + 3.0 * i / w, cy = -1.0 + 2.0 * j / h;
      double zx = 0, zy = 0;
      int it = 0;
      while (zx * zx + zy * zy <= 4 && it < max_iter) {
        const double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        it++;
      }
      image[j * w + i] = it;
    }
}
