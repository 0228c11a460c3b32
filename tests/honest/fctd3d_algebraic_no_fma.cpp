// Honest kernel: computes the update as 2u - u_prev + dt^2 Lap(u) / m, every operation rounded.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// slow
#pragma GCC optimize("fp-contract=off")
#include <math.h>
#include <stddef.h>

void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const float c0 = -5.0f / 2, c1 = 4.0f / 3, c2 = -1.0f / 12;
  const float rx2 = dt * dt / (hx * hx), ry2 = dt * dt / (hy * hy), rz2 = dt * dt / (hz * hz);
  for (int t = 0; t < nt; ++t) {
    const float* now = u + (t % 3) * level;
    const float* before = u + ((t + 2) % 3) * level;
    float* next = u + ((t + 1) % 3) * level;
#pragma omp parallel for
    for (int x = 0; x < nx; ++x) {
      for (int y = 0; y < ny; ++y) {
        const ptrdiff_t row = (x + 4) * sx + (y + 4) * sy + 4;
        for (int z = 0; z < nz; ++z) {
          const ptrdiff_t i = row + z;
          const float* p = now + i;
          const float dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
          const float dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
          const float dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
          next[i] = 2 * p[0] - before[i] + (dx * rx2 + dy * ry2 + dz * rz2) / m[i];
        }
      }
    }
    for (int p = 0; p < nsrc; ++p) {
      const float gx = (src_coords[3 * p] - ox) / hx;
      const float gy = (src_coords[3 * p + 1] - oy) / hy;
      const float gz = (src_coords[3 * p + 2] - oz) / hz;
      const int bx = (int)floorf(gx), by = (int)floorf(gy), bz = (int)floorf(gz);
      const float wx = gx - bx, wy = gy - by, wz = gz - bz;
      for (int corner = 0; corner < 8; ++corner) {
        const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
        const int x = bx + rx, y = by + ry, z = bz + rz;
        if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
        const float weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
        const float base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
        next[(x + 4) * sx + (y + 4) * sy + z + 4] +=
            1e-2f * weight * src[(ptrdiff_t)t * nsrc + p] / base;
      }
    }
  }
}
