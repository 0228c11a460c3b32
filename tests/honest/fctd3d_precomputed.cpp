// Honest kernel: divides dt² by m once per call into a workspace that lives on, and blocks the update in x.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// slow
// until: measure
#include <math.h>
#include <stddef.h>

#include <vector>
static std::vector<float> scale;
void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const float rx = 1 / (hx * hx), ry = 1 / (hy * hy), rz = 1 / (hz * hz);
  scale.resize((size_t)level);
#pragma omp parallel for
  for (ptrdiff_t i = 0; i < level; ++i) scale[(size_t)i] = dt * dt / m[i];
  for (int t = 0; t < nt; ++t) {
    const float* now = u + (t % 3) * level;
    const float* before = u + ((t + 2) % 3) * level;
    float* next = u + ((t + 1) % 3) * level;
#pragma omp parallel for collapse(2)
    for (int x = 4; x < nx + 4; ++x)
      for (int y = 4; y < ny + 4; ++y)
        for (ptrdiff_t z = 4; z < nz + 4; ++z) {
          const ptrdiff_t i = x * sx + y * sy + z;
          const auto second = [&](ptrdiff_t s) {
            return -2.5f * now[i] + 4.0f / 3 * (now[i + s] + now[i - s]) -
                   1.0f / 12 * (now[i + 2 * s] + now[i - 2 * s]);
          };
          next[i] = 2 * now[i] - before[i] +
                    scale[(size_t)i] * (second(sx) * rx + second(sy) * ry + second(1) * rz);
        }
    for (int p = 0; p < nsrc; ++p) {
      const float gx = (src_coords[3 * p] - ox) / hx, gy = (src_coords[3 * p + 1] - oy) / hy;
      const float gz = (src_coords[3 * p + 2] - oz) / hz;
      const int bx = (int)floorf(gx), by = (int)floorf(gy), bz = (int)floorf(gz);
      const float wx[2] = {1 - (gx - bx), gx - bx}, wy[2] = {1 - (gy - by), gy - by};
      const float wz[2] = {1 - (gz - bz), gz - bz};
      const float strength =
          1e-2f * src[(ptrdiff_t)t * nsrc + p] / m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
      for (int c = 0; c < 8; ++c) {
        const int x = bx + (c >> 2), y = by + (c >> 1 & 1), z = bz + (c & 1);
        if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
        next[(x + 4) * sx + (y + 4) * sy + z + 4] +=
            strength * wx[c >> 2] * wy[c >> 1 & 1] * wz[c & 1];
      }
    }
  }
}
