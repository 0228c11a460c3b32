// Applies the rules of plausibility to measured ceilings.
// SPDX-License-Identifier: Apache-2.0
#include "profile/ceiling_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "profile/plausible.h"

namespace kw::profile {

std::vector<std::size_t> to_measure_again(std::span<const Ceiling> found, const GpuFacts* gpu) {
  std::vector<std::size_t> which;
  for (const Doubt& doubt : implausible(found, gpu)) which.push_back(doubt.index);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!is_reliable(found[i]) && std::find(which.begin(), which.end(), i) == which.end())
      which.push_back(i);
  return which;
}

CeilingReport report_of(std::vector<Ceiling> found, const GpuFacts* gpu) {
  CeilingReport report;
  std::erase_if(found, [](const Ceiling& c) { return c.samples == 0; });
  std::vector<bool> is_refused(found.size());
  for (const Doubt& doubt : to_refuse(found, gpu)) {
    is_refused[doubt.index] = true;
    report.refused.push_back(doubt.why);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_refused[i]) continue;
    if (!is_reliable(found[i]))
      report.unreliable.push_back(fmt::format("The measured {} varies by {:.2f} of its median.",
                                              describe(found[i]), found[i].spread));
    report.ceilings.push_back(found[i]);
  }
  return report;
}

}  // namespace kw::profile
