// Baselines are judged like other candidates, timed once per device and task, and remembered.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "base/hash.h"
#include "base/text.h"
#include "engine/run.h"
#include "record/codec_impl.h"

namespace kw::engine {
namespace {

/// Age at which a remembered noise floor is dropped: a machine's noise of an hour ago says little
/// about its noise now.
constexpr std::int64_t kFloorLifeSeconds = 3600;

/// What the store keeps of an opponent's noise floors.
struct KnownFloors {
  std::int64_t measured_at = 0;              ///< In seconds since 1970.
  std::map<std::string, NoiseFloor> floors;  ///< By timed workload.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("measured_at", s.measured_at), v("floors", s.floors);
  }
};

/// Limit of timed calls per baseline, in ns: enough to rank baselines. Timed pairs decide later.
constexpr std::int64_t kBaselineBudgetNs = 60'000'000;

// Key under which the store keeps what this judge measured of `timed` on the request's workloads.
std::string memory_key(const std::string& judge, const EvaluationRequest& request,
                       const Candidate& timed) {
  Sha256Stream key;
  key.update_part(judge).update_part(request.task.sha256).update_part(timed.source);
  key.update_part(timed.name).update_part(name_of(request.jail));
  // Which shapes are timed depends on the machine's memory.
  for (const Workload& w : request.workloads) key.update_part(encode(w));
  return key.finish().hex();
}

/// A baseline that is being timed, or whose time is remembered.
struct TimedBaseline {
  BaselineStanding standing;
  std::string key;
  bool is_known = false;
};

Result<TimedBaseline> recall_timed(const store::RunStore& store, const std::string& judge,
                                   const EvaluationRequest& request, const Candidate& baseline) {
  TimedBaseline timed{{baseline, {}, 0}, {}, false};
  timed.key = memory_key(judge, request, baseline);
  const auto known = KW_TRY(store.facts().recall("baseline", timed.key));
  if (!known) return timed;
  timed.standing.evaluation = KW_TRY(decode<Evaluation>(*known));
  timed.standing.mean_ns = timed.standing.evaluation.mean_time_ns();
  timed.is_known = true;
  return timed;
}

Result<TimedBaseline> recall_timed(const Surroundings& s, const Candidate& baseline) {
  return recall_timed(s.store, s.judge_id, KW_TRY(s.workbench.request(baseline, nullptr)),
                      baseline);
}

Result<> begin_timing(const Surroundings& s, const Candidate& baseline) {
  auto request = KW_TRY(s.workbench.request(baseline, nullptr));
  request.id = kBaselineId + baseline.name;
  request.seed = s.input_seed;
  request.measure.budget_ns = kBaselineBudgetNs;
  return s.carrier.submit(std::move(request));
}

Result<BaselineStanding> end_timing(const Surroundings& s, TimedBaseline timed) {
  BaselineStanding& standing = timed.standing;
  if (timed.is_known) return std::move(standing);
  standing.evaluation = KW_TRY(s.carrier.next());
  if (!standing.evaluation.verdict.is_correct()) return std::move(standing);
  KW_TRY(s.store.facts().remember("baseline", timed.key, encode(standing.evaluation)));
  standing.mean_ns = standing.evaluation.mean_time_ns();
  return std::move(standing);
}

void sort_by_time(std::vector<BaselineStanding>& standings) {
  std::stable_sort(standings.begin(), standings.end(),
                   [](const BaselineStanding& a, const BaselineStanding& b) {
                     if ((a.mean_ns > 0) != (b.mean_ns > 0)) return a.mean_ns > 0;
                     return a.mean_ns < b.mean_ns;
                   });
}

}  // namespace

namespace {

/// The remembered noise floors, if they are not too old; otherwise empty.
Result<KnownFloors> known_floors(const Surroundings& s, const EvaluationRequest& request) {
  const auto text = KW_TRY(
      s.store.facts().recall("noise_floor", memory_key(s.judge_id, request, request.opponent)));
  if (!text) return KnownFloors();
  auto known = KW_TRY(decode<KnownFloors>(*text));
  const std::int64_t age = s.clock.wall_seconds() - known.measured_at;
  return age >= 0 && age < kFloorLifeSeconds ? std::move(known) : KnownFloors();
}

}  // namespace

std::string failure_words(const BaselineStanding& baseline) {
  Verdict verdict = baseline.evaluation.verdict;
  move_place(verdict, baseline.candidate.name, path_in_task(baseline.candidate));
  return failure_words(verdict);
}

Result<> recall_floors(const Surroundings& s, EvaluationRequest& request) {
  request.measure.noise_floors = KW_TRY(known_floors(s, request)).floors;
  return {};
}

Result<> remember_floors(const Surroundings& s, const EvaluationRequest& request,
                         const Evaluation& evaluation) {
  KnownFloors known = KW_TRY(known_floors(s, request));
  // Pooled noise floors are as old as their oldest series.
  if (known.floors.empty()) known.measured_at = s.clock.wall_seconds();
  const auto before = known.floors;
  for (const WorkloadResult& w : evaluation.workloads)
    if (w.speedup.noise_floor)
      known.floors[w.name] = {*w.speedup.noise_floor, w.speedup.floor_series};
  if (known.floors == before) return {};
  return s.store.facts().remember("noise_floor", memory_key(s.judge_id, request, request.opponent),
                                  encode(known));
}

Result<std::vector<BaselineStanding>> time_baselines(const Surroundings& s,
                                                     const std::string& only) {
  const auto& all = s.workbench.baselines();
  const bool is_one =
      std::any_of(all.begin(), all.end(), [&](const Candidate& c) { return c.name == only; });
  // All baselines are submitted at once, so that a judge on another machine needs one trip for
  // them.
  std::vector<TimedBaseline> timed;
  std::vector<std::string> unknown;
  for (const Candidate& baseline : all) {
    if (is_one && baseline.name != only) continue;
    timed.push_back(KW_TRY(recall_timed(s, baseline)));
    if (!timed.back().is_known) unknown.push_back(baseline.name);
  }
  if (!unknown.empty()) s.observer.on_timing(unknown);
  for (const TimedBaseline& one : timed)
    if (!one.is_known) KW_TRY(begin_timing(s, one.standing.candidate));
  std::vector<BaselineStanding> standings;
  for (TimedBaseline& one : timed) {
    standings.push_back(KW_TRY(end_timing(s, std::move(one))));
    s.observer.on_baseline(standings.back());
    if (s.is_interrupted && s.is_interrupted())
      return fail(ErrorCode::Cancelled, About{"baselines"},
                  "interrupted while timing the baselines", "", Advice::Stop);
  }
  sort_by_time(standings);
  return standings;
}

Result<std::vector<BaselineStanding>> recall_baselines(const Workbench& workbench,
                                                       const store::RunStore& store,
                                                       const std::string& judge_id) {
  std::vector<BaselineStanding> standings;
  for (const Candidate& baseline : workbench.baselines()) {
    const auto request = KW_TRY(workbench.request(baseline, nullptr));
    standings.push_back(KW_TRY(recall_timed(store, judge_id, request, baseline)).standing);
  }
  sort_by_time(standings);
  return standings;
}

namespace {

/// A baseline is unmeasurable because the machine is busy, which is no fault of the task.
bool is_fault_of_task(const BaselineStanding& b) {
  return b.evaluation.verdict.outcome != Outcome::Unmeasurable;
}

std::unexpected<Error> not_timed(bool is_input, const std::string& about, std::string why) {
  if (is_input) return fail_input(ErrorCode::TaskAtFault, About{about}, std::move(why));
  return fail(ErrorCode::Failed, About{about}, std::move(why));
}

}  // namespace

Result<const BaselineStanding*> choose_baseline(const std::vector<BaselineStanding>& standings,
                                                const std::string& name) {
  std::vector<std::string> names;
  if (standings.empty())
    return fail_input(
        ErrorCode::Missing, About{"baseline"},
        "the task has no baseline for this target: put a plain kernel into baselines/naive.cu");
  for (const BaselineStanding& b : standings) {
    names.push_back(b.candidate.name);
    if (b.candidate.name == name || (name.empty() && b.mean_ns > 0)) {
      if (b.mean_ns > 0) return &b;
      Verdict verdict = b.evaluation.verdict;
      move_place(verdict, b.candidate.name, path_in_task(b.candidate));
      return not_timed(is_fault_of_task(b), name,
                       "baseline '" + name + "' is not usable: " + verdict.evidence);
    }
  }
  if (name.empty()) {
    std::string why = "no baseline of this task could be timed";
    bool is_input = true;
    for (const BaselineStanding& b : standings) {
      const Verdict& verdict = b.evaluation.verdict;
      if (!verdict.evidence.empty()) why += "; " + b.candidate.name + ": " + failure_words(b);
      is_input = is_input && is_fault_of_task(b);
    }
    return not_timed(is_input, "baselines", std::move(why));
  }
  return no_baseline(name, names);
}

Result<> find_baseline(const std::vector<Candidate>& baselines, const std::string& name) {
  if (name.empty() || std::ranges::find(baselines, name, &Candidate::name) != baselines.end())
    return {};
  std::vector<std::string> names;
  for (const Candidate& c : baselines) names.push_back(c.name);
  return no_baseline(name, names);
}

std::unexpected<Error> no_baseline(const std::string& name, const std::vector<std::string>& names) {
  return fail_input(ErrorCode::NotFound, About{name},
                    "no baseline named '" + name + "'" + suggestion(name, names) +
                        "; there are: " + join(names, ", "));
}

}  // namespace kw::engine
