// Runs searches.
// SPDX-License-Identifier: Apache-2.0
#include "session/optimize.h"

#include <fmt/format.h>

#include <memory>

#include "base/rng.h"
#include "engine/gain_model.h"
#include "evaluate/bundle_carrier.h"
#include "report/run_folder.h"
#include "session/judging/bundle.h"
#include "session/judging/local_judge.h"
#include "session/landscape.h"
#include "session/searching/groundwork.h"
#include "session/searching/run_data.h"
#include "session/searching/run_models.h"
#include "session/searching/shelf.h"
#include "session/tasks.h"
#include "task/specified.h"

namespace kw::session {
namespace {

/// Everything that a run needs, whether it searches a task or a landscape (a search space of stored
/// times).
struct Setting {
  std::optional<Groundwork> real;  ///< The task's groundwork; nothing for a landscape.
  std::unique_ptr<engine::Workbench> landscape;
  std::unique_ptr<evaluate::Carrier> synthetic;
  std::string name;    ///< The name of the runs on a landscape.
  std::string sha256;  ///< Hash of the record that the landscape was read from.
  std::unique_ptr<LocalJudge> judge;
  std::unique_ptr<evaluate::BundleCarrier> bundle;  ///< The carrier, where the judge is elsewhere.

  const engine::Workbench& workbench() const { return real ? *real->workbench : *landscape; }
  evaluate::Carrier& carrier() const {
    if (bundle) return *bundle;
    return judge ? judge->carrier() : *synthetic;
  }
  std::string judge_id(const Aim& aim) const {
    if (!judge) return "synthetic";
    return bundle ? judge_elsewhere(aim, judge->compiler()) : judge->judge_id();
  }
  DeviceFacts facts() const {
    if (bundle) return bundle->facts();
    if (judge) return judge->facts();
    DeviceFacts facts;
    facts.id = "synthetic";
    facts.model = "synthetic landscape";
    return facts;
  }
};

/// Opens the judge and returns the device facts whose limits decide which shapes and plans are
/// allowed. If the judge is on another machine, these are the architecture's limits, so that facts
/// in that machine's results change no decision.
Result<DeviceFacts> open_judge(const Options& options, const RunConfig& config,
                               const std::string& task, store::RunStore& store, Setting& setting) {
  const Aim aim{config.target, config.arch};
  if (config.carrier != kBundle) {
    setting.judge = KW_TRY(LocalJudge::open(options, &store, aim));
    return setting.judge->facts();
  }
  setting.judge = KW_TRY(LocalJudge::open_compilers(options, aim));
  setting.bundle = KW_TRY(
      open_bundle(setting.judge->compiler(), store, task, aim, setting.judge->disassembler()));
  return facts_elsewhere(aim);
}

Result<Setting> open_setting(const Options& options, const OptimizeRequest& request,
                             const RunConfig& config, store::RunStore& store,
                             OptimizeObserver& observer) {
  Setting setting;
  // A resumed run has its opponent already.
  const std::string baseline = request.resumes.empty() ? config.baseline : std::string();
  if (auto landscape = open_landscape(options, config.task_path)) {
    auto parts = KW_TRY(std::move(*landscape));
    setting.name = std::move(parts.name);
    setting.sha256 = std::move(parts.sha256);
    setting.landscape = std::move(parts.workbench);
    setting.synthetic = std::move(parts.carrier);
    KW_TRY(engine::find_baseline(setting.landscape->baselines(), baseline));
    return setting;
  }
  const auto data = KW_TRY(open_data(options));
  auto definition = KW_TRY(open_accepted_task(options, data, config.task_path));
  if (!config.models.empty()) KW_TRY(task::check_specified(definition));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, config.target, baseline));
  const DeviceFacts facts =
      KW_TRY(open_judge(options, config, definition.task.name, store, setting));
  setting.real = KW_TRY(
      lay_groundwork(options, data, std::move(definition), {config.target, config.arch}, facts));
  KW_TRY(setting.real->workbench->check_baseline(baseline));
  setting.real->shelf =
      KW_TRY(open_shelf(data, request.embedder, request.base_url, config.model_timeout_ns,
                        [&observer](const std::string& text) { observer.on_notice(text); }));
  if (!setting.bundle) KW_TRY(setting.judge->ensure_ceilings());
  return setting;
}

/// The models of a run, if its strategy lets models write kernels; null for other strategies.
Result<std::unique_ptr<RunModels>> open_models(const Options& options, RunConfig& config,
                                               store::RunStore& store, OptimizeObserver& observer,
                                               std::stop_token cancel) {
  if (!KW_TRY(search::find_strategy(config.strategy))->is_writing)
    return std::unique_ptr<RunModels>();
  WritingView shown;
  shown.on_delta = [&observer](const llm::Delta& delta) { observer.on_delta(delta); };
  shown.on_notice = [&observer](const std::string& text) { observer.on_notice(text); };
  return RunModels::open(KW_TRY(open_data(options)), config, store, std::move(shown),
                         std::move(cancel));
}

/// The run as it is stored, or as the request asks for it.
struct Wanted {
  std::optional<RunSummary> stored;
  RunConfig config;
};

Result<Wanted> wanted_of(const OptimizeRequest& request, const store::RunStore& store) {
  Wanted wanted;
  if (request.resumes.empty()) {
    wanted.config = request.config;
    return wanted;
  }
  wanted.stored = KW_TRY(store.find(request.resumes));
  wanted.config = wanted.stored->config;
  if (request.model_timeout_ns > 0) wanted.config.model_timeout_ns = request.model_timeout_ns;
  return wanted;
}

/// Refuses to resume a run on a GPU whose limits differ from those at the run's start: they would
/// allow other knobs, so the run's decisions could not be repeated.
Result<> fit_to_device(const Wanted& wanted, const Setting& setting) {
  const std::vector<GpuFacts>& gpu = wanted.config.gpu;
  if (gpu.empty() || has_same_limits(gpu.front(), setting.real->gpu.front())) return {};
  return fail_input(ErrorCode::Changed, About{"GPU"},
                    "the run began on another kind of GPU than this " + setting.facts().model,
                    wanted.stored->name);
}

Result<> fit_to_setting(Wanted& wanted, bool has_goals, const Setting& setting) {
  RunConfig& config = wanted.config;
  const std::string sha256 =
      setting.real ? setting.real->workbench->definition().task.sha256 : setting.sha256;
  if (wanted.stored && config.task_sha256 != sha256)
    return fail_input(ErrorCode::Changed, About{setting.real ? "task" : "record"},
                      setting.real
                          ? "the task's files have changed since the run began; start a new one"
                          : "the record that this run searched has changed since the run "
                            "began; start a new run",
                      wanted.stored->name);
  if (config.specialises && !setting.real)
    return fail_input(
        ErrorCode::Unsupported, About{"--mode"},
        "a synthetic or recorded landscape has no shapes: --mode specialised has no effect on it");
  if (wanted.stored) return fit_to_device(wanted, setting);
  if (setting.real) {
    fit_to_task(config, has_goals, *setting.real);
  } else {
    config.task = setting.name;
    config.task_sha256 = setting.sha256;
    config.carrier = "synthetic";
    config.uses_memory = RunConfig().uses_memory;  // a landscape has no lessons
  }
  return {};
}

/// The result of kw task check for the run's task on this machine; empty if the run has no task but
/// searches stored times.
Result<AdmissionKnown> admission_for(const Setting& setting, const RunConfig& config,
                                     const store::RunStore& store) {
  if (!setting.real) return AdmissionKnown();
  return known_admission(store, KW_TRY(memory::DataFiles::open(std::nullopt)),
                         setting.real->workbench->definition().task, config.target,
                         setting.judge_id({config.target, config.arch}));
}

Result<> take_results_of(const Options& options, store::RunStore& store, const std::string& file,
                         const Aim& aim) {
  const TakenResults taken = KW_TRY(take_results(store, file, aim));
  options.notice(
      fmt::format("{} new result{} read from {}", taken.news, taken.news == 1 ? "" : "s", file));
  for (const std::string& line : describe_judge(taken.facts, aim)) options.notice(line);
  return {};
}

/// Refuses a new run on a task that admission has refused.
Result<> check_admission(const AdmissionKnown& admission, const Wanted& wanted) {
  if (admission.state != AdmissionState::Refused || wanted.stored) return {};
  return fail_input(ErrorCode::TaskAtFault, About{"admission"},
                    "kw task check refused this task on " + admission.at + ": " +
                        admission.problem + "; mend it, and check it again",
                    wanted.config.task_path);
}

/// Writes the run's folder and, where they are wanted, its sources.
Result<> write_down(store::RunStore& store, const OptimizeRequest& request,
                    OptimizeResult& result) {
  const report::RunData& data = result.data;
  KW_TRY(store.attempts().for_each_line(data.run.id,
                                        [&](const AttemptLine& line) { result.digest.add(line); }));
  KW_TRY(report::write_run_folder(store, data, result.digest));
  KW_TRY(store.update(data.run));
  result.folder = store.folder_of(data.run);
  if (request.save_attempts.empty()) return {};
  if (const auto kept = report::save_attempts(request.save_attempts, store, data.run.id); !kept)
    result.not_saved = kept.error();
  return {};
}

}  // namespace

Result<OptimizeResult> optimize(const Options& options, const OptimizeRequest& request,
                                OptimizeObserver& observer, const Cancellation& cancellation) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  Wanted wanted = KW_TRY(wanted_of(request, store));
  const Aim aim{wanted.config.target, wanted.config.arch};
  const auto on_notice = [&observer](const std::string& text) { observer.on_notice(text); };
  // If the learned judge is wanted, fails before anything is built or timed unless there are enough
  // recorded samples to train it.
  if (!wanted.stored && (wanted.config.judges_learned || wanted.config.shortlist > 1))
    KW_TRY(engine::samples_to_learn_from(store, wanted.config.target));
  if (!request.results.empty()) KW_TRY(take_results_of(options, store, request.results, aim));
  if (!store.notice().empty()) on_notice(store.notice());
  // The folder for the sources is created before the search, so that a long search does not end
  // with sources that cannot be written.
  if (!request.save_attempts.empty()) KW_TRY(as_input(platform::make_dirs(request.save_attempts)));
  const auto models =
      KW_TRY(open_models(options, wanted.config, store, observer, cancellation.models));
  KW_TRY(check_embedder(KW_TRY(open_data(options)), request.embedder, request.base_url,
                        wanted.config, on_notice));
  const Setting setting = KW_TRY(open_setting(options, request, wanted.config, store, observer));
  KW_TRY(fit_to_setting(wanted, request.has_goals, setting));
  const AdmissionKnown admission = KW_TRY(admission_for(setting, wanted.config, store));
  KW_TRY(check_admission(admission, wanted));
  OptimizeResult result;
  if (setting.real) {
    result.admission = admission;
    result.warning = admission_warning(admission, wanted.config.task_path, wanted.config.target);
  }
  if (!result.warning.empty()) on_notice(result.warning);
  engine::Writing writing;
  engine::Learning learning;
  if (setting.real) {
    for (const std::string& notice : setting.real->workbench->notices()) on_notice(notice);
    if (models) writing = models->writing();
    KW_TRY(furnish(writing, *setting.real, setting.facts(), wanted.config.uses_knowledge));
    learning = learning_of(*setting.real, setting.facts());
  }
  const engine::Surroundings surroundings{setting.workbench(),
                                          setting.carrier(),
                                          store,
                                          platform::real_clock(),
                                          observer,
                                          cancellation.is_interrupted,
                                          Seed::from_os().low,
                                          setting.judge_id(aim),
                                          models ? &writing : nullptr,
                                          setting.real ? &learning : nullptr};
  auto searched = wanted.stored ? engine::resume(surroundings, *wanted.stored)
                                : engine::run(surroundings, wanted.config);
  result.data = run_data(KW_TRY(std::move(searched)), setting.facts());
  if (setting.real) result.data.code = setting.real->workbench->definition().code;
  KW_TRY(write_down(store, request, result));
  observer.on_end(result);
  if (result.data.run.config.specialises && !result.was_interrupted() && result.data.is_win())
    result.builds =
        build_for_shapes(surroundings, *setting.real->workbench, result.data.best->candidate,
                         {.baseline = result.data.run.config.baseline},
                         [&](const std::string& line) { observer.on_build(line); });
  return result;
}

}  // namespace kw::session
