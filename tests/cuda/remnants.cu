// For each kind of memory of a GPU that a kernel can write: one kernel that leaves a pattern there,
// and one that looks for it.
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long Word;
#define KW_PATTERN 0xc0ffee11u

static __device__ void tell(Word words, Word* found) {
  if (words > 0) atomicAdd(found, 4 * words);
}
static __device__ Word count_in(const volatile unsigned* place, int words, int first, int step) {
  Word count = 0;
  for (int i = first; i < words; i += step) count += place[i] == KW_PATTERN;
  return count;
}
static __device__ void fill(volatile unsigned* place, int words, int first, int step) {
  for (int i = first; i < words; i += step) place[i] = KW_PATTERN;
}

// Local memory: every thread has a frame of 4 KiB, which the compiler must assume to be written.
extern "C" __global__ void __launch_bounds__(1024, 2) leave_local(Word*) {
  unsigned frame[1024];
  asm volatile("" ::"l"(frame) : "memory");
  fill(frame, 1024, 0, 1);
  asm volatile("" ::"l"(frame) : "memory");
}
extern "C" __global__ void __launch_bounds__(1024, 2) look_local(Word* found) {
  unsigned frame[1024];
  asm volatile("" ::"l"(frame) : "memory");
  tell(count_in(frame, 1024, 0, 1), found);
  asm volatile("" ::"l"(frame) : "memory");
}

// Stack of recursive functions, whose frame size the driver does not know.
static __device__ __noinline__ Word deeper(int depth, int leaves) {
  volatile unsigned frame[32];
  Word count = 0;
  if (leaves)
    fill(frame, 32, 0, 1);
  else
    count = count_in(frame, 32, 0, 1);
  return depth > 0 ? count + deeper(depth - 1, leaves) + (frame[depth & 31] == 1) : count;
}
extern "C" __global__ void __launch_bounds__(1024, 2) leave_stack(Word* found) {
  if (deeper(1, 1) > 1u << 30) *found = 1;
}
extern "C" __global__ void __launch_bounds__(1024, 2) look_stack(Word* found) { tell(deeper(1, 0), found); }

// Shared memory, in its full size.
extern "C" __global__ void leave_shared(Word*) {
  extern __shared__ unsigned room[];
  fill(room, 226 * 256, threadIdx.x, blockDim.x);
}
extern "C" __global__ void look_shared(Word* found) {
  extern __shared__ unsigned room[];
  tell(count_in(room, 226 * 256, threadIdx.x, blockDim.x), found);
}

// Registers: one kernel fills 200 of them, and the other reads PTX registers that were never
// assigned.
extern "C" __global__ void __launch_bounds__(256, 1) leave_registers(Word* found) {
  __shared__ volatile unsigned source[200];
  if (threadIdx.x < 200) source[threadIdx.x] = KW_PATTERN;
  __syncthreads();
  unsigned kept[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) kept[i] = source[i];
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 200; ++i) sum = (sum ^ kept[i]) * 69069u;
  if (sum == 1) *found = sum;
}
extern "C" __global__ void __launch_bounds__(256, 1) look_registers(Word* found) {
  unsigned count = 0;
  asm volatile(
      "{ .reg .b32 r<64>; .reg .pred p; .reg .b32 one;\n"
#define KW_LOOK(n) "setp.eq.u32 p, r" #n ", 0xc0ffee11; selp.u32 one, 1, 0, p; add.u32 %0, %0, one;\n"
      KW_LOOK(0) KW_LOOK(1) KW_LOOK(2) KW_LOOK(3) KW_LOOK(4) KW_LOOK(5) KW_LOOK(6) KW_LOOK(7) KW_LOOK(8) KW_LOOK(9)
      KW_LOOK(10) KW_LOOK(11) KW_LOOK(12) KW_LOOK(13) KW_LOOK(14) KW_LOOK(15) KW_LOOK(16) KW_LOOK(17) KW_LOOK(18)
      KW_LOOK(19) KW_LOOK(20) KW_LOOK(21) KW_LOOK(22) KW_LOOK(23) KW_LOOK(24) KW_LOOK(25) KW_LOOK(26) KW_LOOK(27)
      "}"
      : "+r"(count));
  tell(count, found);
}

// Variables of the module, and the 4 KiB after one of them.
__device__ unsigned globals[1 << 20];
extern "C" __global__ void leave_globals(Word*) {
  fill(globals, 1 << 20, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}
extern "C" __global__ void look_globals(Word* found) {
  tell(count_in(globals, 1 << 20, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x), found);
}
extern "C" __global__ void leave_behind_globals(Word*) {
  fill(globals + (1 << 20) + 256, 1024, threadIdx.x, blockDim.x);
}
extern "C" __global__ void look_behind_globals(Word* found) {
  tell(count_in(globals + (1 << 20) + 256, 1024, threadIdx.x, blockDim.x), found);
}

// Constant memory after a constant, and after a kernel's parameters.
__constant__ unsigned constants[4] = {1, 2, 3, 4};
extern "C" __global__ void look_behind_constants(Word* found) {
  tell(count_in(constants, 8192, 4 + threadIdx.x, blockDim.x), found);
}
struct Many {
  unsigned words[64];
};
struct Few {
  unsigned words[2];
};
extern "C" __global__ void leave_parameters(Word* found, const __grid_constant__ Many many) {
  if (many.words[threadIdx.x & 63] == 1) *found = 1;
}
extern "C" __global__ void look_behind_parameters(Word* found, const __grid_constant__ Few few) {
  tell(count_in((const volatile unsigned*)few.words, 66, 2 + threadIdx.x, blockDim.x), found);
}

// Memory after a table of the plan, up to the end of its 2 MiB.
extern "C" __global__ void leave_table(Word*, unsigned* table) {
  fill(table + 64, (1 << 19) - 64, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}
extern "C" __global__ void look_table(Word* found, const unsigned* table) {
  tell(count_in(table + 64, (1 << 19) - 64, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x), found);
}

// The heap of device code: 32 blocks of 64 KiB are freed and allocated again.
extern "C" __global__ void leave_heap(Word*) {
  unsigned* block = (unsigned*)malloc(65536);
  if (block == nullptr) return;
  fill(block, 16384, 0, 1);
  free(block);
}
extern "C" __global__ void look_heap(Word* found) {
  unsigned* block = (unsigned*)malloc(65536);
  if (block == nullptr) return;
  tell(count_in(block, 16384, 0, 1), found);
  free(block);
}
