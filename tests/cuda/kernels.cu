// Kernels that tests/cuda runs on a GPU: some behave well, the others misbehave in one way each.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void triple(float* y, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] *= 3;
}

template <int kBy>
__global__ void multiply(float* y, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] *= (float)kBy;
}
template __global__ void multiply<3>(float*, int);

/// Counts its own calls in a device global.
__device__ int calls;
extern "C" __global__ void count_calls(float* y) { y[0] = (float)++calls; }

/// Leaves a value in shared memory; the kernel recall() reads it in a later launch.
extern "C" __global__ void remember(float value) {
  extern __shared__ float room[];
  room[threadIdx.x] = value;
}
extern "C" __global__ void recall(float* y) {
  extern __shared__ float room[];
  y[blockIdx.x * blockDim.x + threadIdx.x] = room[threadIdx.x];
}

extern "C" __global__ void gather(const int* table, const float* x, float* y, int n) {
  const int i = (int)threadIdx.x;
  if (i < n) y[i] = x[table[i]];
}

struct Scale {
  float by;
  int n;
  const float* x;
};
extern "C" __global__ void scale(Scale s, float* y) {
  const int i = (int)threadIdx.x;
  if (i < s.n) y[i] = s.by * s.x[i];
}

/// All blocks wait for each other. Only a cooperative launch guarantees that this ends.
__device__ unsigned arrived;
extern "C" __global__ void sum_by_grid(const float* x, float* partial, float* y, int n) {
  const int me = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int all = (int)(gridDim.x * blockDim.x);
  float sum = 0;
  for (int i = me; i < n; i += all) sum += x[i];
  partial[me] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  if (me != 0) return;
  float total = 0;
  for (int i = 0; i < all; ++i) total += ((volatile float*)partial)[i];
  y[0] = total;
}

/// Sleeps until the global timer, which the referee's clock reads too, has advanced by `ns`.
extern "C" __global__ void sleep_for(unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < ns);
}

/// Reads a buffer and reports how many clock cycles that took: few if the buffer was in the cache.
extern "C" __global__ void read_clocks(const float* x, float* y, int n) {
  float sum = 0;
  const long long start = clock64();
  for (int i = 0; i < n; i += 32) sum += ((volatile const float*)x)[i];
  const long long end = clock64();
  y[0] = (float)(end - start);
  y[1] = sum;
}

extern "C" __global__ void tell_address(const float* of, unsigned long long* y) {
  *y = (unsigned long long)of;
}
extern "C" __global__ void write_to(unsigned long long address) { *(float*)address = 42; }
extern "C" __global__ void write_at(float* y, long long at) { y[at] = 1; }
extern "C" __global__ void write_input(float* x) { x[0] = 1; }
extern "C" __global__ void trap() { asm volatile("trap;"); }
extern "C" __global__ void hang(volatile int* y) {
  while (y[0] != 12345) {
  }
}
/// One warp of a block of 64 threads waits at a barrier that the other warp never reaches.
extern "C" __global__ void half_barrier(volatile float* y) {
  if (threadIdx.x < 32) {
    while (y[0] != 12345.f) {
    }
  }
  __syncthreads();
}

// Computes y = 2 x for referee_test.cc over rows of 24 elements with a pitch of 27, one row in each
// block.
template <class Real>
__device__ void twice_row(const Real* x, Real* y) {
  if (threadIdx.x < 24) y[blockIdx.x * 27 + threadIdx.x] = 2 * x[blockIdx.x * 27 + threadIdx.x];
}
extern "C" __global__ void twice(int, const float* x, float* y) { twice_row(x, y); }
extern "C" __global__ void twice_f64(int, const double* x, double* y) { twice_row(x, y); }
extern "C" __global__ void nearly_twice_f64(int, const double* x, double* y) {
  if (threadIdx.x < 24)
    y[blockIdx.x * 27 + threadIdx.x] = 2.00000001 * x[blockIdx.x * 27 + threadIdx.x];
}

// Computes y = 2 x after `repeats` reads of the input.
extern "C" __global__ void twice_slowly(int, const volatile float* x, float* y, int repeats) {
  float seen = 0;
  for (int k = 0; k < repeats; ++k) seen += x[threadIdx.x % 24];
  if (seen != 1e30f) twice_row(const_cast<const float*>(x), y);
}

extern "C" __global__ void twice_but_the_last(int rows, const float* x, float* y) {
  if (rows == 1 || blockIdx.x + 1 < rows) twice_row(x, y);
}
extern "C" __global__ void twice_and_far(int, const float* x, float* y) {
  twice_row(x, y);
  y[1ll << 28] = 1;
}
extern "C" __global__ void twice_and_beside(int rows, const float* x, float* y) {
  twice_row(x, y);
  if (blockIdx.x + 1 == rows && threadIdx.x == 0) y[-1] = 1;
}
extern "C" __global__ void twice_in_place(int, float* x, float* y) {
  twice_row(x, y);
  x[0] = 0;
}
extern "C" __global__ void twice_forever(int, const float* x, volatile float* y) {
  while (y[0] != 1e30f) y[1] = x[0];
}

// Is right only in the first call after the module was loaded.
__device__ int has_answered;
extern "C" __global__ void twice_once(int, const float* x, float* y) {
  if (atomicAdd(&has_answered, 1) < gridDim.x * blockDim.x) twice_row(x, y);
}

// Computes through a workspace, and writes past its end if `beyond` is set.
extern "C" __global__ void twice_by_workspace(int, const float* x, float* y, float* scratch,
                                              int beyond) {
  const int at = blockIdx.x * 27 + threadIdx.x;
  scratch[at] = x[at];
  if (threadIdx.x < 24) y[at] = 2 * scratch[at];
  if (beyond > 0 && at == 0) scratch[beyond] = 1;
}
