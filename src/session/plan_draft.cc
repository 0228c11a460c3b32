// Drafts plans, and tries them on the workloads of a task.
// SPDX-License-Identifier: Apache-2.0
#include "session/plan_draft.h"

#include <optional>

#include "platform/files.h"
#include "platform/read_text.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"
#include "task/header.h"
#include "task/plan_resolve.h"
#include "task/resolve.h"

namespace kw::session {
namespace {

/// Why one of the task's workloads would refuse the drafted launch plan; empty: all accept the
/// plan.
Result<std::string> trouble_of(const import::PlanDraft& draft, const task::Definition& definition,
                               const std::string& arch) {
  const auto candidate = task::make_candidate("draft", draft.source, Origin::Human,
                                              definition.task.restrictions, import::kDraftTarget);
  if (!candidate) return candidate.error().front().text;
  const auto resolved = KW_TRY(task::resolve(definition, import::kDraftTarget,
                                             workload_limit({}, {import::kDraftTarget, arch})));
  const auto plans = task::candidate_plans(definition, *candidate, "candidate", resolved.workloads,
                                           limits_of({}, arch));
  return plans ? std::string() : plans.error().finding.text;
}

}  // namespace

Result<DraftedPlanOfFile> draft_plan(const Options& options, const PlanDraftRequest& request) {
  const std::string source =
      KW_TRY(as_input(platform::read_text(request.file, task::kMaxSourceBytes)));
  std::optional<task::Definition> definition;
  if (!request.task.empty())
    definition = KW_TRY(open_task(options, KW_TRY(open_data(options)), request.task));
  DraftedPlanOfFile drafted;
  drafted.draft = import::draft_plan(source, platform::Path(request.file).filename().string(),
                                     definition ? &*definition : nullptr, request.function);
  if (drafted.draft.is_complete() && definition)
    drafted.trouble = KW_TRY(trouble_of(drafted.draft, *definition, request.arch));
  return drafted;
}

}  // namespace kw::session
