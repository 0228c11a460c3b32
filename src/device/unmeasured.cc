// Facts of processors and GPUs that nobody has measured.
// SPDX-License-Identifier: Apache-2.0
#include "device/unmeasured.h"

#include "device/cpu.h"
#include "device/known_devices.h"

namespace kw::device {
namespace {

Result<DeviceFacts> of_processor(const std::string&) { return read_cpu_facts(); }

Result<DeviceFacts> of_gpu(const std::string& arch) {
  DeviceFacts facts;
  facts.target = Target::Cuda;
  if (!arch.empty()) facts.gpu = {least_facts(arch)};
  return facts;
}

}  // namespace

ByTarget<UnmeasuredFacts>& unmeasured_facts() {
  static ByTarget<UnmeasuredFacts> all{{Target::Cpu, of_processor}, {Target::Cuda, of_gpu}};
  return all;
}

}  // namespace kw::device
