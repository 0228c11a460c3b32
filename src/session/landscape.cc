// Makes the workbench of a landscape, a search space whose times are computed or recorded.
// SPDX-License-Identifier: Apache-2.0
#include "session/landscape.h"

#include <charconv>
#include <utility>

#include "engine/synthetic_workbench.h"
#include "evaluate/synthetic.h"
#include "session/searching/recorded_landscape.h"

namespace kw::session {

/// The number of ideas (kernels to choose from) is limited because a landscape lists all of its
/// points.
constexpr int kMostIdeas = 1000;
constexpr int kMostPauseMs = 10'000;

namespace {

constexpr std::string_view kSyntheticPrefix = "synthetic:";

LandscapeTask landscape_on(std::string name, std::unique_ptr<engine::SyntheticWorkbench> workbench,
                           int pause_ms) {
  LandscapeTask landscape;
  landscape.name = std::move(name);
  landscape.carrier = std::make_unique<evaluate::SyntheticCarrier>(
      workbench->landscape(), std::chrono::milliseconds(pause_ms));
  landscape.workbench = std::move(workbench);
  return landscape;
}

Result<LandscapeTask> synthetic(const std::string& task) {
  search::LandscapeOptions options;
  int pause_ms = 0;
  const char* end = task.data() + task.size();
  auto parsed = std::from_chars(task.data() + kSyntheticPrefix.size(), end, options.seed);
  for (int* more : {&options.ideas, &pause_ms})
    if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ':')
      parsed = std::from_chars(parsed.ptr + 1, end, *more);
  if (parsed.ec != std::errc() || parsed.ptr != end || options.ideas < 1 ||
      options.ideas > kMostIdeas || pause_ms < 0 || pause_ms > kMostPauseMs)
    return fail_input(
        ErrorCode::BadInput, About{"synthetic: numbers"},
        "synthetic: wants a number as its seed, as in synthetic:7; a second one is the number of "
        "ideas, 1 to 1000, as in synthetic:7:16, a third the milliseconds of each judgement",
        task);
  return landscape_on("synthetic", std::make_unique<engine::SyntheticWorkbench>(options), pause_ms);
}

Result<LandscapeTask> recorded(const Options& options, const std::string& task) {
  Record record = KW_TRY(open_record(options, task));
  auto landscape = landscape_on(
      "recorded", std::make_unique<engine::SyntheticWorkbench>(std::move(record.landscape)), 0);
  landscape.sha256 = std::move(record.sha256);
  return landscape;
}

}  // namespace

bool is_landscape(const std::string& task) {
  return task.starts_with(kSyntheticPrefix) || task.starts_with(kRecordPrefix);
}

std::optional<Result<LandscapeTask>> open_landscape(const Options& options,
                                                    const std::string& task) {
  if (task.starts_with(kRecordPrefix)) return recorded(options, task);
  if (task.starts_with(kSyntheticPrefix)) return synthetic(task);
  return std::nullopt;
}

}  // namespace kw::session
