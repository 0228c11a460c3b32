// Does what the knowledge card about "asynchronous copies" says, and compares the result with plain
// code.
// SPDX-License-Identifier: Apache-2.0
#define CARD "asynchronous copies"
#include "common.cuh"
// Every thread copies BYTES a stage into one of three buffers; a group is committed for each stage;
// wait for all but the newest group, then synchronise. Copies of less than BYTES fill with zeros
// (source size as the last operand).
template <int BYTES>
__device__ void copy(void* dst, const void* src, int bytes) {
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(smem(dst)), "l"(src),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(smem(dst)), "l"(src),
                 "r"(bytes), "n"(BYTES)
                 : "memory");
}
template <int BYTES>
__global__ void rounds(const char* in, int n_bytes,
                       char* out) {  // out = the pieces with threads reversed
  constexpr int STAGES = 3;
  __shared__ __align__(16) char buffer[STAGES][256 * BYTES];
  const int t = threadIdx.x, pieces = (n_bytes + 256 * BYTES - 1) / (256 * BYTES);
  auto issue = [&](int s) {
    if (s < pieces) {
      const int at = (s * 256 + t) * BYTES;
      copy<BYTES>(&buffer[s % STAGES][t * BYTES], in + (at < n_bytes ? at : 0),
                  max(0, min(BYTES, n_bytes - at)));
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int s = 0; s < STAGES - 1; ++s) issue(s);
  for (int s = 0; s < pieces; ++s) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    issue(s + STAGES - 1);
    for (int b = 0; b < BYTES; ++b)
      out[(s * 256 + t) * BYTES + b] = buffer[s % STAGES][(255 - t) * BYTES + b];
  }
}
template <int BYTES>
long wrong(int n_bytes, int begin) {
  Random r;
  std::vector<char> in(begin + n_bytes);
  for (auto& c : in) c = char(1 + r.next() % 100);
  const int pieces = (n_bytes + 256 * BYTES - 1) / (256 * BYTES);
  char *d = to_device(in), *out;
  CU(cudaMalloc(&out, pieces * 256 * BYTES));
  rounds<BYTES><<<1, 256>>>(d + begin, n_bytes, out);
  CU(cudaGetLastError());
  auto got = to_host(out, pieces * 256 * BYTES);
  long bad = 0;
  for (int s = 0; s < pieces; ++s)
    for (int t = 0; t < 256; ++t)
      for (int b = 0; b < BYTES; ++b) {
        const int at = (s * 256 + 255 - t) * BYTES + b;
        bad += got[(s * 256 + t) * BYTES + b] != (at < n_bytes ? in[begin + at] : 0);
      }
  return bad;
}
int main() {
  const long a = wrong<4>(51238, 4), b = wrong<8>(51242, 8),
             c = wrong<16>(102420, 16);  // each ends inside a piece
  char text[99];
  snprintf(text, sizeof text, "(4 bytes: %ld, 8 bytes: %ld, 16 bytes: %ld wrong)", a, b, c);
  return verdict(!a && !b && !c, text);
}
