// Names that expressions may use for a device's limits and for architectures, with their values.
// SPDX-License-Identifier: Apache-2.0
#include "task/device_names.h"

#include <array>
#include <string>

#include "base/arch.h"

namespace kw::task {
namespace {

constexpr std::string_view kPrefix = "sm_";

constexpr std::array<std::string_view, 15> kNames{
    "sms",   "shared_max", "l2_bytes", "arch",   "sm_75",   "sm_80",  "sm_86",  "sm_87",
    "sm_89", "sm_90",      "sm_90a",   "sm_100", "sm_100a", "sm_120", "sm_120a"};

}  // namespace

std::int64_t arch_number(std::string_view arch) {
  const ArchName name = parse_arch(arch);
  return std::int64_t{10} * name.capability + (name.feature == 'a'   ? 2
                                               : name.feature == 'f' ? 1
                                                                     : 0);
}

std::span<const std::string_view> device_names() { return kNames; }

Names arch_names(std::string_view arch) {
  Names names = {{"arch", arch_number(arch)}};
  for (const std::string_view name : kNames)
    if (name.starts_with(kPrefix)) names[std::string(name)] = arch_number(name);
  return names;
}

Names device_limits(const GpuFacts& gpu) {
  Names names = arch_names(gpu.arch);
  names["sms"] = gpu.multiprocessors;
  names["shared_max"] = gpu.shared_per_block;
  names["l2_bytes"] = gpu.l2_bytes;
  return names;
}

}  // namespace kw::task
