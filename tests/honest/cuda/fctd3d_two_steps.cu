// Honest kernel: computes two time steps at once: a block computes u(t + 1) of its tile and of two points around it in shared memory, and
// u(t + 2) of its tile from there. The second one belongs where neighbours still read u(t - 1), so every second pair
// goes to a workspace; what lies around the field stays in u.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
// kw: tune BX = 32, 16
// kw: let BY = 8, BZ = 16, SHARED = (BX + 4) * (BY + 4) * (BZ + 4) * 4
// kw: let GX = ceil_div(nz, BX), GY = ceil_div(ny, BY), GZ = ceil_div(nx, BZ)
// kw: workspace pair f32 [2, nx + 8, ny + 8, nz + 8]
// kw: for t = 0 .. nt step 2
// kw:   when t % 4 == 0
// kw:     launch two_steps grid(GX, GY, GZ) block(BX, BY) shared(SHARED) args(
// kw:       u[(t + 2) % 3], u[t % 3], pair[0], pair[1], u[t % 3], u[(t + 1) % 3],
// kw:       struct(m, src[t], src[t + 1], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw:   else
// kw:     launch two_steps grid(GX, GY, GZ) block(BX, BY) shared(SHARED) args(
// kw:       pair[0], pair[1], u[(t + 1) % 3], u[(t + 2) % 3], u[t % 3], u[(t + 1) % 3],
// kw:       struct(m, src[t], src[t + 1], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw:   end
// kw:   launch sources_around grid(ceil_div(nsrc, 16)) block(128) args(u[(t + 1) % 3], u[(t + 2) % 3],
// kw:     struct(m, src[t], src[t + 1], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw: tail
// kw:   when t % 4 == 0
// kw:     launch one_step grid(GX, GY, nx) block(BX, BY) args(
// kw:       u[(t + 2) % 3], u[t % 3], u[(t + 1) % 3], u[t % 3],
// kw:       struct(m, src[t], src[t], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw:   else
// kw:     launch one_step grid(GX, GY, nx) block(BX, BY) args(
// kw:       pair[0], pair[1], u[(t + 1) % 3], u[t % 3],
// kw:       struct(m, src[t], src[t], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw:     launch interior grid(GX, GY, nx) block(BX, BY) args(pair[1], u[t % 3], nx, ny, nz)
// kw:   end
// kw:   launch sources_everywhere grid(ceil_div(nsrc, 16)) block(128) args(u[(t + 1) % 3],
// kw:     struct(m, src[t], src[t], src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz))
// kw: end
// kw: when nt % 4 == 2
// kw:   launch interior grid(GX, GY, nx) block(BX, BY) args(pair[0], u[(nt + 2) % 3], nx, ny, nz)
// kw:   launch interior grid(GX, GY, nx) block(BX, BY) args(pair[1], u[nt % 3], nx, ny, nz)
// kw: end

struct Medium {
  const float* m;
  const float* src;   // sources of the first step
  const float* src2;  // sources of the second step
  const float* coords;
  int nx, ny, nz, nsrc;
  float dt, hx, hy, hz, ox, oy, oz;
};

static __device__ bool is_inside(const Medium& f, int x, int y, int z) {
  return x >= 0 && x < f.nx && y >= 0 && y < f.ny && z >= 0 && z < f.nz;
}

static __device__ long long index_of(const Medium& f, int x, int y, int z) {
  return ((x + 4) * (f.ny + 8ll) + y + 4) * (f.nz + 8ll) + z + 4;
}

// Updates a point from its neighbours at distance one and two on each axis.
static __device__ float updated(const Medium& f, float centre, float before, float m, const float near[3],
                                const float far[3]) {
  const float rx = 1 / (f.hx * f.hx), ry = 1 / (f.hy * f.hy), rz = 1 / (f.hz * f.hz);
  const float curvature = (4.0f / 3) * (near[0] * rx + near[1] * ry + near[2] * rz) -
                          (1.0f / 12) * (far[0] * rx + far[1] * ry + far[2] * rz) - 2.5f * centre * (rx + ry + rz);
  return 2 * centre - before + f.dt * f.dt / m * curvature;
}

// Updates a point from global memory; points outside the field are read from `around`.
static __device__ float step_from(const Medium& f, const float* before, const float* now, const float* around, int x,
                                  int y, int z) {
  const long long centre = index_of(f, x, y, z), sy = f.nz + 8, sx = sy * (f.ny + 8);
  const float* p = now + centre;
  if (is_inside(f, x - 2, y - 2, z - 2) && is_inside(f, x + 2, y + 2, z + 2)) {
    const float near[3] = {p[sx] + p[-sx], p[sy] + p[-sy], p[1] + p[-1]};
    const float far[3] = {p[2 * sx] + p[-2 * sx], p[2 * sy] + p[-2 * sy], p[2] + p[-2]};
    return updated(f, *p, before[centre], f.m[centre], near, far);
  }
  const auto at = [&](int px, int py, int pz) {
    return (is_inside(f, px, py, pz) ? now : around)[index_of(f, px, py, pz)];
  };
  const float near[3] = {at(x + 1, y, z) + at(x - 1, y, z), at(x, y + 1, z) + at(x, y - 1, z), at(x, y, z + 1) + at(x, y, z - 1)};
  const float far[3] = {at(x + 2, y, z) + at(x - 2, y, z), at(x, y + 2, z) + at(x, y - 2, z), at(x, y, z + 2) + at(x, y, z - 2)};
  return updated(f, *p, before[centre], f.m[centre], near, far);
}

struct Corner {
  int x, y, z;
  float amount;
};

// Finds one of the eight corners of a source; false if it lies too far outside of the field.
static __device__ bool corner_of(const Medium& f, const float* amplitudes, int i, Corner& found) {
  const int s = i / 8, corner = i % 8;
  const float gx = (f.coords[3 * s] - f.ox) / f.hx, gy = (f.coords[3 * s + 1] - f.oy) / f.hy;
  const float gz = (f.coords[3 * s + 2] - f.oz) / f.hz;
  const int bx = static_cast<int>(floorf(gx)), by = static_cast<int>(floorf(gy)), bz = static_cast<int>(floorf(gz));
  const int cx = corner >> 2, cy = corner >> 1 & 1, cz = corner & 1;
  found.x = bx + cx, found.y = by + cy, found.z = bz + cz;
  if (found.x < -1 || found.x > f.nx || found.y < -1 || found.y > f.ny || found.z < -1 || found.z > f.nz) return false;
  const float wx = gx - bx, wy = gy - by, wz = gz - bz;
  found.amount = 1e-2f * (cx ? wx : 1 - wx) * (cy ? wy : 1 - wy) * (cz ? wz : 1 - wz) * amplitudes[s] /
                 f.m[index_of(f, bx, by, bz)];
  return true;
}

extern __shared__ float middle[];  // u(t + 1) of the tile, with two more points on each side

static __device__ float* place(int x, int y, int z) { return middle + ((x + 2) * (BY + 4) + y + 2) * (BX + 4) + z + 2; }

extern "C" __global__ void __launch_bounds__(BX * BY)
    two_steps(const float* before, const float* now, float* first, float* second, const float* around_now,
              const float* around_next, Medium f) {
  const int x0 = blockIdx.z * BZ, y0 = blockIdx.y * BY, z0 = blockIdx.x * BX;
  const int thread = threadIdx.y * BX + threadIdx.x;
  for (int i = thread; i < (BX + 4) * (BY + 4) * (BZ + 4); i += BX * BY) {
    const int z = z0 + i % (BX + 4) - 2, y = y0 + i / (BX + 4) % (BY + 4) - 2, x = x0 + i / (BX + 4) / (BY + 4) - 2;
    if (is_inside(f, x, y, z))
      middle[i] = step_from(f, before, now, around_now, x, y, z);
    else if (x < f.nx + 4 && y < f.ny + 4 && z < f.nz + 4)
      middle[i] = around_next[index_of(f, x, y, z)];
  }
  __syncthreads();
  for (int i = thread; i < f.nsrc * 8; i += BX * BY) {
    Corner c;
    if (!corner_of(f, f.src, i, c)) continue;
    const int x = c.x - x0, y = c.y - y0, z = c.z - z0;
    if (x >= -2 && x < BZ + 2 && y >= -2 && y < BY + 2 && z >= -2 && z < BX + 2) atomicAdd(place(x, y, z), c.amount);
  }
  __syncthreads();
  const int y = threadIdx.y, z = threadIdx.x;
  for (int x = 0; x < BZ; ++x) {
    if (!is_inside(f, x0 + x, y0 + y, z0 + z)) continue;
    const float near[3] = {*place(x + 1, y, z) + *place(x - 1, y, z), *place(x, y + 1, z) + *place(x, y - 1, z),
                           *place(x, y, z + 1) + *place(x, y, z - 1)};
    const float far[3] = {*place(x + 2, y, z) + *place(x - 2, y, z), *place(x, y + 2, z) + *place(x, y - 2, z),
                          *place(x, y, z + 2) + *place(x, y, z - 2)};
    const long long at = index_of(f, x0 + x, y0 + y, z0 + z);
    first[at] = *place(x, y, z);
    second[at] = updated(f, *place(x, y, z), now[at], f.m[at], near, far);
  }
  __threadfence_block();
  __syncthreads();
  for (int i = thread; i < f.nsrc * 8; i += BX * BY) {
    Corner c;
    if (!corner_of(f, f.src2, i, c) || !is_inside(f, c.x, c.y, c.z)) continue;
    const bool is_own = c.x / BZ == x0 / BZ && c.y / BY == y0 / BY && c.z / BX == z0 / BX;
    if (is_own) atomicAdd(&second[index_of(f, c.x, c.y, c.z)], c.amount);
  }
}

// Adds the sources of both steps that lie outside of the field, which two_steps does not touch.
extern "C" __global__ void sources_around(float* first, float* second, Medium f) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= f.nsrc * 8) return;
  Corner c;
  if (!corner_of(f, f.src, i, c) || is_inside(f, c.x, c.y, c.z)) return;
  atomicAdd(&first[index_of(f, c.x, c.y, c.z)], c.amount);
  corner_of(f, f.src2, i, c);
  atomicAdd(&second[index_of(f, c.x, c.y, c.z)], c.amount);
}

extern "C" __global__ void one_step(const float* before, const float* now, float* next, const float* around, Medium f) {
  const int x = blockIdx.z, y = blockIdx.y * BY + threadIdx.y, z = blockIdx.x * BX + threadIdx.x;
  if (is_inside(f, x, y, z)) next[index_of(f, x, y, z)] = step_from(f, before, now, around, x, y, z);
}

extern "C" __global__ void sources_everywhere(float* next, Medium f) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  Corner c;
  if (i < f.nsrc * 8 && corner_of(f, f.src, i, c)) atomicAdd(&next[index_of(f, c.x, c.y, c.z)], c.amount);
}

extern "C" __global__ void interior(const float* from, float* to, int nx, int ny, int nz) {
  const int x = blockIdx.z, y = blockIdx.y * BY + threadIdx.y, z = blockIdx.x * BX + threadIdx.x;
  if (y >= ny || z >= nz) return;
  const long long at = ((x + 4) * (ny + 8ll) + y + 4) * (nz + 8ll) + z + 4;
  to[at] = from[at];
}
