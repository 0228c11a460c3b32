// histogram by CUB's DeviceHistogram, one bin for each value.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cub
// kw: let SCRATCH = 33554432
// kw: workspace scratch u8 [SCRATCH]
#include <cub/device/device_histogram.cuh>

extern "C" int histogram(int n, const uint8_t* x, int* h, void* scratch, cudaStream_t stream) {
  constexpr int kLevels = 257;  // edges of 256 bins
  std::size_t needed = 0;
  cudaError_t error =
      cub::DeviceHistogram::HistogramEven(nullptr, needed, x, h, kLevels, 0, 256, n, stream);
  std::size_t bytes = SCRATCH;
  if (error == cudaSuccess && needed > bytes) error = cudaErrorMemoryAllocation;
  if (error == cudaSuccess)
    error = cub::DeviceHistogram::HistogramEven(scratch, bytes, x, h, kLevels, 0, 256, n, stream);
  return error;
}
