// A workbench over a landscape.
// SPDX-License-Identifier: Apache-2.0
#include "cli/synthetic_bench.h"

#include <charconv>

#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"

namespace kw::cli {

/// A landscape lists all of its points.
constexpr int kMostIdeas = 1000;
constexpr int kMostPauseMs = 10'000;

std::optional<Result<SyntheticBench>> synthetic_bench(const std::string& task) {
  constexpr std::string_view prefix = "synthetic:";
  if (!task.starts_with(prefix)) return std::nullopt;
  search::LandscapeOptions options;
  int pause_ms = 0;
  const char* end = task.data() + task.size();
  auto parsed = std::from_chars(task.data() + prefix.size(), end, options.seed);
  for (int* more : {&options.ideas, &pause_ms})
    if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ':')
      parsed = std::from_chars(parsed.ptr + 1, end, *more);
  if (parsed.ec != std::errc() || parsed.ptr != end || options.ideas < 1 ||
      options.ideas > kMostIdeas || pause_ms < 0 || pause_ms > kMostPauseMs)
    return fail(
        "synthetic: wants a number as its seed, as in synthetic:7; a second one is the number of "
        "ideas, 1 to 1000, as in synthetic:7:16, a third the milliseconds of each judgement",
        task);
  auto workbench = std::make_unique<engine::SyntheticWorkbench>(options);
  SyntheticBench bench;
  bench.carrier = std::make_unique<evaluate::SyntheticCarrier>(workbench->landscape(),
                                                               std::chrono::milliseconds(pause_ms));
  bench.workbench = std::move(workbench);
  return bench;
}

}  // namespace kw::cli
