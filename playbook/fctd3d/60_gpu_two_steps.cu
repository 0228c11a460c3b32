// fctd3d in two steps per pass: a block marches along x with a tile of rows, computes the step in the middle for its tile
// and two cells around it, keeps that in shared memory, and the second step from there. Five numbers a point travel for
// two steps instead of eight.
// SPDX-License-Identifier: Apache-2.0
// kw: technique temporal blocking, asynchronous copies, multistage pipeline, register queue, aligned tiles, whole waves, programmatic dependent launch
// kw: tune TILE = 22, 26, 12     // vectors of four along z in a tile
// kw: tune ROWS = 24, 20, 44     // and rows
// kw: tune TURN = 1, 0     // every second pass begins where the one before it ended: a part of that is still in the L2
// kw: let LANES = TILE + 2, TALL = ROWS + 4, THREADS = LANES * TALL, PITCH = LANES + 2, BOX = PITCH * (TALL + 4)
// kw: require THREADS <= 768
// kw: workspace finished u32 [nt] zeroed
// kw: workspace corners i32 [8 * nsrc, 4]
// kw: launch find_corners grid(ceil_div(8 * nsrc, 128)) block(128) args(
// kw:   corners, struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))), m,
// kw:   src_coords, nsrc, hx, hy, hz, ox, oy, oz)
// kw: let SHARED = 16 * (5 * BOX + 15 * THREADS) + nx / 8 + 64
// kw: when nz % 4 == 0 && SHARED <= shared_max
// kw:   let ACROSS = ceil_div(nz + 8, 4 * TILE), DOWN = ceil_div(ny, ROWS)
// kw:   workspace pair f32 [2, nx + 8, ny + 8, nz + 8]
// kw:   for t = 0 .. nt step 2
// kw:     when t % 4 == 0 && t + 4 <= nt
// kw:       launch two_steps grid(ACROSS, DOWN) block(THREADS) shared(SHARED) pdl args(
// kw:         struct(u[t % 3], u[(t + 2) % 3], pair[0], pair[1], u[t % 3], u[(t + 1) % 3], u[(t + 2) % 3], m, 0),
// kw:         struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))),
// kw:         struct(corners, src[t], src[t + 1], nsrc), 0, finished[t])
// kw:     else when t % 4 == 0
// kw:       launch two_steps grid(ACROSS, DOWN) block(THREADS) shared(SHARED) pdl args(
// kw:         struct(u[t % 3], u[(t + 2) % 3], u[(t + 1) % 3], pair[0], u[t % 3], u[(t + 1) % 3], u[(t + 2) % 3], m, 0),
// kw:         struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))),
// kw:         struct(corners, src[t], src[t + 1], nsrc), 0, finished[t])
// kw:       launch copy_interior grid(ceil_div(nz / 4, 32), ceil_div(ny, 8), nx) block(32, 8) args(
// kw:         pair[0], u[(t + 2) % 3], nx, ny, nz)
// kw:     else
// kw:       launch two_steps grid(ACROSS, DOWN) block(THREADS) shared(SHARED) pdl args(
// kw:         struct(pair[1], pair[0], u[(t + 1) % 3], u[(t + 2) % 3], u[t % 3], u[(t + 1) % 3], u[(t + 2) % 3], m, 1),
// kw:         struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))),
// kw:         struct(corners, src[t], src[t + 1], nsrc), TURN, finished[t])
// kw:     end
// kw:   tail
// kw:     launch one_step grid(ceil_div(nz, 32), ceil_div(ny, 8), ceil_div(nx, 16)) block(32, 8) args(
// kw:       u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], m, struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))),
// kw:       struct(corners, src[t], src[t], nsrc), finished[t])
// kw:   end
// kw: else
// kw:   for t = 0 .. nt
// kw:     launch one_step grid(ceil_div(nz, 32), ceil_div(ny, 8), ceil_div(nx, 16)) block(32, 8) args(
// kw:       u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], m, struct(nx, ny, nz, f32(-2.5 * dt * dt * (1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:           f32(4 * dt * dt / (3 * hx * hx)), f32(4 * dt * dt / (3 * hy * hy)), f32(4 * dt * dt / (3 * hz * hz)),
// kw:           f32(-dt * dt / (12 * hx * hx)), f32(-dt * dt / (12 * hy * hy)), f32(-dt * dt / (12 * hz * hz))),
// kw:       struct(corners, src[t], src[t], nsrc), finished[t])
// kw:   end
// kw: end

extern __shared__ float4 dynamic_shared[];

// The grid, and dt^2 times the weights of a point and of its neighbours at one and at two steps.
struct Medium {
  int nx, ny, nz;
  float centre, x1, y1, z1, x2, y2, z2;
};

// One point from its neighbours at one and at two steps: x, y, z at once. ratio: 1 / m.
static __device__ __forceinline__ float point(float centre, float x1, float x2, float y1, float y2,
                                              float z1, float z2, float before, float ratio,
                                              const Medium& m) {
  float curvature = m.centre * centre;
  curvature = fmaf(m.x1, x1, curvature);
  curvature = fmaf(m.y1, y1, curvature);
  curvature = fmaf(m.z1, z1, curvature);
  curvature = fmaf(m.x2, x2, curvature);
  curvature = fmaf(m.y2, y2, curvature);
  curvature = fmaf(m.z2, z2, curvature);
  return fmaf(ratio, curvature, fmaf(2.0f, centre, -before));
}

// To a unit in the last place, in one instruction.
static __device__ __forceinline__ float inverse(float m) {
#if defined(__CUDACC_RTC__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(m));
  return result;
#else
  return __fdividef(1.0f, m);
#endif
}

static __device__ __forceinline__ float4 sum(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Four neighbours along z; those beside them and along y lie in shared memory, `pitch` vectors from row to row.
static __device__ __forceinline__ float4 points(const float4* plane, int pitch, float4 c, float4 x1,
                                                float4 x2, float4 before, float4 ratio,
                                                const Medium& medium) {
  const float4 y1 = sum(plane[-pitch], plane[pitch]), y2 = sum(plane[-2 * pitch], plane[2 * pitch]);
  const float2 left = reinterpret_cast<const float2*>(plane)[-1];
  const float2 right = reinterpret_cast<const float2*>(plane)[2];
  return make_float4(
      point(c.x, x1.x, x2.x, y1.x, y2.x, left.y + c.y, left.x + c.z, before.x, ratio.x, medium),
      point(c.y, x1.y, x2.y, y1.y, y2.y, c.x + c.z, left.y + c.w, before.y, ratio.y, medium),
      point(c.z, x1.z, x2.z, y1.z, y2.z, c.y + c.w, c.x + right.x, before.z, ratio.z, medium),
      point(c.w, x1.w, x2.w, y1.w, y2.w, c.z + right.x, c.y + right.y, before.w, ratio.w, medium));
}

// Where sources add, found once: the cell, and what a source's amplitude is multiplied by, as bits.
extern "C" __global__ void __launch_bounds__(128)
    find_corners(int4* corners, Medium medium, const float* m, const float* coords, int count,
                 float hx, float hy, float hz, float ox, float oy, float oz) {
  const int e = blockIdx.x * 128 + threadIdx.x, p = e / 8;
  if (p >= count) return;
  const int sy = medium.nz + 8;
  const long long sx = static_cast<long long>(sy) * (medium.ny + 8);
  const float gx = (coords[3 * p] - ox) / hx;
  const float gy = (coords[3 * p + 1] - oy) / hy;
  const float gz = (coords[3 * p + 2] - oz) / hz;
  const int bx = static_cast<int>(floorf(gx));
  const int by = static_cast<int>(floorf(gy));
  const int bz = static_cast<int>(floorf(gz));
  const int x = bx + (e >> 2 & 1), y = by + (e >> 1 & 1), z = bz + (e & 1);
  int4 corner = make_int4(-9, -9, -9, 0);  // nowhere
  if (x >= -1 && x <= medium.nx && y >= -1 && y <= medium.ny && z >= -1 && z <= medium.nz) {
    const float wx = gx - bx, wy = gy - by, wz = gz - bz;
    const float weight =
        (e & 4 ? wx : 1 - wx) * (e & 2 ? wy : 1 - wy) * (e & 1 ? wz : 1 - wz);
    const float base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
    corner = make_int4(x, y, z, __float_as_int(1e-2f * weight / base));
  }
  corners[e] = corner;
}

struct Sources {
  const int4* corners;
  const float *first, *second;  // amplitudes in both steps
  int count;
};

static __device__ __forceinline__ bool is_inside(int4 c, const Medium& medium) {
  return c.x >= 0 && c.x < medium.nx && c.y >= 0 && c.y < medium.ny && c.z >= 0 && c.z < medium.nz;
}

static __device__ __forceinline__ void add_at(float* u, const Medium& medium, int4 c, float amplitude) {
  if (c.x < -1) return;
  const int sy = medium.nz + 8;
  const long long sx = static_cast<long long>(sy) * (medium.ny + 8);
  atomicAdd(u + (c.x + 4) * sx + (c.y + 4) * sy + c.z + 4, __int_as_float(c.w) * amplitude);
}

// What sources add to vector v of row y in plane x.
static __device__ __noinline__ float4 added(float4 to, const int4* corners, const float* amplitudes, int count,
                                            int x, int y, int v) {
#pragma unroll 1
  for (int e = 0; e < 8 * count; ++e) {
    const int4 c = corners[e];
    if (c.x != x || c.y != y || (c.z + 4) / 4 != v) continue;
    const float value = __int_as_float(c.w) * amplitudes[e / 8];
    const int lane = (c.z + 4) % 4;
    if (lane == 0) to.x += value;
    if (lane == 1) to.y += value;
    if (lane == 2) to.z += value;
    if (lane == 3) to.w += value;
  }
  return to;
}

// Whether the calling block is the last to come here.
static __device__ bool is_last(unsigned* finished) {
  int last = 0;
  __threadfence();
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) last = atomicAdd(finished, 1u) == gridDim.x * gridDim.y * gridDim.z - 1;
  last = __syncthreads_or(last);
  __threadfence();
  return last != 0;
}

// A single step: one column of points per thread, a queue of five along x.
extern "C" __global__ void __launch_bounds__(256)
    one_step(float* __restrict__ next, const float* __restrict__ now,
             const float* __restrict__ before, const float* __restrict__ m, Medium medium,
             Sources sources, unsigned* finished) {
  const int z = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int sy = medium.nz + 8;
  const long long sx = static_cast<long long>(sy) * (medium.ny + 8);
  const int x0 = blockIdx.z * 16, x1 = min(x0 + 16, medium.nx);
  if (z < medium.nz && y < medium.ny) {
    long long at = (x0 + 4) * sx + (y + 4) * sy + z + 4;
    float a = now[at - 2 * sx], b = now[at - sx], c = now[at], d = now[at + sx];
    for (int x = x0; x < x1; ++x, at += sx) {
      const float e = now[at + 2 * sx];
      next[at] = point(c, b + d, a + e, now[at - sy] + now[at + sy],
                       now[at - 2 * sy] + now[at + 2 * sy], now[at - 1] + now[at + 1],
                       now[at - 2] + now[at + 2], before[at], inverse(m[at]), medium);
      a = b;
      b = c;
      c = d;
      d = e;
    }
  }
  if (!is_last(finished)) return;
  for (int e = threadIdx.y * 32 + threadIdx.x; e < 8 * sources.count; e += 256)
    add_at(next, medium, sources.corners[e], sources.first[e / 8]);
}

extern "C" __global__ void __launch_bounds__(256)
    copy_interior(const float* __restrict__ from, float* __restrict__ to, int nx, int ny, int nz) {
  const int v = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (v >= nz / 4 || y >= ny) return;
  const long long at = ((blockIdx.z + 4LL) * (ny + 8) + y + 4) * (nz + 8) + 4 + 4 * v;
  *reinterpret_cast<float4*>(to + at) = *reinterpret_cast<const float4*>(from + at);
}

static __device__ __forceinline__ void begin_copy(float4* to, const float* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#else
  *to = *reinterpret_cast<const float4*>(from);
#endif
}

static __device__ __forceinline__ void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// All groups but the last are there.
static __device__ __forceinline__ void oldest_arrived() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

// What a launch may do before the one before it has ended comes before this; blocks of the next may then take places.
static __device__ __forceinline__ void after_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// u(t) and u(t - 1) inside, where u(t + 1) and u(t + 2) go, and the halos of u(t) to u(t + 2), which stay in u.
struct Fields {
  const float *now, *before;
  float *next, *after;
  const float* now_halo;
  float *next_halo, *after_halo;
  const float* m;
  int keeps_after_halo;  // whether `after` is also where its halo lies
};

struct Yes {
  static constexpr bool value = true;
};
struct No {
  static constexpr bool value = false;
};

// Thread (tx, ty) has vector tx - 1 of row ty - 2 of the tile in both steps; the second is that of the tile alone. Turn k of
// the march brings plane k - 2 of u(t), computes plane i = k - 4 of u(t + 1), then plane k - 6 of u(t + 2). All that is
// kept lies in five places by turns, so that five turns, a round, know theirs when they are compiled.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    two_steps(Fields f, Medium medium, Sources sources, int turned, unsigned* finished) {
  const int tid = threadIdx.x, tx = tid % LANES, ty = tid / LANES;
  float4* ring = dynamic_shared + tid;
  const float4* centres = dynamic_shared + (ty + 2) * PITCH + tx + 1;
  float4* befores = dynamic_shared + 5 * BOX + tid;
  float4* ratios = befores + 5 * THREADS;  // m, then 1 / m
  float4* middles = ratios + 5 * THREADS;
  unsigned* marked = reinterpret_cast<unsigned*>(dynamic_shared + 5 * BOX + 15 * THREADS);
  const int first_v = blockIdx.x * TILE, first_y = blockIdx.y * ROWS;
  const int vectors = medium.nz / 4 + 2, nx = medium.nx, ny = medium.ny;
  const int sy = medium.nz + 8, turns = nx + 6;
  const long long sx = static_cast<long long>(sy) * (ny + 8);
  // Plane x of the march is `stride` behind plane x - 1 in memory; `start` is that of plane 0.
  const long long stride = turned ? -sx : sx, start = (turned ? nx + 3 : 4) * sx;
  const auto plane_at = [&](const float* field, int x) { return field + start + x * stride; };
  // In which turns sources add to this tile, a bit for each.
  for (int i = tid; i < turns / 32 + 2; i += THREADS) marked[i] = 0;
  __syncthreads();
  after_launch_before();
  for (int e = tid; e < 8 * sources.count; e += THREADS) {
    const int4 c = sources.corners[e];
    const int v = (c.z + 4) / 4, k = (turned ? nx - 1 - c.x : c.x) + 4;
    if (c.x < -1 || v < first_v - 1 || v > first_v + TILE || c.y < first_y - 2 || c.y >= first_y + ROWS + 2) continue;
    atomicOr(marked + k / 32, 1u << k % 32);
    if (k + 2 < turns) atomicOr(marked + (k + 2) / 32, 1u << (k + 2) % 32);
  }
  __syncthreads();
  // The two vectors of u(t) that this thread fetches: offset in a plane or -1, and whether they are halo.
  int offset[2];
  bool is_halo_of[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int j = tid + k * THREADS, y = first_y - 4 + j / PITCH, v = first_v - 2 + j % PITCH;
    const bool exists = j < BOX && v >= 0 && v < vectors && y >= -2 && y < ny + 2;
    offset[k] = exists ? (y + 4) * sy + v * 4 : -1;
    is_halo_of[k] = v == 0 || v == vectors - 1 || y < 0 || y >= ny;
  }
  const int y = first_y - 2 + ty, v = first_v - 1 + tx;
  const bool exists = v >= 0 && v < vectors && y < ny + 2;
  const bool is_halo = v == 0 || v == vectors - 1 || y < 0 || y >= ny;
  const bool is_tile = exists && tx >= 1 && tx <= TILE && ty >= 2 && ty < ROWS + 2 && y < ny;
  const bool has_after = is_tile && !(is_halo && f.keeps_after_halo);
  const int own = (y + 4) * sy + v * 4;
  // Fetches what turn k brings. Planes beyond the grid are all halo.
  const auto begin = [&](int k, int place, auto is_plain) {
    const int x = k - 2, i = k - 4;
    if (is_plain.value || x < nx + 2) {
      const bool is_given = !is_plain.value && (x < 0 || x >= nx);
      const float* halo = plane_at(f.now_halo, x);
      const float* plane = is_given ? halo : plane_at(f.now, x);
#pragma unroll
      for (int c = 0; c < 2; ++c)
        if (offset[c] >= 0)
          begin_copy(ring + place * BOX + c * THREADS, (is_halo_of[c] ? halo : plane) + offset[c]);
    }
    if (exists && (is_plain.value || (i >= -2 && i < nx + 2))) {
      const bool is_given = !is_plain.value && (i < 0 || i >= nx);
      const float* halo = plane_at(f.next_halo, i);
      const float* plane = is_given ? halo : plane_at(f.before, i);
      begin_copy(befores + place * THREADS, (is_halo ? halo : plane) + own);
      if (!is_given) begin_copy(ratios + place * THREADS, plane_at(f.m, i) + own);
    }
    end_group();
  };
  const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 u[5] = {none, none, none, none, none};  // planes of u(t) by place, and of u(t + 1)
  float4 w[5] = {none, none, none, none, none};
  // Plain: no plane is beyond the grid, and no source adds.
  const auto round_of = [&](int round, unsigned marks, auto is_plain) {
#pragma unroll
    for (int place = 0; place < 5; ++place) {
      const int k = round + place, i = k - 4;
      const int back1 = (place + 4) % 5, back2 = (place + 3) % 5, back3 = (place + 2) % 5, back4 = (place + 1) % 5;
      if (!is_plain.value && k >= turns) break;
      oldest_arrived();
      __syncthreads();
      u[place] = centres[place * BOX];
      const float4 before = befores[place * THREADS], m = ratios[place * THREADS];
      begin(k + 2, back3, is_plain);
      const float4 ratio = make_float4(inverse(m.x), inverse(m.y), inverse(m.z), inverse(m.w));
      ratios[place * THREADS] = ratio;
      const bool is_inner = is_plain.value || (i >= 0 && i < nx);
      float4 middle = points(centres + back2 * BOX, PITCH, u[back2], sum(u[back3], u[back1]),
                             sum(u[back4], u[place]), before, ratio, medium);
      if (is_halo || !is_inner) middle = before;
      if (is_tile && is_inner)  // beside the row its halo as it was: sectors are written whole
        *reinterpret_cast<float4*>(const_cast<float*>(plane_at(f.next, i)) + own) = middle;
      if (!is_plain.value && marks >> place & 1) {
        const int x = turned ? nx - 1 - i : i;
        middle = added(middle, sources.corners, sources.first, sources.count, x, y, v);
        if (is_tile && is_inner && !is_halo)
          *reinterpret_cast<float4*>(const_cast<float*>(plane_at(f.next, i)) + own) = middle;
      }
      middles[place * THREADS] = middle;
      w[place] = middle;
      if ((is_plain.value || i >= 2) && has_after) {
        float4 result = points(middles + back2 * THREADS, LANES, w[back2], sum(w[back3], w[back1]),
                               sum(w[back4], w[place]), u[back4], ratios[back2 * THREADS], medium);
        if (!is_plain.value && marks >> place & 1) {
          const int x = turned ? nx + 1 - i : i - 2;
          result = added(result, sources.corners, sources.second, sources.count, x, y, v);
        }
        *reinterpret_cast<float4*>(const_cast<float*>(plane_at(f.after, i - 2)) + own) = result;
      }
    }
  };
  begin(0, 0, No());
  begin(1, 1, No());
  for (int round = 0; round < turns; round += 5) {
    const unsigned long long words = static_cast<unsigned long long>(marked[round / 32 + 1]) << 32 | marked[round / 32];
    const unsigned marks = static_cast<unsigned>(words >> round % 32) & 31;
    if (marks == 0 && round >= 6 && round + 4 < nx) {
      round_of(round, 0, Yes());
    } else {
      round_of(round, marks, No());
    }
  }
  // The halos in u are read until the last block is done.
  if (!is_last(finished)) return;
  for (int k = tid; k < 8 * sources.count; k += THREADS) {
    const int4 corner = sources.corners[k];
    if (is_inside(corner, medium)) continue;
    add_at(f.next_halo, medium, corner, sources.first[k / 8]);
    add_at(f.after_halo, medium, corner, sources.second[k / 8]);
  }
}
