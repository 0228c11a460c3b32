// Builds landscapes (search spaces with known times) from runs of the workspace and from exported
// files.
// SPDX-License-Identifier: Apache-2.0
#include "session/searching/recorded_landscape.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "engine/recorded.h"
#include "platform/files.h"
#include "record/codec.h"
#include "report/export.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

struct Steps {
  std::vector<search::RecordedStep> all;
  Sha256 sha256;
};

Result<Steps> steps_of_file(const std::string& file) {
  const std::string text = KW_TRY(platform::read_file(file));
  Steps steps{{}, sha256(text)};
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const Attempt attempt =
        KW_TRY(report::read_trajectory(line, fmt::format("{}:{}", file, number)));
    steps.all.push_back(KW_TRY(engine::step_of(attempt)));
  }
  return steps;
}

Result<Steps> steps_of_run(const Options& options, const std::string& name) {
  const auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  const RunSummary run = KW_TRY(store.find(name));
  Steps steps;
  Sha256Stream digest;
  KW_TRY(store.attempts().for_each(
      run.id, store::Sources::Load,
      [&](Attempt& attempt) -> Result<> {
        digest.update_part(encode(attempt)).update_part(attempt.candidate.source);
        steps.all.push_back(KW_TRY(engine::step_of(attempt)));
        return {};
      },
      store::Samples::LeaveOut));
  steps.sha256 = digest.finish();
  return steps;
}

}  // namespace

Result<Record> open_record(const Options& options, std::string_view task) {
  const std::string name(task.substr(kRecordPrefix.size()));
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(name, ignored);
  Steps steps = KW_TRY(is_file ? as_input(steps_of_file(name)) : steps_of_run(options, name));
  if (!search::RecordedLandscape::is_searchable(steps.all))
    return fail_input(ErrorCode::Missing, About{"correct kernel"},
                      "the recorded run measured no correct kernel, so there is nothing to search",
                      name);
  return Record{std::make_unique<search::RecordedLandscape>(std::move(steps.all)),
                steps.sha256.hex()};
}

}  // namespace kw::session
