// Names of a device's limits and of architectures, and what they are worth.
// SPDX-License-Identifier: Apache-2.0
#include "task/device_names.h"

#include <array>
#include <charconv>
#include <string>

namespace kw::task {
namespace {

constexpr std::string_view kPrefix = "sm_";

constexpr std::array<std::string_view, 15> kNames{
    "sms",   "shared_max", "l2_bytes", "arch",   "sm_75",   "sm_80",  "sm_86",  "sm_87",
    "sm_89", "sm_90",      "sm_90a",   "sm_100", "sm_100a", "sm_120", "sm_120a"};

}  // namespace

std::int64_t arch_number(std::string_view arch) {
  if (!arch.starts_with(kPrefix)) return 0;
  const std::string_view rest = arch.substr(kPrefix.size());
  std::int64_t digits = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), digits);
  if (error != std::errc{} || digits < 0 || digits > 9999) return 0;
  const auto suffix = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (!suffix.empty() && suffix != "a") return 0;
  return digits * 10 + (suffix.empty() ? 0 : 1);
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
