// Trusted kernels that run in a player's context beside a candidate: they tell the time and prepare
// calls.
// SPDX-License-Identifier: Apache-2.0

typedef unsigned long long Word;

// Indices of words in the page that src/player/clock_page.h lays out.
#define KW_GO 0
#define KW_ANNOUNCED 8
#define KW_END 9
#define KW_STAMPED 16
#define KW_STAMP 17

static __device__ __forceinline__ Word globaltimer() {
  Word t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

#include "scrub.cuh"

/// Runs as one thread. Waits until the host has queued everything (at most `patience_ns`), then
/// announces when it will end, and ends then.
extern "C" __global__ void kw_spacer(volatile Word* page, Word nonce, Word lead_ns,
                                     Word patience_ns) {
  const Word start = globaltimer();
  while (page[KW_GO] != nonce && globaltimer() - start < patience_ns) {
  }
  const Word end = globaltimer() + lead_ns;
  page[KW_END] = end;
  __threadfence_system();
  page[KW_ANNOUNCED] = nonce;
  __threadfence_system();
  while (globaltimer() < end) {
  }
}

/// Writes the time at which the work queued before it had ended; runs as one thread, behind the
/// candidate.
extern "C" __global__ void kw_stamp(volatile Word* page, Word nonce) {
  page[KW_STAMP] = globaltimer();
  __threadfence_system();
  page[KW_STAMPED] = nonce;
  __threadfence_system();
}

struct Stretch {
  const unsigned char* at;
  Word bytes;
};

/// Loads one byte of each 2 MiB of each buffer in every block, so that no call pays for the first
/// access to a page. `sink` is never written, since no buffer has so many pages.
extern "C" __global__ void kw_touch(const Stretch* buffers, int count, Word* sink) {
  const Word page = (Word)2 << 20;
  Word sum = 0;
  for (int b = 0; b < count; ++b)
    for (Word at = threadIdx.x * page; at < buffers[b].bytes; at += blockDim.x * page)
      sum += *(volatile const unsigned char*)(buffers[b].at + at);
  if (sum == ~(Word)0) *sink = sum;
}

/// The fill step of a launch plan: writes `bytes` bytes of `value`, repeated every `unit` bytes;
/// `to` is a multiple of the unit.
extern "C" __global__ void kw_plan_fill(unsigned char* to, Word bytes, Word value, int unit) {
  // The pattern has eight bytes whatever the unit, so that aligned memory is written in words.
  Word pattern = 0;
  for (int b = 0; b < 8; ++b) pattern |= (value >> 8 * (b % unit) & 0xff) << 8 * b;
  const Word first = (Word)blockIdx.x * blockDim.x + threadIdx.x;
  const Word step = (Word)gridDim.x * blockDim.x;
  Word done = 0;
  if (((Word)to & 7) == 0) {
    const Word words = bytes / 8;
    done = words * 8;
    for (Word i = first; i < words; i += step) ((Word*)to)[i] = pattern;
  }
  for (Word i = done + first; i < bytes; i += step) to[i] = (unsigned char)(pattern >> 8 * (i % 8));
}

/// The copy step of a launch plan; source and target do not overlap.
extern "C" __global__ void kw_plan_copy(unsigned char* to, const unsigned char* from, Word bytes) {
  const Word first = (Word)blockIdx.x * blockDim.x + threadIdx.x;
  const Word step = (Word)gridDim.x * blockDim.x;
  Word done = 0;
  if ((((Word)to | (Word)from) & 15) == 0) {
    const Word quads = bytes / 16;
    done = quads * 16;
    for (Word i = first; i < quads; i += step) ((uint4*)to)[i] = ((const uint4*)from)[i];
  }
  for (Word i = done + first; i < bytes; i += step) to[i] = from[i];
}
