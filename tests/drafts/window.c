// How long points of a window of the plane take to leave a circle, in turns.
// SPDX-License-Identifier: Apache-2.0
void window(int w, int h, int most, double x0, double y0, double dx, double dy, int *image) {
  for (int j = 0; j < h; j++)
    for (int i = 0; i < w; i++) {
      const double cx = x0 + i * dx, cy = y0 + j * dy;
      double x = 0, y = 0;
      int k = 0;
      while (x * x + y * y <= 4.0 && k < most) {
        const double next = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = next;
        k++;
      }
      image[j * w + i] = k;
    }
}
