// Facts that the stand-in reports about itself: driver, device, limits.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>

#include "engine.h"
#include "exported.h"
#include "faults.h"

using namespace kw::player::cuda;
namespace emu = kw_emulated;

KW_EMULATED cuInit(unsigned) {
  if (const Status lost = emu::loss(); lost != 0) return lost;
  return emu::faults().devices == 0 ? kNoDevice : 0;
}
KW_EMULATED cuDriverGetVersion(int* version) { return *version = emu::faults().driver, 0; }
KW_EMULATED cuDeviceGetCount(int* count) { return *count = emu::faults().devices, 0; }
KW_EMULATED cuDeviceGet(DeviceOrdinal* device, int) { return *device = 0, 0; }
KW_EMULATED cuDeviceGetName(char* name, int size, DeviceOrdinal) {
  std::strncpy(name, emu::faults().name.c_str(), static_cast<std::size_t>(size));
  return 0;
}
KW_EMULATED cuDeviceGetUuid_v2(Uuid* id, DeviceOrdinal) {
  for (int i = 0; i < 16; ++i) id->bytes[i] = static_cast<unsigned char>(0xe0 + i);
  return 0;
}
KW_EMULATED cuDeviceGetUuid(Uuid* id, DeviceOrdinal device) {
  return cuDeviceGetUuid_v2(id, device);
}
KW_EMULATED cuDeviceGetPCIBusId(char* text, int size, DeviceOrdinal) {
  std::strncpy(text, "0000:00:00.0", static_cast<std::size_t>(size));
  return 0;
}
KW_EMULATED cuDeviceGetAttribute(int* value, int attribute, DeviceOrdinal) {
  static const std::map<int, int> values{{kRegistersPerBlock, 65536},
                                         {kClockKilohertz, 10000},
                                         {kMultiprocessors, emu::kMultiprocessors},
                                         {kMemoryClockKilohertz, 10000},
                                         {kMemoryBusBits, 64},
                                         {kL2Bytes, 1 << 20},
                                         {kThreadsPerMultiprocessor, 2048},
                                         {kCapabilityMajor, emu::faults().capability / 10},
                                         {kCapabilityMinor, emu::faults().capability % 10},
                                         {kSharedPerMultiprocessor, 228 << 10},
                                         {kSharedPerBlock, 227 << 10},
                                         {kVirtualMemory, 1},
                                         {kDescriptorHandles, 1}};
  const auto found = values.find(attribute);
  return *value = found == values.end() ? 1 : found->second, 0;
}
KW_EMULATED cuDeviceTotalMem_v2(std::size_t* bytes, DeviceOrdinal) {
  return *bytes = emu::faults().memory, 0;
}
KW_EMULATED cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const emu::Faults& f = emu::faults();
  *total = f.memory;
  *free = f.free != 0 ? f.free : f.memory - f.memory / 8;
  return emu::loss();
}
