// An honest kernel: y[t] = number of processors that OpenMP thread t may run on, y[2 + t] = the
// first of them.
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>
#include <sched.h>

extern "C" void kw_entry(void* const* args) {
  float* y = *static_cast<float* const*>(args[2]);
#pragma omp parallel
  {
    cpu_set_t set;
    ::sched_getaffinity(0, sizeof set, &set);
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &set)) ++first;
    y[omp_get_thread_num()] = static_cast<float>(CPU_COUNT(&set));
    y[2 + omp_get_thread_num()] = static_cast<float>(first);
  }
}
