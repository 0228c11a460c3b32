// The magnitude that the gate of attention_bf16 is measured against, on a GPU: the root of the sum of (p v)^2.
// SPDX-License-Identifier: Apache-2.0
// kw: let QUERIES = 8, KEYS = 32
// kw: launch attention_magnitude grid(ceil_div(seq, QUERIES), min(heads, 65535)) block(KEYS, QUERIES) args(
// kw:   heads, seq, dim, causal, q, k, v, y)

// One query per row of threads, one key per thread. Two passes over the keys: the first finds the
// largest score and the sum of the weights, the second adds the squares up in y.
extern "C" __global__ void attention_magnitude(int heads, int seq, int dim, int causal, const double* q,
                                  const double* k, const double* v, double* y) {
  __shared__ double queries[QUERIES][KEYS];
  __shared__ double keys[KEYS][KEYS + 1];
  __shared__ double weight[QUERIES][KEYS];
  const int lane = threadIdx.x, row = threadIdx.y;
  const int i = blockIdx.x * QUERIES + row;
  const int count = i >= seq ? 0 : causal != 0 ? i + 1 : seq;
  const int last = causal != 0 ? min(seq, static_cast<int>(blockIdx.x + 1) * QUERIES) : seq;
  const int tiles = (last + KEYS - 1) / KEYS;
  const double scale = 1 / sqrt(static_cast<double>(dim));
  for (int g = blockIdx.y; g < heads; g += gridDim.y) {
    const long long head = static_cast<long long>(g) * seq * dim;
    double* out = y + head + static_cast<long long>(i) * dim;
    double largest = -INFINITY, sum = 0;
    for (int turn = 0; turn < 2 * tiles; ++turn) {
      const bool is_second = turn >= tiles;
      const int j0 = (is_second ? turn - tiles : turn) * KEYS;
      double dot = 0;
      for (int d0 = 0; d0 < dim; d0 += KEYS) {
        const int d = d0 + lane;
        queries[row][lane] =
            i < seq && d < dim ? q[head + static_cast<long long>(i) * dim + d] : 0;
        for (int j = row; j < KEYS; j += QUERIES)
          keys[j][lane] =
              j0 + j < seq && d < dim ? k[head + static_cast<long long>(j0 + j) * dim + d] : 0;
        __syncthreads();
        for (int s = 0; s < KEYS; ++s) {
          dot += queries[row][s] * keys[lane][s];
        }
        __syncthreads();
      }
      const double score = j0 + lane < count ? dot * scale : -INFINITY;
      if (!is_second) {
        const double before = largest;
        largest = fmax(largest, score);
        if (largest > -INFINITY) sum = sum * exp(before - largest) + exp(score - largest);
        if (turn + 1 == tiles) {
          // The threads of a query are one warp: they put their parts together.
          for (int far = 16; far > 0; far /= 2) {
            const double other = __shfl_xor_sync(0xffffffffu, largest, far);
            const double others = __shfl_xor_sync(0xffffffffu, sum, far);
            const double both = fmax(largest, other);
            if (both > -INFINITY) sum = sum * exp(largest - both) + others * exp(other - both);
            largest = both;
          }
        }
        continue;
      }
      weight[row][lane] = exp(score - largest) / sum;
      __syncthreads();
      for (int d = lane; count > 0 && d < dim; d += KEYS) {
        double value = j0 == 0 ? 0 : out[d];
        for (int s = 0; s < KEYS && j0 + s < count; ++s) {
          const double part = weight[row][s] * v[head + static_cast<long long>(j0 + s) * dim + d];
          value += part * part;
        }
        out[d] = turn + 1 == 2 * tiles ? sqrt(value) : value;
      }
      __syncthreads();
    }
  }
}
