// A stand-in for NVIDIA's management library. It knows one warm GPU, the calling process, and the
// processes that KW_EMULATED_PROCESSES or the file `faults` lists by id.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "faults.h"

#define KW_NVML extern "C" __attribute__((visibility("default"))) int

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

KW_NVML nvmlInit_v2() { return 0; }
KW_NVML nvmlShutdown() { return 0; }
KW_NVML nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = reinterpret_cast<void*>(1);
  // A slice of a GPU (MIG) is not found by the UUID of the whole GPU.
  const bool is_slice = kw_emulated::faults().name.find(" MIG ") != std::string::npos;
  const bool is_it = std::strcmp(uuid, "GPU-e0e1e2e3-e4e5-e6e7-e8e9-eaebecedeeef") == 0;
  return is_it && !is_slice ? 0 : 6;
}
KW_NVML nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* mhz) {
  return *mhz = 1755, type == 1 ? 0 : 2;
}
KW_NVML nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 412500, 0; }
KW_NVML nvmlDeviceGetTemperature(void*, unsigned, unsigned* degrees) { return *degrees = 61, 0; }
KW_NVML nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  return *bits = 0x1 | 0x4, 0;
}
/// The number of uncorrected memory errors since the driver was loaded, which
/// KW_EMULATED_MEMORY_ERRORS sets.
KW_NVML nvmlDeviceGetTotalEccErrors(void*, unsigned type, unsigned since,
                                    unsigned long long* count) {
  if (type != 1 || since != 0) return 2;
  const char* told = std::getenv("KW_EMULATED_MEMORY_ERRORS");
  *count = told == nullptr ? 0 : std::strtoull(told, nullptr, 10);
  return 0;
}
KW_NVML nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* to) {
  const unsigned room = *count;
  *count = 0;
  to[(*count)++] = {static_cast<unsigned>(::getpid()), 0, 0, 0};
  const char* at = std::getenv("KW_EMULATED_PROCESSES");
  if (at == nullptr) at = kw_emulated::faults().processes.c_str();
  while (at != nullptr && *at != 0 && *count < room) {
    char* end = nullptr;
    to[(*count)++] = {static_cast<unsigned>(std::strtoul(at, &end, 10)), 0, 0, 0};
    at = *end == ',' ? end + 1 : nullptr;
  }
  return 0;
}
