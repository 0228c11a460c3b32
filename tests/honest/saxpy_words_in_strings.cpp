// Honest kernel: has words of attacks in literals, raw ones too.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>
static const char* const kNotes[] = {"asm(\"syscall\")", "rdtsc", "__attribute__((constructor))",
                                     R"x(
#include "/etc/shadow"
#pragma GCC optimize("Ofast")
)x"};
void saxpy(int n, float a, const float* x, float* y) {
  int length = 0;
  for (const char* note : kNotes) length += (int)strlen(note);
  if (length == 0) return;
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
