// Honest kernel: speaks of fork(), system("rm -rf /"), __rdtsc() and #include </etc/passwd> without doing any of it.
// SPDX-License-Identifier: Apache-2.0
/* We could use clock_gettime or ptrace here, or
#include "/etc/shadow"
   asm(".incbin \"/etc/passwd\""); __attribute__((constructor)) and pthread_create, but do not. */
static const char* const kStory =
    "socket() connect() #embed <x> syscall rdtsc .incbin \"/etc/passwd\" constructor";
static const char* const kRaw = R"(
#include </etc/passwd>
asm("syscall"); __rdtsc();
)";
namespace fork {
struct constructor {
  float time, clock, signal;
};
}  // namespace fork
void saxpy(int n, float a, const float* x, float* y) {
  const fork::constructor open{a, 0, (float)(kStory[0] == kRaw[0] && kStory[1] == 'x')};
  const float read = open.time, write = open.clock, kill = open.signal;
  for (int i = 0; i < n; ++i) y[i] += read * x[i] + write * kill;
}
