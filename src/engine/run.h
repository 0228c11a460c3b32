// Run: one search on one task, from the first baseline to the confirmed winner; resumable,
// replayable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/standing.h"
#include "engine/workbench.h"
#include "engine/writer.h"
#include "evaluate/carrier.h"
#include "platform/clock.h"
#include "record/terms.h"
#include "search/strategy.h"
#include "store/run_store.h"

namespace kw::engine {

/// A competitor, timed alone.
struct BaselineStanding {
  Candidate candidate;
  Evaluation evaluation;
  double mean_ns = 0;  ///< Over the timed workloads; 0: not correct or not measurable.
};

/// "failed at compile: …" of one that is not usable; places are in `baselines/NAME.cpp`.
std::string failure_words(const BaselineStanding& baseline);

/// Watches a run; every call is made from the thread that runs it.
class Observer {
 public:
  virtual ~Observer() = default;
  /// These are not remembered and will be timed now, which takes seconds each.
  virtual void on_timing(const std::vector<std::string>& /*baselines*/) {}
  virtual void on_baseline(const BaselineStanding&) {}
  virtual void on_start(const RunSummary&, const std::string& /*baseline*/) {}
  /// Before an evaluation; for a source to be written, before it is: `idea` is then the errand.
  virtual void on_ask(int /*number*/, const search::Ask&, const std::string& /*idea*/) {}
  virtual void on_written(int /*number*/, const WrittenSource&, const Spending&) {}
  virtual void on_attempt(const Attempt&, const Standing&) {}
  /// A person's order takes effect, before ask `from_attempt`.
  virtual void on_order(const Order&) {}
  virtual void on_confirm(const Attempt&) {}
  virtual void on_notice(const std::string&) {}
};

/// What a run needs; all borrowed, all must outlive it.
struct Surroundings {
  const Workbench& workbench;
  evaluate::Carrier& carrier;
  store::RunStore& store;
  platform::Clock& clock;
  Observer& observer;
  std::function<bool()> is_interrupted;
  std::uint64_t input_seed = 0;  ///< Secret of this process's part of the run, from the system.
  /// Device, compiler and program, with its defences: what a remembered time depends on.
  std::string judge_id;
  const Writing* writing = nullptr;    ///< Of strategies that have sources written.
  const Learning* learning = nullptr;  ///< Of runs that use memory.
};

/// What a run came to; its attempts are in the store.
struct RunReport {
  RunSummary run;
  std::vector<BaselineStanding> baselines;
  std::string baseline;                    ///< Name of the opponent of the confirmation.
  std::optional<Attempt> best;             ///< None: nothing was correct.
  std::optional<Evaluation> confirmation;  ///< Of `best`; is_faster says whether it is a win.
  std::optional<Terms> terms;              ///< Of the confirmation.
};

/// What the id of a baseline's own evaluation begins with; its name follows.
inline constexpr const char* kBaselineId = "baseline-";

/// The decision log in the run's folder, there once the run has ended.
inline constexpr const char* kDecisionLog = "decisions.log";

/// Judges every baseline alone (or recalls what was remembered for this device and task) and
/// returns them, fastest first. A baseline that is wrong or not measurable comes last with mean_ns
/// 0.
/// `only`: where a baseline has this name, it alone.
Result<std::vector<BaselineStanding>> time_baselines(const Surroundings& s,
                                                     const std::string& only = {});

/// The same without judging any: what the store does not remember has mean_ns 0.
Result<std::vector<BaselineStanding>> recall_baselines(const Workbench& workbench,
                                                       const store::RunStore& store,
                                                       const std::string& judge_id);

/// The named baseline, or the fastest for an empty name; an error suggests the nearest name.
Result<const BaselineStanding*> choose_baseline(const std::vector<BaselineStanding>& standings,
                                                const std::string& name);

/// The error for a name that is none of `names`.
std::unexpected<Error> no_baseline(const std::string& name, const std::vector<std::string>& names);

/// That error where none of `baselines` has the name; an empty one means the fastest.
Result<> find_baseline(const std::vector<Candidate>& baselines, const std::string& name);

/// Gives a request of purpose judge the noise floors that its opponent showed within the last hour.
Result<> recall_floors(const Surroundings& s, EvaluationRequest& request);
/// Keeps those that the evaluation of this request had to measure.
Result<> remember_floors(const Surroundings& s, const EvaluationRequest& request,
                         const Evaluation& evaluation);

/// Runs a new search to its end; memory does not grow with the attempts. The caller stores the end
/// with store.update(report.run) once it has written what it makes of the report: killed before,
/// the run can still be resumed. Where the budgets allow models no further call, the best so far is
/// confirmed as at any other end. Other trouble with them is an error that leaves the run
/// resumable, and no completed reply is asked for again.
Result<RunReport> run(const Surroundings& s, const RunConfig& config);

/// Goes on with a stored run after re-feeding what it recorded; the same decisions follow.
Result<RunReport> resume(const Surroundings& s, const RunSummary& stored);

/// Re-feeds a stored run without carrier or device and returns its decision log; at the first ask
/// that differs from the recorded one the log ends with what is asked now.
Result<std::vector<std::string>> replay(const Workbench& workbench, const store::RunStore& store,
                                        const RunSummary& stored);

}  // namespace kw::engine
