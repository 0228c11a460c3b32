// Reads and sets the processors of a thread by Linux's affinity calls.
// SPDX-License-Identifier: Apache-2.0
#include "platform/processors.h"

#include <sched.h>

namespace kw::platform {

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  return processors;
}

void run_on(std::span<const int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace kw::platform
