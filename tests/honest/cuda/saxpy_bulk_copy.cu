// Honest kernel: brings its inputs by bulk copies that report to a barrier in shared memory, and takes its results back by one that it
// waits for.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: sm_90
// kw: launch saxpy grid(ceil_div(n, 1024)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  alignas(128) __shared__ float xs[1024], ys[1024];
  __shared__ unsigned long long barrier;
  const long long from = blockIdx.x * 1024ll;
  if (from + 1024 > n || (((unsigned long long)(x + from) | (unsigned long long)(y + from)) & 15) != 0) {
    for (long long i = from + threadIdx.x; i < n && i < from + 1024; i += 256) y[i] += a * x[i];
    return;
  }
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), xa = (unsigned)__cvta_generic_to_shared(xs);
  const unsigned ya = (unsigned)__cvta_generic_to_shared(ys);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 8192;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(xa),
                 "l"(x + from), "r"(bar)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(ya),
                 "l"(y + from), "r"(bar)
                 : "memory");
  }
  __syncthreads();
  for (unsigned done = 0; done == 0;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  for (int i = threadIdx.x; i < 1024; i += 256) ys[i] += a * xs[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(y + from), "r"(ya) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
