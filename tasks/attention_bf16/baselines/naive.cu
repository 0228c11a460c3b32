// attention_bf16 and attention_f16 by its definition: scores to memory, softmax of their rows,
// product with the values.
// SPDX-License-Identifier: Apache-2.0
// kw: let GROUP = max(1, min(heads, 268435456 / (seq * seq)))
// kw: let ROUNDS = ceil_div(heads, GROUP)
// kw: workspace scores f32 [GROUP, seq, seq]
// kw: for round = 0 .. ROUNDS
// kw:   let FIRST = round * GROUP, MANY = min(GROUP, heads - FIRST)
// kw:   launch scores_of grid(ceil_div(seq, 32), ceil_div(seq, 32), MANY) block(32, 32) args(
// kw:     FIRST, seq, dim, causal, q, k, scores)
// kw:   launch softmax_of grid(seq, MANY) block(256) args(seq, causal, scores)
// kw:   launch values_of grid(ceil_div(dim, 32), ceil_div(seq, 32), MANY) block(32, 32) args(
// kw:     FIRST, seq, dim, causal, scores, v, y)
// kw: end
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Real = KW_REAL;  // __nv_bfloat16 or __half

extern "C" __global__ void scores_of(int first, int seq, int dim, int causal, const Real* q,
                                     const Real* k, float* scores) {
  __shared__ float qs[32][33];
  __shared__ float ks[32][33];
  if (causal != 0 && blockIdx.x > blockIdx.y) return;
  const long long head = static_cast<long long>(first + blockIdx.z) * seq * dim;
  const int i = blockIdx.y * 32 + threadIdx.y;
  const int j = blockIdx.x * 32 + threadIdx.x;
  const int key = blockIdx.x * 32 + threadIdx.y;
  float sum = 0;
  for (int d0 = 0; d0 < dim; d0 += 32) {
    const int d = d0 + threadIdx.x;
    qs[threadIdx.y][threadIdx.x] =
        i < seq && d < dim ? float(q[head + static_cast<long long>(i) * dim + d]) : 0;
    ks[threadIdx.y][threadIdx.x] =
        key < seq && d < dim ? float(k[head + static_cast<long long>(key) * dim + d]) : 0;
    __syncthreads();
    for (int s = 0; s < 32; ++s) sum += qs[threadIdx.y][s] * ks[threadIdx.x][s];
    __syncthreads();
  }
  if (i < seq && j < seq)
    scores[(static_cast<long long>(blockIdx.z) * seq + i) * seq + j] = sum / sqrtf(dim);
}

extern "C" __global__ void softmax_of(int seq, int causal, float* scores) {
  __shared__ float partial[256];
  const int count = causal != 0 ? blockIdx.x + 1 : seq;
  float* row = scores + (static_cast<long long>(blockIdx.y) * seq + blockIdx.x) * seq;
  float largest = row[0];
  for (int j = threadIdx.x; j < count; j += 256) largest = fmaxf(largest, row[j]);
  partial[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();
  float sum = 0;
  for (int j = threadIdx.x; j < count; j += 256) sum += row[j] = expf(row[j] - largest);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  for (int j = threadIdx.x; j < seq; j += 256) row[j] = j < count ? row[j] / sum : 0;
}

extern "C" __global__ void values_of(int first, int seq, int dim, int causal, const float* scores,
                                     const Real* v, Real* y) {
  __shared__ float ps[32][33];
  __shared__ float vs[32][33];
  const long long head = static_cast<long long>(first + blockIdx.z) * seq * dim;
  const float* weights = scores + static_cast<long long>(blockIdx.z) * seq * seq;
  const int i = blockIdx.y * 32 + threadIdx.y;
  const int d = blockIdx.x * 32 + threadIdx.x;
  const int count = causal != 0 ? min(seq, static_cast<int>(blockIdx.y) * 32 + 32) : seq;
  float sum = 0;
  for (int j0 = 0; j0 < count; j0 += 32) {
    const int j = j0 + threadIdx.x;
    const int key = j0 + threadIdx.y;
    ps[threadIdx.y][threadIdx.x] =
        i < seq && j < seq ? weights[static_cast<long long>(i) * seq + j] : 0;
    vs[threadIdx.y][threadIdx.x] =
        key < seq && d < dim ? float(v[head + static_cast<long long>(key) * dim + d]) : 0;
    __syncthreads();
    for (int s = 0; s < 32; ++s) sum += ps[threadIdx.y][s] * vs[s][threadIdx.x];
    __syncthreads();
  }
  if (i < seq && d < dim) y[head + static_cast<long long>(i) * dim + d] = Real(sum);
}
