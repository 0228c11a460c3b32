// An elementwise kernel in CuTe, for measuring how long it takes to compile.
// SPDX-License-Identifier: Apache-2.0
//
// kw: dialect cute
// kw: tune TILE = 1024, 256
// kw: launch scale grid(ceil_div(n, TILE)) block(256) args(x, a, n)
#include <cute/tensor.hpp>

extern "C" __global__ void scale(float* x, float a, int n) {
  using namespace cute;
  auto all = make_tensor(make_gmem_ptr(x), make_shape(n));
  auto tile = local_tile(all, Shape<Int<TILE>>{}, int(blockIdx.x));
  const int left = n - int(blockIdx.x) * TILE;
  for (int i = int(threadIdx.x); i < TILE && i < left; i += int(blockDim.x)) tile(i) = a * tile(i);
}
