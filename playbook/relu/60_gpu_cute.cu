// relu in CuTe: a layout says which values of a block's piece each thread has, in whole vectors.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect cute
// kw: technique vectorization, loads in flight
// kw: tune VECTORS = 1, 2, 4
// kw: tune THREADS = 512, 256, 1024
// kw: let BLOCK = THREADS * VECTORS * 4
// kw: launch relu_tiles grid(ceil_div(n, BLOCK)) block(THREADS) args(n, x, y)
#include <cute/tensor.hpp>

using namespace cute;

// Maps (thread, value) to a place: four neighbours, and the next four THREADS vectors further on.
using Owners = Layout<Shape<Int<THREADS>, Shape<_4, Int<VECTORS>>>,
                      Stride<_4, Stride<_1, Int<4 * THREADS>>>>;
using Vectors = AutoVectorizingCopyWithAssumedAlignment<128>;

static __device__ __forceinline__ float relu_of(float x) { return x > 0.0f ? x : 0.0f; }

extern "C" __global__ void __launch_bounds__(THREADS)
    relu_tiles(int n, const float* __restrict__ x, float* __restrict__ y) {
  const int64_t length = n, block = blockIdx.x;
  auto in = local_tile(make_tensor(make_gmem_ptr(x), make_shape(length)), Shape<Int<BLOCK>>{}, make_coord(block));
  auto out = local_tile(make_tensor(make_gmem_ptr(y), make_shape(length)), Shape<Int<BLOCK>>{}, make_coord(block));
  const int64_t left = length - block * BLOCK;
  if (left < BLOCK) {
    for (int i = int(threadIdx.x); i < int(left); i += THREADS) out(i) = relu_of(in(i));
    return;
  }
  auto from = composition(in, Owners{})(int(threadIdx.x), _);
  auto to = composition(out, Owners{})(int(threadIdx.x), _);
  auto values = make_fragment_like(from);
  copy(Vectors{}, from, values);
#pragma unroll
  for (int i = 0; i < int(cute::size(values)); ++i) values(i) = relu_of(values(i));
  copy(Vectors{}, values, to);
}
