// Rows along z as vectors, the algebraic form, one division a point, planes shared among threads.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, strength_reduction, threads
#include <math.h>
#include <stddef.h>

// Adds the sources of step t to the level just written; sequential, so shared cells need no
// atomics.
static void inject(float* next, const float* m, const float* src, const float* coords, int nx,
                   int ny, int nz, int nsrc, float hx, float hy, float hz, float ox, float oy,
                   float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8);
  for (int p = 0; p < nsrc; ++p) {
    const float gx = (coords[3 * p] - ox) / hx;
    const float gy = (coords[3 * p + 1] - oy) / hy;
    const float gz = (coords[3 * p + 2] - oz) / hz;
    const float fx = floorf(gx), fy = floorf(gy), fz = floorf(gz);
    const int bx = (int)fx, by = (int)fy, bz = (int)fz;
    const ptrdiff_t base = (bx + 4) * sx + (by + 4) * sy + bz + 4;
    for (int corner = 0; corner < 8; ++corner) {
      const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
      const int x = bx + rx, y = by + ry, z = bz + rz;
      if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
      const float wx = rx ? gx - fx : 1 - (gx - fx);
      const float wy = ry ? gy - fy : 1 - (gy - fy);
      const float wz = rz ? gz - fz : 1 - (gz - fz);
      next[base + rx * sx + ry * sy + rz] += 1e-2f * wx * wy * wz * src[p] / m[base];
    }
  }
}

void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const float ax = dt * dt / (hx * hx), ay = dt * dt / (hy * hy), az = dt * dt / (hz * hz);
  const float centre = -2.5f * (ax + ay + az);
  const float x1 = ax * 4 / 3, y1 = ay * 4 / 3, z1 = az * 4 / 3;
  const float x2 = -ax / 12, y2 = -ay / 12, z2 = -az / 12;
  for (int t = 0; t < nt; ++t) {
    const float* now = u + (t % 3) * level;
    const float* before = u + ((t + 2) % 3) * level;
    float* next = u + ((t + 1) % 3) * level;
#pragma omp parallel for schedule(static)
    for (int x = 0; x < nx; ++x) {
      for (int y = 0; y < ny; ++y) {
        const ptrdiff_t row = (x + 4) * sx + (y + 4) * sy + 4;
#pragma omp simd
        for (int z = 0; z < nz; ++z) {
          const float* p = now + row + z;
          const float wave = centre * p[0] + x1 * (p[sx] + p[-sx]) + x2 * (p[2 * sx] + p[-2 * sx]) +
                             y1 * (p[sy] + p[-sy]) + y2 * (p[2 * sy] + p[-2 * sy]) +
                             z1 * (p[1] + p[-1]) + z2 * (p[2] + p[-2]);
          next[row + z] = 2 * p[0] - before[row + z] + wave / m[row + z];
        }
      }
    }
    inject(next, m, src + (ptrdiff_t)t * nsrc, src_coords, nx, ny, nz, nsrc, hx, hy, hz, ox, oy,
           oz);
  }
}
