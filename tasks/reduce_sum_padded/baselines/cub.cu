// reduce_sum by CUB: DeviceReduce for each of a few rows, DeviceSegmentedReduce for many.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cub
// kw: let SCRATCH = 4194304
// kw: workspace scratch u8 [SCRATCH]
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

namespace {

constexpr int kFewRows = 16;  // a segment gets one block, so that few would leave a GPU idle

/// Where row r begins, and `more` elements further on.
struct RowOffset {
  long long pitch, more;
  __host__ __device__ long long operator()(long long r) const { return r * pitch + more; }
};

template <class Call>
cudaError_t with_scratch(void* scratch, Call call) {
  std::size_t needed = 0;
  if (const cudaError_t error = call(nullptr, needed); error != cudaSuccess) return error;
  std::size_t bytes = SCRATCH;
  return needed > bytes ? cudaErrorMemoryAllocation : call(scratch, bytes);
}

}  // namespace

int reduce_sum(int rows, int cols, int pitch, const float* x, float* y, void* scratch,
                          cudaStream_t stream) {
  if (rows > kFewRows) {
    const auto offsets = [&](long long more) {
      return thrust::make_transform_iterator(thrust::counting_iterator<long long>(0),
                                             RowOffset{pitch, more});
    };
    return with_scratch(scratch, [&](void* at, std::size_t& bytes) {
      return cub::DeviceSegmentedReduce::Sum(at, bytes, x, y, rows, offsets(0), offsets(cols),
                                             stream);
    });
  }
  for (int r = 0; r < rows; ++r) {
    const float* in = x + static_cast<long long>(r) * pitch;
    const cudaError_t error = with_scratch(scratch, [&](void* at, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(at, bytes, in, y + r, cols, stream);
    });
    if (error != cudaSuccess) return error;
  }
  return 0;
}
