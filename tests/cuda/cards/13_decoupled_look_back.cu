// Does what the knowledge card about "decoupled look-back" says, and compares the result with plain
// code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "decoupled look-back"
#include "common.cuh"
// Status and value in one 8-byte store; blocks take their number from an atomic counter.
__global__ void scan(const int* in, int* out, int n, unsigned* counter, unsigned long long* state) {
  __shared__ int block, sums[8], before;
  const int t = threadIdx.x;
  if (t == 0) block = atomicAdd(counter, 1);
  __syncthreads();
  const int i = block * 256 + t;
  int v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const int o = __shfl_up_sync(~0u, v, d);
    if (t % 32 >= d) v += o;
  }
  if (t % 32 == 31) sums[t / 32] = v;
  __syncthreads();
  int shift = 0, total = 0;
  for (int w = 0; w < 8; ++w) shift += w < t / 32 ? sums[w] : 0, total += sums[w];
  if (t == 0) {
    auto pack = [](unsigned status, int value) {
      return (unsigned long long)status << 32 | (unsigned)value;
    };
    volatile unsigned long long* s = state;
    s[block] = pack(block == 0 ? 2 : 1, total);
    int sum = 0;
    for (int b = block - 1; b >= 0; --b) {
      unsigned long long w;
      while ((w = s[b]) >> 32 == 0) {
      }
      sum += (int)(unsigned)w;
      if (w >> 32 == 2) break;
    }
    if (block > 0) s[block] = pack(2, sum + total);
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = v + shift + before;
}
int main() {
  const int n = 3000017, blocks = (n + 255) / 256;
  Random r;
  std::vector<int> in(n);
  for (auto& v : in) v = int(r.next() % 7) - 3;
  int *d = to_device(in), *out;
  unsigned* counter;
  unsigned long long* state;
  CU(cudaMalloc(&out, n * 4));
  CU(cudaMalloc(&counter, 4));
  CU(cudaMalloc(&state, blocks * 8));
  CU(cudaMemset(counter, 0, 4));
  CU(cudaMemset(state, 0, blocks * 8));
  scan<<<blocks, 256>>>(d, out, n, counter, state);
  CU(cudaGetLastError());
  auto got = to_host(out, n);
  long bad = 0;
  for (int i = 0, sum = 0; i < n; ++i) sum += in[i], bad += got[i] != sum;
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong)", bad);
  return verdict(!bad, text);
}
