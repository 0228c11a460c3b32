// Evaluates a draft's reference as a candidate of its own task.
// SPDX-License-Identifier: Apache-2.0
#include "session/settle_draft.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/foreign_text.h"
#include "base/rng.h"
#include "base/text.h"
#include "session/judging/task_judge.h"
#include "task/load.h"

namespace kw::session {
namespace {

constexpr std::size_t kMostWhy = 300;  // bytes of a verdict's words in a note

/// One judge of drafts, with what it keeps between two of them.
class DraftTrial {
 public:
  static Result<DraftTrial> open(const Options& options) {
    return DraftTrial(options, KW_TRY(store::RunStore::open(options.workspace)));
  }

  /// Whether the reference is right on the check workloads: it writes each output whole, and gives
  /// the same in two calls.
  Result<bool> is_right(const task::Draft& draft) {
    return KW_TRY(evaluate(draft, Group::Check)).verdict.is_correct();
  }

  /// The time of a call of the reference at each timed workload by name, in nanoseconds. Error: it
  /// was not correct, or could not be timed.
  Result<std::vector<std::pair<std::string, double>>> call_times(const task::Draft& draft) {
    const Evaluation seen = KW_TRY(evaluate(draft, Group::Time));
    std::vector<std::pair<std::string, double>> times;
    for (const WorkloadResult& w : seen.workloads)
      if (w.group == Group::Time && w.median_ns > 0) times.emplace_back(w.name, w.median_ns);
    if (!times.empty()) return times;
    std::string why = seen.verdict.evidence;
    if (seen.verdict.is_correct() && !seen.skipped.empty()) why = seen.skipped.front().reason;
    return fail_input(ErrorCode::TaskAtFault,
                      "a call at the timed sizes could not be timed" +
                          (why.empty() ? std::string() : ": " + sanitise_line(why, kMostWhy)),
                      draft.name);
  }

 private:
  DraftTrial(const Options& options, store::RunStore store)
      : options_(options), store_(std::move(store)) {}

  Result<Evaluation> evaluate(const task::Draft& draft, Group group) {
    constexpr std::int64_t kMostNs = 3'000'000'000;
    auto definition = KW_TRY(task::parse_task({"the draft", draft.files}));
    const auto judge = KW_TRY(TaskJudge::open(options_, &store_, std::move(definition), Aim{}));
    if (group == Group::Time) KW_TRY(judge->machine().ensure_ceilings());
    engine::TaskWorkbench& bench = judge->workbench();
    std::vector<Workload> chosen;
    for (const Workload& workload : bench.workloads())
      if (workload.group == group) chosen.push_back(workload);
    bench.set_workloads(std::move(chosen));
    if (bench.baselines().empty())
      return fail(ErrorCode::Missing, About{"baseline"}, "the draft has no baseline to run",
                  draft.name);
    auto request = KW_TRY(bench.request(bench.baselines().front(), nullptr));
    request.id = "draft";
    request.skipped.clear();
    request.seed = Seed::from_os().low;
    request.until = group == Group::Time ? Stage::Measure : Stage::Check;
    request.measure.wall_ns = kMostNs;
    return judge->carrier().evaluate(std::move(request));
  }

  const Options& options_;
  store::RunStore store_;
};

/// Leaves out the workloads for special cases where they alone defeat the reference, as they do
/// code that divides by what is 0 there.
Result<> settle_cases(DraftTrial& trial, const DraftMaker& make, task::DraftChoices& choices) {
  const task::Draft draft = KW_TRY(make(choices));
  if (draft.sizes.cases.empty()) return {};
  const auto is_right = trial.is_right(draft);
  if (!is_right && !is_right.error().is_input) return std::unexpected(is_right.error());
  if (is_right && *is_right) return {};
  task::DraftChoices plain = choices;
  plain.has_cases = false;
  const auto is_plain_right = trial.is_right(KW_TRY(make(plain)));
  if (!is_plain_right && !is_plain_right.error().is_input)
    return std::unexpected(is_plain_right.error());
  if (is_plain_right && *is_plain_right) choices = std::move(plain);
  return {};
}

/// Makes outputs of the doubtful arrays that the code does not need as inputs. Poison in their
/// place tells, being large numbers of both signs that differ from call to call: where the code
/// reads one, a largest or smallest number included, its answers differ or are out of range.
Result<> settle_outputs(DraftTrial& trial, const DraftMaker& make, task::DraftChoices& choices) {
  const task::Draft draft = KW_TRY(make(choices));
  for (const std::string& name : draft.doubtful_outputs) {
    task::DraftChoices bold = choices;
    bold.outputs.insert(name);
    const auto is_right = trial.is_right(KW_TRY(make(bold)));
    // A reference that leaves elements alone is at fault, which is what this asks.
    if (!is_right && !is_right.error().is_input) return std::unexpected(is_right.error());
    if (is_right && *is_right) choices = std::move(bold);
  }
  return {};
}

/// Changes the scale until calls take the time that is wanted; returns the last time.
Result<double> settle_sizes(DraftTrial& trial, const DraftMaker& make,
                            task::DraftChoices& choices) {
  constexpr int kMostRounds = 5;
  double call_ns = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const task::Draft draft = KW_TRY(make(choices));
    const auto times = KW_TRY(trial.call_times(draft));
    call_ns = times.front().second;
    if (call_ns >= task::kLeastCallNs && call_ns <= task::kMostCallNs) break;
    const task::TimedScales next = task::rescaled(draft.sizes, draft.scales, call_ns);
    if (next == draft.scales) break;
    choices.scales = next;
  }
  return call_ns;
}

}  // namespace

Result<task::Draft> settle_draft(const Options& options, const DraftMaker& make) {
  task::DraftChoices choices;
  const task::Draft first = KW_TRY(make(choices));
  const auto settle = [&]() -> Result<double> {
    auto trial = KW_TRY(DraftTrial::open(options));
    KW_TRY(settle_cases(trial, make, choices));
    KW_TRY(settle_outputs(trial, make, choices));
    return settle_sizes(trial, make, choices);
  };
  const Result<double> call_ns = settle();
  if (options.is_interrupted && options.is_interrupted())
    return fail(ErrorCode::Ended, About{"interrupted"}, "interrupted before the draft was written",
                first.name);
  task::Draft draft = KW_TRY(make(choices));
  draft.notes.push_back(
      call_ns ? fmt::format("the timed sizes: a call of the reference takes {} on this machine",
                            format_ns(*call_ns))
              : "the timed sizes are counted, not timed: " + call_ns.error().what);
  if (!choices.has_cases)
    draft.notes.emplace_back(
        "shapes.yaml: workloads for special cases were left out, because the code fails on them");
  return draft;
}

}  // namespace kw::session
