// Does what the knowledge card about "tensor cores for float32 tasks" says, and compares the result
// with plain code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "tensor cores for float32 tasks"
#include "common.cuh"
// m16n8k8 tf32, each operand split into a large and a small part, three products.
__device__ uint32_t tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return r;
}
__device__ void mma(float* d, const uint32_t* a, const uint32_t* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void product(const float* a, const float* b, float* c, int n, int k, int parts) {
  const int l = threadIdx.x, row = blockIdx.y * 16 + l / 4, col = blockIdx.x * 8 + l / 4;
  float d[4] = {};
  for (int p = 0; p < k; p += 8) {
    float av[4] = {a[row * k + p + l % 4], a[(row + 8) * k + p + l % 4], a[row * k + p + l % 4 + 4],
                   a[(row + 8) * k + p + l % 4 + 4]};
    float bv[2] = {b[(p + l % 4) * n + col], b[(p + l % 4 + 4) * n + col]};
    uint32_t al[4], as[4], bl[2], bs[2];
    for (int i = 0; i < 4; ++i) al[i] = tf32(av[i]), as[i] = tf32(av[i] - __uint_as_float(al[i]));
    for (int i = 0; i < 2; ++i) bl[i] = tf32(bv[i]), bs[i] = tf32(bv[i] - __uint_as_float(bl[i]));
    if (parts == 3) mma(d, as, bl), mma(d, al, bs);
    mma(d, al, bl);
  }
  const int r = blockIdx.y * 16 + l / 4, j = blockIdx.x * 8 + l % 4 * 2;
  c[r * n + j] = d[0], c[r * n + j + 1] = d[1], c[(r + 8) * n + j] = d[2],
            c[(r + 8) * n + j + 1] = d[3];
}
int main() {
  const int m = 128, n = 128, k = 512;
  Random r;
  std::vector<float> a(m * k), b(k * n);
  for (auto& v : a) v = r.real();
  for (auto& v : b) v = r.real();
  float *da = to_device(a), *db = to_device(b), *c;
  CU(cudaMalloc(&c, m * n * 4));
  double worst[4] = {}, plain = 0;
  for (int parts : {1, 3}) {
    product<<<dim3(n / 8, m / 16), 32>>>(da, db, c, n, k, parts);
    CU(cudaGetLastError());
    auto got = to_host(c, m * n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0, size = 0;
        float f = 0;
        for (int p = 0; p < k; ++p) {
          const double x = (double)a[i * k + p] * b[p * n + j];
          sum += x, size += fabs(x), f += a[i * k + p] * b[p * n + j];
        }
        worst[parts] = fmax(worst[parts], fabs(got[i * n + j] - sum) / size);
        plain = fmax(plain, fabs(f - sum) / size);
      }
  }
  char text[160];
  snprintf(text, sizeof text,
           "(error over sum of magnitudes: 1 product %.1e, 3 products %.1e, plain f32 %.1e)",
           worst[1], worst[3], plain);
  return verdict(worst[3] < 8 * plain && worst[1] > 10 * worst[3], text);
}
