// Honest kernel: adds its products to the output by bulk reductions, and waits for them.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: launch saxpy grid(ceil_div(n, 1024)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  alignas(128) __shared__ float products[1024];
  const long long from = blockIdx.x * 1024ll;
  const bool is_whole = from + 1024 <= n && ((unsigned long long)(y + from) & 15) == 0;
  for (long long i = from + threadIdx.x; i < n && i < from + 1024; i += 256) {
    if (is_whole)
      products[i - from] = a * x[i];
    else
      y[i] += a * x[i];
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (!is_whole || threadIdx.x != 0) return;
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 4096;" ::"l"(y + from),
               "r"((unsigned)__cvta_generic_to_shared(products))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
