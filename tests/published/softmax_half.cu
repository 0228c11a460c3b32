// A softmax of halves as an extension of PyTorch, with at::Half and a separate launch function.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename T>
__global__ void softmax_warp(const T* x, T* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float m = -std::numeric_limits<float>::infinity();
  for (int i = threadIdx.x; i < cols; i += 32) m = max(m, float(x[row * cols + i]));
  for (int o = 16; o > 0; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffff, m, o));
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += 32) s += expf(float(x[row * cols + i]) - m);
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
  for (int i = threadIdx.x; i < cols; i += 32) y[row * cols + i] = T(expf(float(x[row * cols + i]) - m) / s);
}

template <typename T>
void launch(const T* x, T* y, int rows, int cols, cudaStream_t stream) {
  const dim3 block(32, 4);
  softmax_warp<T><<<at::ceil_div(rows, (int)block.y), block, 0, stream>>>(x, y, rows, cols);
}

void softmax(at::Tensor input, at::Tensor output) {
  launch<at::Half>(input.data_ptr<at::Half>(), output.data_ptr<at::Half>(), input.size(0), input.size(1),
                   at::cuda::getCurrentCUDAStream());
}
