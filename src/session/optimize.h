// Searches for the fastest kernel of a task, from the first baseline to the confirmed winner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/run.h"
#include "report/digest.h"
#include "report/run_data.h"
#include "session/admission_record.h"
#include "session/options.h"
#include "session/shape_builds.h"

namespace kw::session {

// What an observer of a search is told.
using engine::BaselineStanding;
using engine::Standing;
using engine::WrittenSource;
using llm::Delta;
using search::Ask;
using search::Role;

/// The value of RunConfig::carrier for runs whose kernels are judged on another machine.
inline constexpr const char* kBundle = "bundle";

struct OptimizeRequest {
  RunConfig config{};                 ///< A new run, without the facts of its task and device.
  std::string resumes{};              ///< The name of the run to go on with, in place of a new one.
  bool has_goals = false;             ///< `config.goals` hold in place of the task's.
  std::string embedder{};             ///< The model that ranks knowledge by meaning; empty: none.
  std::string base_url{};             ///< The address of the embedder.
  std::int64_t model_timeout_ns = 0;  ///< Of a resumed run, where it changes; 0: as stored.
  std::string results{};              ///< A file of results from a judge elsewhere; empty: none.
  std::string save_attempts{};        ///< The folder that gets every source; empty: none.
};

/// How a run can be ended from outside.
struct Cancellation {
  /// Returns true once the run is to end after what it is doing; empty: never.
  std::function<bool()> is_interrupted{};
  std::stop_token models{};  ///< Cancels requests to models.
};

struct OptimizeResult {
  report::RunData data;
  report::Digest digest;                    ///< Of all attempts.
  platform::Path folder;                    ///< Holds best/, plots and tables.
  std::optional<AdmissionKnown> admission;  ///< Nothing on a landscape.
  std::string warning;                      ///< That the task was never admitted; empty: it was.
  /// Why not every source was written to OptimizeRequest::save_attempts.
  std::optional<Error> not_saved;
  /// In mode specialised: the builds of the winner by shape, or why there are none. Nothing where
  /// the run has no winner or was interrupted.
  std::optional<Result<ShapeBuilds>> builds;

  bool was_interrupted() const { return data.run.state == RunState::Interrupted; }
};

/// Watches a session's search. Calls come from the thread that searches.
class OptimizeObserver : public engine::Observer {
 public:
  /// Receives a piece of a model's reply while the model writes.
  virtual void on_delta(const Delta& /*delta*/) {}
  /// The search has ended and its folder is written; builds by shape may follow.
  virtual void on_end(const OptimizeResult& /*result*/) {}
  /// A line about the builds by shape.
  virtual void on_build(const std::string& /*line*/) {}
};

/// Runs or resumes a search, confirms its winner, and writes the run's folder. A run whose task was
/// refused by admission is not begun. Costs what the run's bounds allow. Errors: the task or a flag
/// of the configuration cannot be used, this machine cannot judge, or a model cannot be opened;
/// what was stored before an error stays, and the run can be resumed.
Result<OptimizeResult> optimize(const Options& options, const OptimizeRequest& request,
                                OptimizeObserver& observer, const Cancellation& cancellation);

}  // namespace kw::session
