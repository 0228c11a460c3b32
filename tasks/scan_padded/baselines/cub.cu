// scan by CUB: DeviceScan for a vector or a few rows, one block per row by its block primitives
// else.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cub
// kw: workspace scratch u8 [1048576 + cols / 64]
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_scan.cuh>

namespace {

constexpr int kFewRows = 16;  // below it a block for each row would leave most of a GPU idle
constexpr int kThreads = 256;
constexpr int kItems = 16;

/// What all tiles of the row before this one sum up to.
struct Carry {
  float sum = 0;
  __device__ float operator()(float tile) {
    const float before = sum;
    sum += tile;
    return before;
  }
};

__global__ void __launch_bounds__(kThreads)
    scan_rows(int cols, int pitch, const float* x, float* y) {
  using Load = cub::BlockLoad<float, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<float, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<float, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } shared;
  constexpr int kTile = kThreads * kItems;
  const float* in = x + static_cast<long long>(blockIdx.x) * pitch;
  float* out = y + static_cast<long long>(blockIdx.x) * pitch;
  Carry carry;
  for (int first = 0; first < cols; first += kTile) {
    float values[kItems];
    const int left = cols - first;
    if (left >= kTile)
      Load(shared.load).Load(in + first, values);
    else
      Load(shared.load).Load(in + first, values, left, 0.0f);
    __syncthreads();
    Scan(shared.scan).InclusiveSum(values, values, carry);
    __syncthreads();
    if (left >= kTile)
      Store(shared.store).Store(out + first, values);
    else
      Store(shared.store).Store(out + first, values, left);
    __syncthreads();
  }
}

}  // namespace

int scan(int rows, int cols, int pitch, const float* x, float* y, void* scratch,
                    cudaStream_t stream) {
  if (rows > kFewRows) {
    scan_rows<<<rows, kThreads, 0, stream>>>(cols, pitch, x, y);
    return cudaGetLastError();
  }
  for (int r = 0; r < rows; ++r) {
    const float* in = x + static_cast<long long>(r) * pitch;
    float* out = y + static_cast<long long>(r) * pitch;
    std::size_t needed = 0;
    cudaError_t error = cub::DeviceScan::InclusiveSum(nullptr, needed, in, out, cols, stream);
    std::size_t bytes = (std::size_t{1} << 20) + static_cast<std::size_t>(cols) / 64;
    if (error == cudaSuccess && needed > bytes) error = cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
      error = cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, cols, stream);
    if (error != cudaSuccess) return error;
  }
  return 0;
}
