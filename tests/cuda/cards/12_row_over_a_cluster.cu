// Does what the knowledge card about "a row over a cluster" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "a row over a cluster"
#include <cooperative_groups.h>
#include "common.cuh"
namespace cg = cooperative_groups;
// Eight blocks keep a row in shared memory, exchange partial sums, and write the row less its mean.
__global__ void __cluster_dims__(8) centre(const float* in, float* out, int cols) {
  extern __shared__ float part[];
  __shared__ float sums[32], mine;
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), size = (cols + 7) / 8, begin = rank * size,
            end = min(cols, begin + size), t = threadIdx.x;
  const size_t row = blockIdx.x / 8;
  float sum = 0;
  for (int i = begin + t; i < end; i += blockDim.x) sum += part[i - begin] = in[row * cols + i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) all += sums[w];
    mine = all;
  }
  cluster.sync();
  float total = 0;
  for (int r = 0; r < 8; ++r) total += *cluster.map_shared_rank(&mine, r);
  cluster.sync();
  for (int i = begin + t; i < end; i += blockDim.x)
    out[row * cols + i] = part[i - begin] * cols - total;
}
int main() {
  const int rows = 9, cols = 100003;
  Random r;
  std::vector<float> in((size_t)rows * cols);
  for (auto& v : in) v = float(int(r.next() % 3) - 1);
  float *d = to_device(in), *out;
  CU(cudaMalloc(&out, in.size() * 4));
  const int bytes = (cols + 7) / 8 * 4;
  CU(cudaFuncSetAttribute(centre, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  centre<<<rows * 8, 512, bytes>>>(d, out, cols);
  CU(cudaGetLastError());
  auto got = to_host(out, in.size());
  long bad = 0;
  for (int y = 0; y < rows; ++y) {
    float total = 0;
    for (int x = 0; x < cols; ++x) total += in[(size_t)y * cols + x];
    for (int x = 0; x < cols; ++x)
      bad += got[(size_t)y * cols + x] != in[(size_t)y * cols + x] * cols - total;
  }
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong)", bad);
  return verdict(!bad, text);
}
