// Kernels for the test of the emulator: one for each feature that emulation may get wrong.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sum_by_barriers(int n, const int* x, int* y) {
  __shared__ int room[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  room[threadIdx.x] = i < n ? x[i] : 0;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];
  }
  if (threadIdx.x == 0) atomicAdd(y, room[0]);
}
extern "C" __global__ void sum_by_shuffles(int n, const int* x, int* y) {
  extern __shared__ int room[];
  const int i = blockIdx.x * 256 + threadIdx.x;
  int sum = i < n ? x[i] : 0;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    int all = room[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) all += __shfl_xor_sync(0xffu, all, d);
    if (threadIdx.x == 0) atomicAdd(y, all);
  }
}
extern "C" __global__ void votes(int* y) {
  const unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x & 1);
  if (threadIdx.x >= 40) return;  // of the second warp, eight lanes remain
  const int some = __syncthreads_count(threadIdx.x < 7);
  if (threadIdx.x == 0) y[0] = (int)(odd >> 24), y[1] = some;
}
extern "C" __global__ void grid_barrier(int* arrived, int* y) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < (int)gridDim.x) __nanosleep(10);
    atomicAdd(y, 1);
  }
}
__device__ int calls;
extern "C" __global__ void count(int* y) {
  if (threadIdx.x == 0) y[0] = ++calls;
}
extern "C" __global__ void stray(int* y) {
  if (threadIdx.x == 3) y[1l << 40] = 1;
}
extern "C" __global__ void trap() {
  if (threadIdx.x == 1) asm volatile("trap;");
}
extern "C" __global__ void product(const float* a, const float* b, float* d) {
  const int group = threadIdx.x / 4, in_group = threadIdx.x % 4;
  unsigned fa[4], fb[2];
  for (int i = 0; i < 4; ++i) fa[i] = __float_as_uint(a[(group + i % 2 * 8) * 8 + in_group + i / 2 * 4]);
  for (int i = 0; i < 2; ++i) fb[i] = __float_as_uint(b[(in_group + i * 4) * 8 + group]);
  float c[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * 8 + in_group * 2 + i % 2] = c[i];
}
extern "C" __global__ void half_product(const float* a, const float* b, float* d) {
  __shared__ __align__(16) unsigned as[16][8], bs[16][4];
  const int lane = threadIdx.x, group = lane / 4, in_group = lane % 4;
  for (int i = lane; i < 128; i += 32)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(as[i / 8][i % 8]) : "f"(a[2 * i + 1]), "f"(a[2 * i]));
  for (int i = lane; i < 64; i += 32)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bs[i / 4][i % 4]) : "f"(b[2 * i + 1]), "f"(b[2 * i]));
  __syncthreads();
  unsigned fa[4], fb[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
               : "r"((unsigned)__cvta_generic_to_shared(&as[lane % 16][lane / 16 * 4])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
               : "r"((unsigned)__cvta_generic_to_shared(&bs[lane % 16][0])));
  float c[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  for (int i = 0; i < 4; ++i) d[(group + i / 2 * 8) * 8 + in_group * 2 + i % 2] = c[i];
}
extern "C" __global__ void quads_and_halves(const unsigned* x, unsigned* y) {
  __shared__ __align__(16) unsigned quad[4];
  const unsigned at = (unsigned)__cvta_generic_to_shared(quad);
  unsigned r[4] = {x[0], x[1], x[2], x[3]};
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[3]), "r"(r[2]), "r"(r[1]), "r"(r[0]));
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  for (int i = 0; i < 4; ++i) y[i] = r[i];
  unsigned sum = x[4];
  asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(sum) : "r"(x[5]), "r"(x[6]));
  y[4] = sum;
}
