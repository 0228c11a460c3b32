// bench-nvbench: the copy of bench/kernels/clock_copy.cu as a benchmark of NVIDIA's nvbench itself.
// SPDX-License-Identifier: Apache-2.0
//
// Built by bench/parts/h200/clock.sh where NVBENCH_DIR names a build of nvbench. The axis n counts
// elements; only the cold measurement is made.
#include <cuda_runtime.h>

#include <cstddef>
#include <nvbench/nvbench.cuh>
#include <stdexcept>

#include "../kernels/clock_copy.cu"

namespace {

/// Device memory that is freed after one state was measured.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) {
    if (cudaMalloc(&data_, bytes) != cudaSuccess || cudaMemset(data_, 0x3f, bytes) != cudaSuccess)
      throw std::runtime_error("no memory for the copy");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  float* get() const { return static_cast<float*>(data_); }

 private:
  void* data_ = nullptr;
};

void copy(nvbench::state& state) {
  const int n = static_cast<int>(state.get_int64("n"));
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(n);
  const Buffer x(bytes), y(bytes);
  const unsigned grid = static_cast<unsigned>((n + 1023LL) / 1024);
  state.exec(nvbench::exec_tag::no_batch, [&](nvbench::launch& launch) {
    clock_copy<<<grid, 256, 0, launch.get_stream()>>>(n, 0, x.get(), y.get());
  });
}

}  // namespace

NVBENCH_BENCH(copy).add_int64_axis("n", {6291456, 12582912, 33554432, 268435456});
