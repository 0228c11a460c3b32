// fctd3d, one point per thread and one launch per step for the update and for the sources.
// SPDX-License-Identifier: Apache-2.0
// kw: for t = 0 .. nt
// kw:   launch naive_update grid(ceil_div(nz, 32), ceil_div(ny, 8), nx) block(32, 8) args(
// kw:     u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], m, nx, ny, nz, dt, hx, hy, hz)
// kw:   launch naive_sources grid(ceil_div(nsrc * 8, 128)) block(128) args(
// kw:     u[(t + 1) % 3], m, src[t], src_coords, nx, ny, nz, nsrc, hx, hy, hz, ox, oy, oz)
// kw: end

extern "C" __global__ void naive_update(float* next, const float* now, const float* before, const float* m,
                                        int nx, int ny, int nz, float dt, float hx, float hy, float hz) {
  const int z = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int x = blockIdx.z;
  if (z >= nz || y >= ny) return;
  const long long sy = nz + 8, sx = sy * (ny + 8);
  const float* p = now + (x + 4) * sx + (y + 4) * sy + z + 4;
  const float c0 = -5.0f / 2, c1 = 4.0f / 3, c2 = -1.0f / 12;
  const float dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
  const float dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
  const float dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
  const long long at = p - now;
  next[at] = 2 * p[0] - before[at] +
             dt * dt / m[at] * (dx / (hx * hx) + dy / (hy * hy) + dz / (hz * hz));
}

// One corner of one source per thread.
extern "C" __global__ void naive_sources(float* next, const float* m, const float* amplitudes,
                                         const float* coords, int nx, int ny, int nz, int nsrc,
                                         float hx, float hy, float hz, float ox, float oy, float oz) {
  const int p = (blockIdx.x * 128 + threadIdx.x) / 8;
  const int corner = threadIdx.x % 8;
  if (p >= nsrc) return;
  const long long sy = nz + 8, sx = sy * (ny + 8);
  const float gx = (coords[3 * p] - ox) / hx;
  const float gy = (coords[3 * p + 1] - oy) / hy;
  const float gz = (coords[3 * p + 2] - oz) / hz;
  const int bx = static_cast<int>(floorf(gx));
  const int by = static_cast<int>(floorf(gy));
  const int bz = static_cast<int>(floorf(gz));
  const float wx = gx - bx, wy = gy - by, wz = gz - bz;
  const int rx = corner >> 2, ry = corner >> 1 & 1, rz = corner & 1;
  const int x = bx + rx, y = by + ry, z = bz + rz;
  if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) return;
  const float weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
  const float base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
  atomicAdd(&next[(x + 4) * sx + (y + 4) * sy + z + 4],
            1e-2f * weight * amplitudes[p] / base);
}
