// Draws how often and at which shapes the process is called, and which calls are checked.
// SPDX-License-Identifier: Apache-2.0
#include "referee/many_calls.h"

#include <cstdint>
#include <vector>

#include "base/defence.h"
#include "referee/check.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

constexpr std::uint64_t kFewest = 32;
constexpr std::uint64_t kMore = 64;
constexpr std::uint64_t kOneIn = 8;  // one call in eight is checked
constexpr std::int64_t kMostBytes = std::int64_t{1} << 16;
// Calls beyond the fewest are made for so long. The fewest are made whatever they take: other
// programs, or the candidate itself, may delay them.
constexpr std::int64_t kMostNs = 50'000'000;

}  // namespace

Result<std::optional<Verdict>> call_many_times(std::span<Bench* const> small, Leg& leg,
                                               const Options& options, platform::Clock& clock,
                                               const Haste& haste, Rng& rng) {
  std::vector<Bench*> smallest;
  for (Bench* bench : small)
    if (!bench->runs_plans() && bench->bytes_per_set() <= kMostBytes) smallest.push_back(bench);
  if (smallest.empty() || !is_on(Defence::LongLives)) return std::nullopt;
  const std::uint64_t calls = kFewest + rng.below(kMore);
  const std::int64_t began = clock.now_ns();
  bool is_last = false;
  for (std::uint64_t call = 1; !is_last && !haste.is_hurried(); ++call) {
    // An evaluation that is too late ends without a speedup, so that no kernel gains by delays.
    const bool is_long = call >= kFewest && clock.now_ns() - began > kMostNs;
    is_last = call == calls || is_long || haste.is_too_late();
    Bench& bench = *smallest[rng.below(smallest.size())];
    KW_TRY(bench.slots.place(0, kWarmSet + 1));
    const auto ended =
        KW_TRY(leg.call(bench.workload(), call_timeout(options, bench), device::CallKind::Checked));
    auto verdict = verdict_of(ended, bench.workload().name);
    if (!verdict && (is_last || rng.below(kOneIn) == 0))
      verdict = KW_TRY(check_call(bench, leg, 0, kWarmSet + 1, {}, Stage::Check)).verdict;
    if (!verdict) continue;
    verdict->seen.more_calls = static_cast<std::int64_t>(call);
    say_again(*verdict);
    return verdict;
  }
  return std::nullopt;
}

}  // namespace kw::referee
