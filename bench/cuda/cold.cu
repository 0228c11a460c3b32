// bench-cold: times one kernel as nvbench's cold method is described to do, for comparison.
// SPDX-License-Identifier: Apache-2.0
//
// usage: bench-cold (copy|wait) N WAIT_NS SAMPLES (memset|clean): prints the median in ns of the
// event pair.
//
// Before each sample, `memset` writes as many bytes as the L2 has. `clean` flushes like
// Kernelwright's referee: it writes twice as many bytes and reads as many others, which leaves no
// line to be written back. Then a kernel holds the stream until everything is queued, so that no
// launch is waited for, and event, kernel and event follow. Written for this benchmark after
// nvbench's documentation.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../kernels/clock_copy.cu"
#include "../tasks/clock/baselines/wait.cu"

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "bench-cold: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

__global__ void hold(const volatile int* is_open) {
  while (*is_open == 0) {
  }
}

__global__ void read_all(const uint4* from, long long quads, unsigned* sink) {
  unsigned sum = 0;
  const long long all = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < quads;
       i += all) {
    const uint4 v = __ldcg(from + i);
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum == 1) *sink = sum;  // never true; keeps the compiler from removing the loads
}

struct Flush {
  void* written = nullptr;
  void* read = nullptr;  // null: memory is only written, not read
  std::size_t bytes = 0;

  void launch(cudaStream_t stream) const {
    check(cudaMemsetAsync(written, 0, bytes, stream), "memset");
    if (read != nullptr)
      read_all<<<1024, 256, 0, stream>>>(static_cast<const uint4*>(read),
                                         static_cast<long long>(bytes / 16),
                                         static_cast<unsigned*>(read));
  }
};

struct Job {
  bool waits = false;
  int n = 0;
  int wait_ns = 0;
  const float* x = nullptr;
  float* y = nullptr;

  void launch(cudaStream_t stream) const {
    const unsigned grid = static_cast<unsigned>((n + 1023LL) / 1024);
    if (waits)
      clock_wait<<<grid, 256, 0, stream>>>(n, wait_ns, x, y);
    else
      clock_copy<<<grid, 256, 0, stream>>>(n, wait_ns, x, y);
  }
};

double sample(const Job& job, const Flush& flush, cudaStream_t stream, volatile int* is_open,
              const int* is_open_device, cudaEvent_t begin, cudaEvent_t end) {
  flush.launch(stream);
  *is_open = 0;
  hold<<<1, 1, 0, stream>>>(is_open_device);
  check(cudaEventRecord(begin, stream), "event");
  job.launch(stream);
  check(cudaEventRecord(end, stream), "event");
  *is_open = 1;
  check(cudaStreamSynchronize(stream), "kernel");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
  return ms * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: bench-cold (copy|wait) N WAIT_NS SAMPLES (memset|clean)\n");
    return 2;
  }
  Job job;
  job.waits = std::strcmp(argv[1], "wait") == 0;
  job.n = std::atoi(argv[2]);
  job.wait_ns = std::atoi(argv[3]);
  const int samples = std::max(std::atoi(argv[4]), 1);
  int device = 0, l2_bytes = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device), "attribute");
  const bool is_clean = std::strcmp(argv[5], "clean") == 0;
  Flush flush{.bytes = static_cast<std::size_t>(l2_bytes) * (is_clean ? 2 : 1)};
  void *x = nullptr, *y = nullptr;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(job.n);
  check(cudaMalloc(&x, bytes), "malloc");
  check(cudaMalloc(&y, bytes), "malloc");
  check(cudaMalloc(&flush.written, flush.bytes), "malloc");
  if (is_clean) {
    check(cudaMalloc(&flush.read, flush.bytes), "malloc");
    check(cudaMemset(flush.read, 0, flush.bytes), "memset");
  }
  check(cudaMemset(x, 0x3f, bytes), "memset");
  job.x = static_cast<const float*>(x), job.y = static_cast<float*>(y);
  int *flag = nullptr, *flag_device = nullptr;
  check(cudaHostAlloc(reinterpret_cast<void**>(&flag), sizeof(int), cudaHostAllocMapped), "alloc");
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&flag_device), flag, 0), "pointer");
  cudaStream_t stream;
  cudaEvent_t begin, end;
  check(cudaStreamCreate(&stream), "stream");
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  const auto one = [&] { return sample(job, flush, stream, flag, flag_device, begin, end); };
  // Runs the kernel for 200 ms, until the clocks have risen.
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(200)) one();
  std::vector<double> ns;
  for (int i = 0; i < samples; ++i) ns.push_back(one());
  std::sort(ns.begin(), ns.end());
  const std::size_t half = ns.size() / 2;
  std::printf("%.1f\n", ns.size() % 2 == 1 ? ns[half] : (ns[half - 1] + ns[half]) / 2);
  return 0;
}
