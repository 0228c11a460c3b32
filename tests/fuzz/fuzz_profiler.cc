// Fuzzes the reading of output of ncu and compute-sanitizer: any bytes give a bounded result.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profile/ncu.h"
#include "profile/ncu_rules.h"
#include "profile/sanitizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto kernels = kw::profile::parse_ncu_csv(bytes);
  for (const auto& k : kernels)
    for (const auto& [name, value] : k.counters)
      if (!std::isfinite(value)) __builtin_trap();
  (void)kw::profile::counter_findings(kernels, nullptr);
  (void)kw::profile::available_metrics(bytes, kw::profile::ncu_metrics());
  (void)kw::profile::ncu_permission_of(bytes, bytes);
  (void)kw::profile::ncu_version_of(bytes);
  if (kw::profile::ncu_complaint(bytes).size() > 4096) __builtin_trap();
  const auto report = kw::profile::parse_sanitizer(bytes);
  if (report.first.size() > 16 || report.errors < 0) __builtin_trap();
  return 0;
}
