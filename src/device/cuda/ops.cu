// The referee's operations on its buffers, as kernels that device/cuda_ops.cc launches.
// SPDX-License-Identifier: Apache-2.0
#include "compare.cuh"
#include "draw.cuh"

using namespace kw::device;

namespace {

__device__ __forceinline__ long long first_index() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long all_threads() { return (long long)gridDim.x * blockDim.x; }

__device__ __forceinline__ Word globaltimer() {
  Word t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

/// The body of a fill, as a functor, since NVRTC takes lambdas for host code. The type is decided
/// per element: one loop for each kind of values, instead of one for each kind and type, compiles
/// in a fraction of the time.
struct FillRows {
  void* to;
  ElementType type;
  long long rows, length, pitch;

  __device__ __forceinline__ void store(long long at, double value) const {
    switch (type) {
      case ElementType::F32:
        ((float*)to)[at] = Convert<float>::from(value);
        return;
      case ElementType::F64:
        ((double*)to)[at] = value;
        return;
      case ElementType::I32:
        ((int*)to)[at] = Convert<int>::from(value);
        return;
      case ElementType::I64:
        ((long long*)to)[at] = Convert<long long>::from(value);
        return;
      case ElementType::U8:
        ((unsigned char*)to)[at] = Convert<unsigned char>::from(value);
        return;
      case ElementType::I8:
        ((signed char*)to)[at] = Convert<signed char>::from(value);
        return;
      case ElementType::I16:
        ((short*)to)[at] = Convert<short>::from(value);
        return;
      case ElementType::U16:
        ((unsigned short*)to)[at] = Convert<unsigned short>::from(value);
        return;
      case ElementType::U32:
        ((unsigned int*)to)[at] = Convert<unsigned int>::from(value);
        return;
      case ElementType::U64:
        ((unsigned long long*)to)[at] = Convert<unsigned long long>::from(value);
        return;
      case ElementType::Bool:
        ((Bool*)to)[at] = Convert<Bool>::from(value);
        return;
      case ElementType::F16:
        ((Half*)to)[at] = Convert<Half>::from(value);
        return;
      case ElementType::BF16:
        ((BFloat*)to)[at] = Convert<BFloat>::from(value);
        return;
    }
  }
  template <class Draw>
  __device__ __forceinline__ void operator()(const Draw& draw) const {
    const long long n = rows * length;
#pragma unroll 1
    for (long long i = first_index(); i < n; i += all_threads())
      store(rows == 1 ? i : i / length * pitch + i % length, draw((Word)i));
  }
};

struct EightThreads {
  static constexpr int kOwn = 1;
  __device__ __forceinline__ int first() const { return (int)(threadIdx.x & (KW_LANES - 1)); }
  __device__ __forceinline__ bool any(bool mine) const { return __any_sync(mask(), mine) != 0; }
  __device__ __forceinline__ LaneTotals lane(const LaneTotals* own, int i) const {
    return {from(own->max_abs_diff, i), from(own->max_abs_truth, i), from(own->sum_sq_diff, i),
            from(own->sum_sq_truth, i), from(own->sum_got, i),       from(own->sum_want, i),
            from(own->worst_diff, i),   from(own->worst_allowed, i), from(own->failed, i)};
  }

 private:
  __device__ __forceinline__ static unsigned mask() { return 0xffu << (threadIdx.x & 24); }
  template <class T>
  __device__ __forceinline__ static T from(T mine, int i) {
    return __shfl_sync(mask(), mine, i, KW_LANES);
  }
};

}  // namespace

extern "C" __global__ void kw_fill(void* memory, DrawSpec spec, const Ziggurat* table, int type,
                                   long long rows, long long length, long long pitch) {
  with_draw(spec, *table, FillRows{memory, (ElementType)type, rows, length, pitch});
}

extern "C" __global__ void kw_poison(unsigned char* memory, long long bytes, Word seed) {
  // The alignment is checked here, although all buffers of a device are aligned to more than 16
  // bytes.
  const long long vectors = ((Word)memory & 15) == 0 ? bytes / 16 : 0;
  for (long long i = first_index(); i < vectors; i += all_threads())
    ((ulonglong2*)memory)[i] =
        make_ulonglong2(poison_pair(seed, 2 * (Word)i), poison_pair(seed, 2 * (Word)i + 1));
  for (long long i = vectors * 16 + first_index(); i < bytes; i += all_threads())
    memory[i] = (unsigned char)(poison_pair(seed, (Word)i / 8) >> 8 * (i % 8));
}

extern "C" __global__ void kw_widen(double* to, const void* from, int type, long long rows,
                                    long long length, long long pitch) {
  const long long n = rows * length;
  for (long long i = first_index(); i < n; i += all_threads()) {
    const long long at = rows == 1 ? i : i / length * pitch + i % length;
    switch ((ElementType)type) {
      case ElementType::F32:
        to[at] = (double)((const float*)from)[at];
        break;
      case ElementType::F16:
        to[at] = (double)((const Half*)from)[at];
        break;
      case ElementType::BF16:
        to[at] = (double)((const BFloat*)from)[at];
        break;
      default:
        to[at] = ((const double*)from)[at];
    }
  }
}

extern "C" __global__ void kw_narrow(void* to, const double* from, int type, long long rows,
                                     long long length, long long pitch) {
  const long long n = rows * length;
  for (long long i = first_index(); i < n; i += all_threads()) {
    const long long at = rows == 1 ? i : i / length * pitch + i % length;
    switch ((ElementType)type) {
      case ElementType::F32:
        ((float*)to)[at] = nearest_of<float>(from[at]);
        break;
      case ElementType::F16:
        ((Half*)to)[at] = nearest_of<Half>(from[at]);
        break;
      case ElementType::BF16:
        ((BFloat*)to)[at] = nearest_of<BFloat>(from[at]);
        break;
      default:
        ((double*)to)[at] = from[at];
    }
  }
}

/// Adds the number of differing bytes to `count`, over `rows` of `length` bytes, `pitch` apart.
extern "C" __global__ void kw_count_differences(const unsigned char* a, const unsigned char* b,
                                                long long rows, long long length, long long pitch,
                                                Word* count) {
  Word mine = 0;
  long long done = 0;
  if (rows == 1 && (((Word)a | (Word)b) & 7) == 0) {
    const long long words = length / 8;
    done = words * 8;
    for (long long i = first_index(); i < words; i += all_threads()) {
      Word difference = ((const Word*)a)[i] ^ ((const Word*)b)[i];
      for (; difference != 0; difference >>= 8) mine += (difference & 0xff) != 0;
    }
  }
  const long long n = rows * length;
  for (long long i = done + first_index(); i < n; i += all_threads()) {
    const long long at = rows == 1 ? i : i / length * pitch + i % length;
    mine += a[at] != b[at];
  }
  if (mine != 0) atomicAdd(count, mine);
}

extern "C" __global__ void kw_arm_guards(unsigned char* front, long long front_bytes,
                                         unsigned char* back, long long back_bytes, Word key) {
  for (long long i = first_index(); i < front_bytes; i += all_threads())
    front[i] = canary_byte(key, (Word)i);
  for (long long i = first_index(); i < back_bytes; i += all_threads())
    back[i] = canary_byte(~key, (Word)i);
}

/// Sets found[0] to one past the last broken byte in front, 0 if there is none, and found[1] to the
/// first broken byte behind, all ones if there is none. The caller initialises both.
extern "C" __global__ void kw_check_guards(const unsigned char* front, long long front_bytes,
                                           const unsigned char* back, long long back_bytes,
                                           Word key, Word* found) {
  for (long long i = first_index(); i < front_bytes; i += all_threads())
    if (front[i] != canary_byte(key, (Word)i)) atomicMax(&found[0], (Word)i + 1);
  for (long long i = first_index(); i < back_bytes; i += all_threads())
    if (back[i] != canary_byte(~key, (Word)i)) atomicMin(&found[1], (Word)i);
}

/// Compares with eight threads per piece; each block has `segments` segments, at most
/// KW_BLOCK_SEGMENTS, and writes their sums.
extern "C" __launch_bounds__(256, 3) __global__ void kw_compare(CompareJob job, int segments,
                                                                ScalarTotals* out) {
  __shared__ ScalarTotals totals[KW_BLOCK_SEGMENTS * KW_SEGMENT];
  __shared__ int chosen[KW_BLOCK_SEGMENTS * KW_SEGMENT];
  __shared__ int many;
  if (threadIdx.x == 0) many = 0;
  __syncthreads();
  const long long begin = (long long)blockIdx.x * segments * KW_SEGMENT;
  const long long left = job.pieces - begin;
  const int count = (int)(left < segments * KW_SEGMENT ? left : segments * KW_SEGMENT);
  for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
    if (is_chosen(job, begin + i)) chosen[atomicAdd(&many, 1)] = i;
  __syncthreads();
  for (int i = (int)threadIdx.x / KW_LANES; i < many; i += (int)blockDim.x / KW_LANES) {
    const ScalarTotals sum = compare_piece(job, EightThreads(), begin + chosen[i]);
    if (EightThreads().first() == 0) totals[chosen[i]] = sum;
  }
  __syncthreads();
  const int first = (int)threadIdx.x * KW_SEGMENT;
  if (first >= count) return;
  ScalarTotals sum = no_scalar();
  for (int i = first; i < count && i < first + KW_SEGMENT; ++i)
    if (is_chosen(job, begin + i)) add_piece(sum, totals[i]);
  out[begin / KW_SEGMENT + threadIdx.x] = sum;
}

/// Fills the L2 with dirty lines of this buffer.
extern "C" __global__ void kw_flush_write(uint4* to, long long quads, unsigned value) {
  for (long long i = first_index(); i < quads; i += all_threads())
    to[i] = make_uint4(value, value + 1, value + 2, (unsigned)i);
}

/// Replaces the dirty lines in the L2 by clean lines of another buffer, whatever it holds; the
/// condition keeps the compiler from dropping the loads.
extern "C" __global__ void kw_flush_read(const uint4* from, long long quads, unsigned* sink) {
  unsigned sum = 0;
  for (long long i = first_index(); i < quads; i += all_threads()) {
    const uint4 v = __ldcg(&from[i]);
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum == 0x9e37'79b9u) *sink = sum;
}

/// Sets out[0] to the smallest step of the timer that was seen, in ns; out[1] to the number of
/// steps; out[2] to the ns from the first to the last step.
extern "C" __global__ void kw_timer_tick(Word* out, int reads) {
  Word smallest = ~(Word)0;
  Word steps = 0;
  const Word first = globaltimer();
  Word last = first;
  for (int i = 0; i < reads; ++i) {
    const Word now = globaltimer();
    if (now == last) continue;
    smallest = now - last < smallest ? now - last : smallest;
    last = now;
    ++steps;
  }
  out[0] = smallest;
  out[1] = steps;
  out[2] = last - first;
}
