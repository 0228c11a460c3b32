#define PLANES 16
// kw: tune PLANES = 16
// kw: for t = 0 .. nt
// kw:   launch update grid(ceil_div(nz, 32), ceil_div(ny, 8), ceil_div(nx, PLANES)) block(32, 8) args(
// kw:     u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], m, nx, ny, nz, dt, hx, hy, hz)
// kw:   launch sources grid(ceil_div(nsrc * 8, 128)) block(128) args(
// kw:     u[(t + 1) % 3], m, src[t], src_coords, nx, ny, nz, nsrc, hx, hy, hz, ox, oy, oz)
// kw: end

extern "C" __global__ void __launch_bounds__(256)
    update(float* __restrict__ next, const float* __restrict__ now, const float* __restrict__ before,
           const float* __restrict__ m, int nx, int ny, int nz, float dt, float hx, float hy, float hz) {
  const int z = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (z >= nz || y >= ny) return;
  const int sy = nz + 8, sx = sy * (ny + 8);
  const int x0 = blockIdx.z * PLANES, x1 = min(x0 + PLANES, nx);
  const float c0 = -2.5f, c1 = 4.0f / 3, c2 = -1.0f / 12;
  const float rx = 1 / (hx * hx), ry = 1 / (hy * hy), rz = 1 / (hz * hz);
  long long at = (long long)(x0 + 4) * sx + (y + 4) * sy + z + 4;
  float a = now[at - 2 * sx], b = now[at - sx], c = now[at], d = now[at + sx];
  for (int x = x0; x < x1; ++x, at += sx) {
    const float e = now[at + 2 * sx];
    const float dx = c0 * c + c1 * (b + d) + c2 * (a + e);
    const float dy = c0 * c + c1 * (now[at - sy] + now[at + sy]) + c2 * (now[at - 2 * sy] + now[at + 2 * sy]);
    const float dz = c0 * c + c1 * (now[at - 1] + now[at + 1]) + c2 * (now[at - 2] + now[at + 2]);
    next[at] = 2 * c - before[at] + __fdividef(dt * dt, m[at]) * (dx * rx + dy * ry + dz * rz);
    a = b;
    b = c;
    c = d;
    d = e;
  }
}

extern "C" __global__ void sources(float* next, const float* m, const float* amplitudes, const float* coords, int nx,
                                   int ny, int nz, int nsrc, float hx, float hy, float hz, float ox, float oy,
                                   float oz) {
  const int p = (blockIdx.x * 128 + threadIdx.x) / 8, corner = threadIdx.x % 8;
  if (p >= nsrc) return;
  const long long sy = nz + 8, sx = sy * (ny + 8);
  const float gx = (coords[3 * p] - ox) / hx, gy = (coords[3 * p + 1] - oy) / hy, gz = (coords[3 * p + 2] - oz) / hz;
  const int bx = (int)floorf(gx), by = (int)floorf(gy), bz = (int)floorf(gz);
  const float wx = gx - bx, wy = gy - by, wz = gz - bz;
  const int rx = corner >> 2, ry = corner >> 1 & 1, rz = corner & 1;
  const int x = bx + rx, y = by + ry, z = bz + rz;
  if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) return;
  const float weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
  const float base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
  atomicAdd(&next[(x + 4) * sx + (y + 4) * sy + z + 4], 1e-2f * weight * amplitudes[p] / base);
}
