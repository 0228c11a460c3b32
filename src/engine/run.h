// Runs one search on one task, from the first baseline to the confirmed winner; resumable and
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

/// A baseline and its time, measured without an opponent.
struct BaselineStanding {
  Candidate candidate;
  Evaluation evaluation;
  double mean_ns = 0;  ///< Mean over the timed workloads; 0: not correct or not measurable.
};

/// Says why a baseline is not usable: "failed at compile: …"; source positions name
/// `baselines/NAME.cpp`.
std::string failure_words(const BaselineStanding& baseline);

/// Watches a run; every call comes from the thread that runs it.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The named baselines have no remembered time and will be timed now, which takes seconds each.
  virtual void on_timing(const std::vector<std::string>& /*baselines*/) {}
  virtual void on_baseline(const BaselineStanding&) {}
  virtual void on_start(const RunSummary&, const std::string& /*baseline*/) {}
  /// Called before an evaluation; for a source to be written, before it is written: `idea` then
  /// says what the model is asked to do.
  virtual void on_ask(int /*number*/, const search::Ask&, const std::string& /*idea*/) {}
  virtual void on_written(int /*number*/, const WrittenSource&, const Spending&) {}
  virtual void on_attempt(const Attempt&, const Standing&) {}
  /// A person's order takes effect, before ask `from_attempt`.
  virtual void on_order(const Order&) {}
  virtual void on_confirm(const Attempt&) {}
  virtual void on_notice(const std::string&) {}
};

/// What a run needs; everything is borrowed and must outlive the run.
struct Surroundings {
  const Workbench& workbench;
  evaluate::Carrier& carrier;
  store::RunStore& store;
  platform::Clock& clock;
  Observer& observer;
  std::function<bool()> is_interrupted;
  /// Secret seed of this process's part of the run, from the system.
  std::uint64_t input_seed = 0;
  /// Identifies the device, the compiler, and the program with its defences: remembered times are
  /// valid for the same judge only.
  std::string judge_id;
  const Writing* writing = nullptr;    ///< For strategies that ask for sources.
  const Learning* learning = nullptr;  ///< For runs that use memory.
};

/// Result of a run; its attempts are in the store.
struct RunReport {
  RunSummary run;
  std::vector<BaselineStanding> baselines;
  std::string baseline;         ///< Name of the opponent in the confirmation.
  std::optional<Attempt> best;  ///< None: nothing was correct.
  /// Confirmation of `best`; its is_faster says whether that is a win.
  std::optional<Evaluation> confirmation;
  std::optional<Terms> terms;  ///< Terms of the confirmation.
};

/// The id of a baseline's evaluation: this prefix and the baseline's name.
inline constexpr const char* kBaselineId = "baseline-";

/// Name of the decision log in the run's folder; the file exists once the run has ended.
inline constexpr const char* kDecisionLog = "decisions.log";

/// Judges every baseline alone, or recalls the time that was remembered for this device and task,
/// and returns the baselines, fastest first. A baseline that is wrong or not measurable comes last,
/// with mean_ns 0. `only`: if a baseline has this name, only that one is judged.
Result<std::vector<BaselineStanding>> time_baselines(const Surroundings& s,
                                                     const std::string& only = {});

/// Returns baselines as time_baselines() does, but judges none: those that the store does not
/// remember have mean_ns 0.
Result<std::vector<BaselineStanding>> recall_baselines(const Workbench& workbench,
                                                       const store::RunStore& store,
                                                       const std::string& judge_id);

/// The named baseline, or the fastest for an empty name; an error suggests the nearest name.
Result<const BaselineStanding*> choose_baseline(const std::vector<BaselineStanding>& standings,
                                                const std::string& name);

/// The error for a name that is not among `names`.
std::unexpected<Error> no_baseline(const std::string& name, const std::vector<std::string>& names);

/// The error no_baseline() if none of `baselines` has this name; an empty name means the fastest
/// and is no error.
Result<> find_baseline(const std::vector<Candidate>& baselines, const std::string& name);

/// Gives a request of purpose judge the noise floors that its opponent showed within the last hour.
Result<> recall_floors(const Surroundings& s, EvaluationRequest& request);
/// Remembers the noise floors that this evaluation had to measure.
Result<> remember_floors(const Surroundings& s, const EvaluationRequest& request,
                         const Evaluation& evaluation);

/// Runs a new search to its end; memory does not grow with the attempts. The caller stores the end
/// with store.update(report.run) after writing the files that it makes of the report: if the
/// process is killed before that, the run can still be resumed. If the budgets allow no further
/// call of a model, the best so far is confirmed as at any other end. Other trouble with models is
/// an error that leaves the run resumable, and no completed reply is asked for again.
Result<RunReport> run(const Surroundings& s, const RunConfig& config);

/// Goes on with a stored run after replaying what it recorded; the same decisions follow.
Result<RunReport> resume(const Surroundings& s, const RunSummary& stored);

/// Replays a stored run without carrier or device and returns its decision log. At the first ask
/// that differs from the recorded one, the log ends with what is asked now.
Result<std::vector<std::string>> replay(const Workbench& workbench, const store::RunStore& store,
                                        const RunSummary& stored);

}  // namespace kw::engine
