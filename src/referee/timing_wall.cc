// A GPU's new best once more, on the referee's own clock.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "measure/statistics.h"
#include "referee/timing.h"

namespace kw::referee {
namespace {

constexpr std::size_t kCalls = 200;  // design §6
// What honest hosts differ by: threads wake up late, and later after a longer call.
constexpr double kTolerance = 0.05;
constexpr double kLeastNs = 50e3;

}  // namespace

// The wall clock of the timed calls so far and of as many more as make 200, less that of as many
// empty calls. These take the same way: request, spacer, stamp, answer; only the plan is missing.
Result<std::optional<Verdict>> Timing::retime(Entry& entry) {
  while (entry.walls.size() < kCalls) {
    Time ignored;
    if (auto verdict = KW_TRY(time_candidate(entry, entry.candidate->draw_sets(), ignored)))
      return verdict;
  }
  std::vector<double> empty;
  for (std::size_t i = 0; i < kCalls; ++i) {
    KW_TRY(entry.bench->flush(entry.slots));
    const auto call = entry.leg->player().call_empty();
    if (call.fate != device::Fate::Returned)
      return fail("the candidate's player does not answer an empty call", call.detail,
                  Advice::Retry);
    empty.push_back(call.elapsed_ns);
  }
  const double empty_ns = measure::median(empty);
  const Retimed retimed{.median_ns = measure::median(entry.walls) - empty_ns,
                        .empty_ns = empty_ns,
                        .calls = static_cast<int>(entry.walls.size())};
  entry.result->retimed = {retimed};
  const double stamped = entry.result->median_ns;
  if (retimed.median_ns <= stamped + std::max(kLeastNs, kTolerance * stamped)) return std::nullopt;
  entry.result->outcome = Outcome::Unmeasurable;
  return Verdict{Stage::Measure, Outcome::Unmeasurable,
                 fmt::format("workload '{}': {} by the stamps on the device, {} by the referee's "
                             "clock over {} calls",
                             entry.bench->workload().name, format_ns(stamped),
                             format_ns(retimed.median_ns), retimed.calls)};
}

}  // namespace kw::referee
