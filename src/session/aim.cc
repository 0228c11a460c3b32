// Limits of devices and architectures.
// SPDX-License-Identifier: Apache-2.0
#include "session/aim.h"

#include <tuple>

#include "device/known_devices.h"

namespace kw::session {

const std::vector<std::string>& known_archs() { return device::known_archs(); }

GpuFacts limits_of(const DeviceFacts& known, const std::string& arch) {
  if (!known.gpu.empty()) {
    GpuFacts facts = known.gpu.front();
    if (!arch.empty()) facts.arch = arch;
    return facts;
  }
  return device::least_facts(arch);
}

bool has_same_limits(const GpuFacts& a, const GpuFacts& b) {
  const auto limits = [](const GpuFacts& f) {
    return std::tuple(f.arch, f.multiprocessors, f.l2_bytes, f.shared_per_block,
                      f.shared_per_multiprocessor, f.registers_per_block,
                      f.threads_per_multiprocessor);
  };
  return limits(a) == limits(b);
}

}  // namespace kw::session
