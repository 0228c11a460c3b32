// Lists and builds the trusted kernels that are sent with Verb::Equip.
// SPDX-License-Identifier: Apache-2.0
#include "worker/equipment.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "device/cuda.h"
#include "profile/cuda_ceilings.h"
#include "profile/sanitizer.h"
#include "record/target.h"

namespace kw::worker {

std::vector<BuildUnit> equipment(const DeviceFacts& facts) {
  if (facts.gpu.empty()) return {};
  const std::string& arch = facts.gpu.front().arch;
  std::vector<BuildUnit> units = device::trusted_units(arch);
  std::vector<BuildUnit> ceilings = profile::ceiling_units(arch);
  std::move(ceilings.begin(), ceilings.end(), std::back_inserter(units));
  units.push_back(profile::sanitizer_control(arch));
  for (BuildUnit& unit : units)
    if (unit.dialect.empty()) unit.dialect = plain_dialect(unit.target).name;
  return units;
}

Result<std::vector<BuildUnit>> build_equipment(const DeviceFacts& facts,
                                               compile::Compiler& compiler, int threads) {
  std::vector<BuildUnit> units = equipment(facts);
  auto results = compile::build_all(compiler, units, threads);
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto result = KW_TRY(std::move(results[i]));
    // A failed unit is built again alone: a busy machine may have made it exceed the limit on wall
    // time.
    if (!result.ok() && !result.is_repeatable) result = KW_TRY(compiler.build(units[i]));
    if (!result.ok())
      return fail(ErrorCode::DoesNotCompile, About{units[i].role},
                  "the referee's own kernel '" + units[i].role + "' does not compile for " +
                      units[i].arch + ": " + result.evidence,
                  "", Advice::Stop);
    units[i].object = std::move(result.object);
  }
  return units;
}

}  // namespace kw::worker
