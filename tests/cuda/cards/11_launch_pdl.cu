// Does what the knowledge card about "launch overhead (pdl)" says, and compares the result with
// plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "launch overhead (pdl)"
#include "common.cuh"
// The second kernel is launched with programmatic stream serialization and waits by
// griddepcontrol.wait; the first triggers.
template <bool TRIGGERS>
__global__ void first(int* x, int n, int round) {
  if (TRIGGERS) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  for (int i = 0; i < 200; ++i) __nanosleep(100);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i * 3 + round;
}
__global__ void second(const int* x, int* y, int n) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i] + 1;
}
int main() {
  const int n = 1 << 16;
  int *x, *y;
  CU(cudaMalloc(&x, n * 4));
  CU(cudaMalloc(&y, n * 4));
  long bad = 0;
  for (int round = 0; round < 20; ++round) {
    CU(cudaMemset(x, 0, n * 4));
    CU(cudaDeviceSynchronize());
    if (round % 2)
      first<true><<<n / 256, 256>>>(x, n, round);
    else
      first<false><<<n / 256, 256>>>(x, n, round);
    cudaLaunchConfig_t config = {};
    config.gridDim = n / 256, config.blockDim = 256;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute, config.numAttrs = 1;
    CU(cudaLaunchKernelEx(&config, second, (const int*)x, y, n));
    auto got = to_host(y, n);
    for (int i = 0; i < n; ++i) bad += got[i] != (n - 1 - i) * 3 + round + 1;
  }
  char text[99];
  snprintf(text, sizeof text, "(%ld wrong, with and without the trigger)", bad);
  return verdict(!bad, text);
}
