// Compares what prompts told of lessons before and after a run.
// SPDX-License-Identifier: Apache-2.0
#include "session/lesson_diff.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/line_diff.h"
#include "memory/recall.h"

namespace kw::session {
namespace {

/// The lessons that a run knew at its start, with the changes that the run made to them.
Result<LessonSnapshot> changed(store::RunStore& store, LessonSnapshot known,
                               const std::vector<LessonChange>& changes) {
  known.sources.resize(known.lessons.size());
  for (const LessonChange& change : changes) {
    const Lesson& after = change.after;
    const auto same = std::find_if(known.lessons.begin(), known.lessons.end(),
                                   [&](const Lesson& l) { return l.key == after.key; });
    const auto at = static_cast<std::size_t>(same - known.lessons.begin());
    if (!change.evicted.empty()) {
      if (same == known.lessons.end()) continue;
      known.lessons.erase(same);
      known.sources.erase(known.sources.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    if (same == known.lessons.end()) {
      known.lessons.emplace_back();
      known.sources.emplace_back();
    }
    known.lessons[at] = after;
    if (after.kind == LessonKind::Win)
      known.sources[at] =
          KW_TRY(store.artifacts().get(KW_TRY(Sha256::from_hex(after.source_sha256))));
  }
  return known;
}

/// The lessons that a prompt contains, one per line.
std::string told_text(const memory::ToldLessons& told) {
  std::string text;
  for (const memory::ToldWin& win : told.wins) text += "[example] " + win.title + "\n";
  for (const std::string& t : told.instructions) text += "[instruction] " + t + "\n";
  for (const std::string& t : told.insights) text += "[insight] " + t + "\n";
  for (const std::string& t : told.cautions) text += "[caution] " + t + "\n";
  return text;
}

}  // namespace

Result<LessonDiff> lesson_diff(const Options& options, const std::string& name) {
  constexpr std::size_t kAll = 1000;
  auto store = KW_TRY(store::RunStore::open_to_read(options.workspace));
  const RunSummary run = KW_TRY(store.find(name));
  const auto begun = KW_TRY(store.lessons().snapshot(run.id));
  if (!begun)
    return fail_input(ErrorCode::Missing, About{"memory"},
                      "this run used no memory of earlier runs, so there is no difference to show",
                      run.name);
  LessonDiff diff;
  diff.run = run.name;
  diff.changes = KW_TRY(store.lessons().changes(run.id));
  const LessonSnapshot after = KW_TRY(changed(store, *begun, diff.changes));
  const memory::RecallScope scope{run.config.task, begun->family, run.config.target, begun->device,
                                  ""};
  diff.lines = line_diff(told_text(memory::recall(*begun, scope)),
                         told_text(memory::recall(after, scope)), kAll);
  return diff;
}

}  // namespace kw::session
