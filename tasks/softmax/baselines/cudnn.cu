// softmax by cuDNN, rows as images of one pixel per element.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cudnn
#include <cudnn.h>

extern "C" int softmax(int rows, int cols, int pitch, const float* x, float* y,
                       cudaStream_t stream) {
  static cudnnHandle_t handle = nullptr;
  static cudnnTensorDescriptor_t shape = nullptr;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (handle == nullptr) status = cudnnCreate(&handle);
  if (status == CUDNN_STATUS_SUCCESS && shape == nullptr)
    status = cudnnCreateTensorDescriptor(&shape);
  if (status == CUDNN_STATUS_SUCCESS) status = cudnnSetStream(handle, stream);
  if (status == CUDNN_STATUS_SUCCESS)
    status =
        cudnnSetTensor4dDescriptorEx(shape, CUDNN_DATA_FLOAT, rows, cols, 1, 1, pitch, 1, 1, 1);
  const float one = 1, zero = 0;
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one,
                                 shape, x, &zero, shape, y);
  return status == CUDNN_STATUS_SUCCESS ? 0 : 3000 + status;
}
