// Turns a failed comparison into a map of the failed elements and a description of it.
// SPDX-License-Identifier: Apache-2.0
#include "referee/explain.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/text.h"
#include "record/wording.h"
#include "referee/pattern.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

constexpr std::int64_t kMostElements = 1 << 25;  // 1 GiB of doubles for the four maps

// Marks failed elements by the rule of BufferOps::compare. If only a figure over all elements
// failed, the elements that contribute most to it are marked.
void mark_failed(FailureMap& map, const Tensor& tensor, const device::Allowance& allowance,
                 const std::vector<double>& magnitude, bool by_element) {
  double worst = 0;
  for (std::size_t i = 0; i < map.got.size(); ++i)
    if (std::isfinite(map.got[i])) worst = std::max(worst, std::abs(map.got[i] - map.want[i]));
  map.failed.resize(map.got.size());
  for (std::size_t i = 0; i < map.got.size(); ++i) {
    const double got = map.got[i];
    const double want = map.want[i];
    const double difference = std::abs(got - want);
    if (!std::isfinite(got) || !std::isfinite(want)) {
      map.failed[i] = !(got == want || (std::isnan(got) && std::isnan(want)));
    } else if (!by_element) {
      map.failed[i] = difference > 0.1 * worst;
    } else if (allowance.exact) {
      map.failed[i] = got != to_type(want, tensor.dtype);
    } else {
      const double allowed = allowance.of(std::abs(want), magnitude.empty() ? 0 : magnitude[i]);
      map.failed[i] = !(difference <= allowed);
    }
  }
}

FailureMap map_of_first(const device::Comparison& seen) {
  FailureMap map;
  map.sizes = {static_cast<std::int64_t>(seen.first.size())};
  map.origin = {0};
  for (const device::Mismatch& m : seen.first) {
    map.got.push_back(m.got);
    map.want.push_back(m.want);
    map.failed.push_back(true);
  }
  return map;
}

}  // namespace

Result<std::vector<Finding>> explain_mismatch(Bench& bench, int slot, int set, std::size_t index,
                                              std::size_t region_index,
                                              const device::Allowance& allowance,
                                              const device::Comparison& seen, Evidence failure) {
  const Workload& workload = bench.workload();
  const Tensor& tensor = workload.tensors[index];
  const Region& region = tensor.compared[region_index];
  const Known& known = bench.truths.known(set);
  const std::string place = fmt::format("workload '{}', tensor '{}'", workload.name, tensor.name);
  failure.workload.clear();
  failure.tensor.clear();
  Wording words{fmt::format("In {}: {}.", place, words_of(failure)), failure.numbers};
  const auto finding = [&](const FailureMap& map, MismatchPattern pattern) {
    return std::vector<Finding>{{FindingKind::Mismatch, 1, words.text, number_frame(map), place,
                                 pattern, std::string(name_of(failure.kind)), words.numbers}};
  };
  if (elements_of(region) > kMostElements)
    return finding(map_of_first(seen), MismatchPattern::None);

  FailureMap map;
  for (const Range& range : region.ranges) {
    map.sizes.push_back(range.hi - range.lo);
    map.origin.push_back(range.lo);
  }
  map.got = KW_TRY(read_region(*bench.slots[slot].buffers[index], tensor, region));
  map.want = KW_TRY(read_region(*known.truth.values[index], widened(tensor), region));
  std::vector<double> magnitude;
  if (!known.truth.magnitudes.empty() && is_real(tensor.dtype))
    magnitude = KW_TRY(read_region(*known.truth.magnitudes[index], widened(tensor), region));
  device::Buffer* before = KW_TRY(bench.scratch(index));
  const Buffers* values = KW_TRY(bench.pool().set(set));
  KW_TRY(recreate(bench.device().ops(), workload, *values, bench.slots[slot], index, *before));
  map.before = KW_TRY(read_region(*before, tensor, region));
  mark_failed(map, tensor, allowance, magnitude, seen.failed > 0);

  const PatternReading reading = read_pattern(map);
  for (const Wording& sentence : reading.sentences) words += worded(" {}", sentence);
  return finding(map, reading.pattern);
}

}  // namespace kw::referee
