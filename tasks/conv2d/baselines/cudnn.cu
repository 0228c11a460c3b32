// conv2d by cuDNN in float32: of the algorithms that multiply as the definition does, the fastest
// here.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cudnn
// kw: let SCRATCH = 1073741824
// kw: workspace scratch u8 [SCRATCH]
#include <cudnn.h>

#include <array>
#include <map>

namespace {

#define KW_NN(call) \
  if (const cudnnStatus_t s = (call); s != CUDNN_STATUS_SUCCESS) return 3000 + s

/// Descriptors of one shape and the algorithm that was found for it, kept until the process ends.
struct Convolution {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t f = nullptr;
  cudnnConvolutionDescriptor_t how = nullptr;
  cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  bool is_chosen = false;
};

/// Transforms over large tiles lose digits that the RMS gate asks for.
bool keeps_digits(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD;
}

int choose(cudnnHandle_t handle, Convolution& c, const float* x, const float* f, float* y,
           void* scratch) {
  cudnnConvolutionFwdAlgoPerf_t found[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
  int count = 0;
  KW_NN(cudnnFindConvolutionForwardAlgorithmEx(handle, c.x, x, c.f, f, c.how, c.y, y,
                                               CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count, found,
                                               scratch, SCRATCH));
  // cuDNN returns algorithms in the order of their times.
  for (int i = 0; i < count && !c.is_chosen; ++i) {
    const bool is_plain =
        found[i].mathType == CUDNN_FMA_MATH || found[i].mathType == CUDNN_DEFAULT_MATH;
    if (found[i].status != CUDNN_STATUS_SUCCESS || !is_plain || found[i].memory > SCRATCH ||
        !keeps_digits(found[i].algo))
      continue;
    c.algorithm = found[i].algo;
    c.is_chosen = true;
  }
  return c.is_chosen ? 0 : 1;
}

}  // namespace

extern "C" int conv2d(int n, int ci, int co, int h, int w, int kh, int kw, int stride, int pad,
                      int ho, int wo, const float* x, const float* f, float* y, void* scratch,
                      cudaStream_t stream) {
  static cudnnHandle_t handle = nullptr;
  static std::map<std::array<int, 9>, Convolution> convolutions;
  if (handle == nullptr) KW_NN(cudnnCreate(&handle));
  KW_NN(cudnnSetStream(handle, stream));
  Convolution& c = convolutions[{n, ci, co, h, w, kh, kw, stride, pad}];
  if (!c.is_chosen) {
    KW_NN(cudnnCreateTensorDescriptor(&c.x));
    KW_NN(cudnnCreateTensorDescriptor(&c.y));
    KW_NN(cudnnCreateFilterDescriptor(&c.f));
    KW_NN(cudnnCreateConvolutionDescriptor(&c.how));
    KW_NN(cudnnSetTensor4dDescriptor(c.x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, ci, h, w));
    KW_NN(cudnnSetTensor4dDescriptor(c.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, co, ho, wo));
    KW_NN(cudnnSetFilter4dDescriptor(c.f, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, co, ci, kh, kw));
    KW_NN(cudnnSetConvolution2dDescriptor(c.how, pad, pad, stride, stride, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    // Without this math type cuDNN may round inputs to TF32.
    KW_NN(cudnnSetConvolutionMathType(c.how, CUDNN_FMA_MATH));
    if (const int failed = choose(handle, c, x, f, y, scratch)) return failed;
  }
  const float one = 1, zero = 0;
  KW_NN(cudnnConvolutionForward(handle, &one, c.x, x, c.f, f, c.how, c.algorithm, scratch, SCRATCH,
                                &zero, c.y, y));
  return 0;
}
