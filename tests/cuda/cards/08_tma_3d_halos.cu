// Does what the knowledge card about "TMA boxes with halos" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "TMA boxes with halos"
#include "common.cuh"
// A 3-d map without swizzle; boxes of (32 + 8) x (8 + 4) x 1 that begin 4 elements before their
// tile, since the innermost coordinate must be a multiple of 16 bytes; what lies outside is zero.
// A stencil of radius 2 in the plane is computed from the box.
__global__ void planes(const __grid_constant__ CUtensorMap map, float* out, int nx, int ny) {
  struct alignas(128) Box {
    float at[12][40];
  };
  __shared__ Box box[2];
  __shared__ uint64_t full[2];
  const int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, z0 = blockIdx.z * 2;
  if (t == 0) {
    bar_init(&full[0], 1), bar_init(&full[1], 1);
    bar_init_fence();
    for (int i = 0; i < 2; ++i) {
      bar_expect(&full[i], sizeof box[0].at);
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
          "{%2, %3, %4}], [%5];" ::"r"(smem(&box[i])),
          "l"(&map), "r"(x0 - 4), "r"(y0 - 2), "r"(z0 + i), "r"(smem(&full[i]))
          : "memory");
    }
  }
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
    bar_wait(&full[i], 0);
    const int x = t % 32, y = t / 32;
    float sum = 0;
    for (int d = -2; d <= 2; ++d)
      sum += box[i].at[y + 2][x + 4 + d] + 3 * box[i].at[y + 2 + d][x + 4];
    if (x0 + x < nx && y0 + y < ny) out[((size_t)(z0 + i) * ny + y0 + y) * nx + x0 + x] = sum;
  }
}
int main() {
  const int nx = 84, ny = 21, nz = 4, pitch = 88;
  Random r;
  std::vector<float> in(nz * ny * pitch);
  for (auto& v : in) v = r.small_integer();
  float *d = to_device(in), *out;
  CU(cudaMalloc(&out, nz * ny * nx * 4));
  auto map = make_map(F32_MAP, d, {(cuuint64_t)nx, (cuuint64_t)ny, (cuuint64_t)nz},
                      {(cuuint64_t)pitch * 4, (cuuint64_t)pitch * ny * 4}, {40, 12, 1},
                      CU_TENSOR_MAP_SWIZZLE_NONE);
  planes<<<dim3((nx + 31) / 32, (ny + 7) / 8, nz / 2), 256>>>(map, out, nx, ny);
  CU(cudaGetLastError());
  auto got = to_host(out, nz * ny * nx);
  auto at = [&](int z, int y, int x) {
    return x < 0 || y < 0 || x >= nx || y >= ny ? 0.0f : in[(z * ny + y) * pitch + x];
  };
  long bad = 0;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        float sum = 0;
        for (int e = -2; e <= 2; ++e) sum += at(z, y, x + e) + 3 * at(z, y + e, x);
        bad += got[(z * ny + y) * nx + x] != sum;
      }
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong)", bad);
  return verdict(!bad, text);
}
