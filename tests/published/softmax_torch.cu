// A softmax as an extension of PyTorch, for every floating-point type.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

namespace {

template <typename scalar_t>
__global__ void softmax_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y,
                               int64_t rows, int64_t cols) {
  extern __shared__ char raw[];
  float* partial = reinterpret_cast<float*>(raw);
  const int64_t row = blockIdx.x;
  float m = -INFINITY;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, static_cast<float>(x[row * cols + i]));
  partial[threadIdx.x] = m;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + o]);
    __syncthreads();
  }
  m = partial[0];
  __syncthreads();
  float s = 0;
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) s += expf(static_cast<float>(x[row * cols + i]) - m);
  partial[threadIdx.x] = s;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) partial[threadIdx.x] += partial[threadIdx.x + o];
    __syncthreads();
  }
  s = partial[0];
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x)
    y[row * cols + i] = static_cast<scalar_t>(expf(static_cast<float>(x[row * cols + i]) - m) / s);
}

}  // namespace

torch::Tensor softmax_forward(torch::Tensor x) {
  CHECK_INPUT(x);
  const auto rows = x.size(0);
  const auto cols = x.size(1);
  auto y = torch::empty_like(x);
  const int threads = 256;
  const size_t shared = threads * sizeof(float);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "softmax_forward", ([&] {
    softmax_kernel<scalar_t><<<rows, threads, shared, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, cols);
  }));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &softmax_forward, "softmax (CUDA)");
}
