// A GPU's new best once more, on the referee's own clock.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "measure/statistics.h"
#include "referee/fate.h"
#include "referee/timing.h"

namespace kw::referee {
namespace {

// Design §6; fewer of long calls, whose every one says as much.
constexpr std::size_t kCalls = 200;
constexpr std::size_t kFewCalls = 20;
constexpr double kWallNs = 1e9;
// Hosts delay an answer and never hurry it, so the quicker quarter of the calls says more than the
// middle. On an H200 in a virtual machine honest calls were up to 120 us off.
constexpr double kQuarter = 0.25;
constexpr double kTolerance = 0.05;
constexpr double kLeastNs = 150e3;

}  // namespace

// Flush and call, uninterrupted: each works on what the one before it left, and none is checked,
// for its time is compared alone. From it goes that of as many empty calls, which take the same
// way: request, spacer, stamp, answer; only the plan is missing.
Result<std::optional<Verdict>> Timing::retime(Entry& entry) {
  const auto lap = account_.lap("retime");
  std::vector<double> walls;
  double sum_ns = 0;
  while (walls.size() < kFewCalls || (walls.size() < kCalls && sum_ns < kWallNs)) {
    const TimedCall again = KW_TRY(entry.candidate->time_again());
    if (again.verdict) return at_measure(*again.verdict);
    walls.push_back(again.wall_ns);
    sum_ns += again.wall_ns;
  }
  std::vector<double> empty;
  for (std::size_t i = 0; i < walls.size(); ++i) {
    KW_TRY(entry.bench->flush(entry.slots));
    const auto call = entry.leg->player().call_empty();
    if (call.fate != device::Fate::Returned)
      return fail("the candidate's player does not answer an empty call", call.detail,
                  Advice::Retry);
    empty.push_back(call.elapsed_ns);
  }
  const double empty_ns = measure::quantile(empty, kQuarter);
  const Retimed retimed{.call_ns = measure::quantile(walls, kQuarter) - empty_ns,
                        .empty_ns = empty_ns,
                        .calls = static_cast<int>(walls.size())};
  entry.result->retimed = {retimed};
  const double stamped = entry.result->median_ns;
  if (retimed.call_ns <= stamped + std::max(kLeastNs, kTolerance * stamped)) return std::nullopt;
  entry.result->outcome = Outcome::Unmeasurable;
  return Verdict{Stage::Measure, Outcome::Unmeasurable,
                 fmt::format("workload '{}': {} by the stamps on the device, {} by the referee's "
                             "clock over {} calls",
                             entry.bench->workload().name, format_ns(stamped),
                             format_ns(retimed.call_ns), retimed.calls)};
}

}  // namespace kw::referee
