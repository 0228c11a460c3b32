// kw optimize TASK and kw resume RUN: a search from the first baseline to the confirmed winner.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/rng.h"
#include "cli/admission_record.h"
#include "cli/bundle.h"
#include "cli/commands.h"
#include "cli/groundwork.h"
#include "cli/interruption.h"
#include "cli/live_view.h"
#include "cli/optimize_flags.h"
#include "cli/run_view.h"
#include "cli/session.h"
#include "cli/shape_builds.h"
#include "cli/shelf.h"
#include "cli/styled.h"
#include "cli/synthetic_bench.h"
#include "engine/gain_model.h"
#include "engine/run.h"
#include "task/specified.h"

namespace kw::cli {
namespace {

/// Everything that a run needs, whether it searches a task or a landscape (a search space of stored
/// times).
struct Setting {
  std::optional<Groundwork> real;  ///< The task's groundwork; nothing for a landscape.
  std::unique_ptr<engine::Workbench> landscape;
  std::unique_ptr<evaluate::Carrier> synthetic;
  std::string name;    ///< The name of the runs on a landscape.
  std::string sha256;  ///< Hash of the record that the landscape was read from.
  std::unique_ptr<Bench> bench;
  std::unique_ptr<evaluate::BundleCarrier>
      bundle;  ///< The carrier, if another machine judges; else null.

  const engine::Workbench& workbench() const { return real ? *real->workbench : *landscape; }
  evaluate::Carrier& carrier() const {
    if (bundle) return *bundle;
    return bench ? bench->carrier() : *synthetic;
  }
  std::string judge_id(const Aim& aim) const {
    if (!bench) return "synthetic";
    return bundle ? judge_elsewhere(aim, bench->compiler()) : bench->judge_id();
  }
  DeviceFacts facts() const {
    if (bundle) return bundle->facts();
    if (bench) return bench->facts();
    DeviceFacts facts;
    facts.id = "synthetic";
    facts.model = "synthetic landscape";
    return facts;
  }
};

/// Opens the judge and returns the device facts whose limits decide which shapes and plans are
/// allowed. If the judge is on another machine, these are the architecture's limits, so that facts
/// in that machine's results change no decision.
Result<DeviceFacts> open_judge(const Global& global, const RunConfig& config,
                               const std::string& task, store::RunStore& store, Setting& setting) {
  const Aim aim{config.target, config.arch};
  if (config.carrier != kBundle) {
    setting.bench = KW_TRY(Bench::open(global, &store, aim));
    return setting.bench->facts();
  }
  setting.bench = KW_TRY(Bench::open_compilers(global, aim));
  setting.bundle = KW_TRY(
      open_bundle(setting.bench->compiler(), store, task, aim, setting.bench->disassembler()));
  return facts_elsewhere(aim);
}

Result<Setting> open_setting(const Global& global, const OptimizeFlags& flags,
                             const RunConfig& config, store::RunStore& store, LiveView& view) {
  Setting setting;
  if (auto landscape = synthetic_bench(global, config.task_path)) {
    auto parts = KW_TRY(std::move(*landscape));
    setting.name = std::move(parts.name);
    setting.sha256 = std::move(parts.sha256);
    setting.landscape = std::move(parts.workbench);
    setting.synthetic = std::move(parts.carrier);
    KW_TRY(engine::find_baseline(setting.landscape->baselines(), flags.baseline));
    return setting;
  }
  const auto data = KW_TRY(open_data(global));
  auto definition = KW_TRY(open_accepted_task(global, data, config.task_path));
  if (!config.models.empty()) KW_TRY(task::check_specified(definition));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, config.target, flags.baseline));
  const DeviceFacts facts =
      KW_TRY(open_judge(global, config, definition.task.name, store, setting));
  setting.real = KW_TRY(
      lay_groundwork(global, data, std::move(definition), {config.target, config.arch}, facts));
  KW_TRY(setting.real->workbench->check_baseline(flags.baseline));
  setting.real->shelf = KW_TRY(open_shelf(data, flags.embedder, flags.writing.models.base_url,
                                          config.model_timeout_ns,
                                          [&view](const std::string& t) { view.on_notice(t); }));
  if (!setting.bundle) KW_TRY(setting.bench->ensure_ceilings());
  return setting;
}

/// Cancels requests to models as soon as a person interrupts; after a second Ctrl-C ends the
/// program if it does not end soon by itself. Everything stored stays.
class Canceller {
 public:
  Canceller(const Global& global, const platform::SignalGuard& signals)
      : thread_([this, &global, &signals](const std::stop_token& end) {
          constexpr int kLookMs = 100;
          constexpr int kGraceLooks = 15;
          pollfd watched{signals.fd(), POLLIN, 0};
          while (!end.stop_requested() && ::poll(&watched, 1, kLookMs) == 0) continue;
          if (end.stop_requested()) return;
          source_.request_stop();
          for (int looks = 0; !end.stop_requested(); looks += signals.is_urgent() ? 1 : 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
            if (looks == kGraceLooks) end_interrupted(global);
          }
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

/// The models of a run, if its strategy lets models write kernels; null for other strategies.
Result<std::unique_ptr<RunModels>> open_models(const Global& global, RunConfig& config,
                                               store::RunStore& store, LiveView& view,
                                               const Canceller& canceller) {
  if (!KW_TRY(search::find_strategy(config.strategy))->is_writing)
    return std::unique_ptr<RunModels>();
  WritingView shown;
  shown.on_delta = [&view](const llm::Delta& delta) { view.on_delta(delta); };
  shown.on_notice = [&view](const std::string& text) { view.on_notice(text); };
  return RunModels::open(KW_TRY(open_data(global)), config, store, std::move(shown),
                         canceller.token());
}

/// Writes the sources of all attempts to the folder of --save-attempts. A failure does not fail the
/// run: it is reported, and is part of the result object.
void keep_sources(const OptimizeFlags& flags, const store::RunStore& store,
                  const report::RunData& data, Json& told) {
  if (flags.save_attempts.empty()) return;
  const auto kept = report::save_attempts(flags.save_attempts, store, data.run.id);
  if (kept) return;
  const Error& error = kept.error();
  std::fprintf(stderr,
               "kw: --save-attempts could not write every source: %s\nkw: the run holds all of "
               "them: kw export %s --format jsonl\n",
               describe(error).c_str(), data.run.name.c_str());
  told["not_saved"] = {{"what", error.what}, {"where", error.where}};
}

/// Writes the run's files, prints its result, and returns the object for --json.
Result<Json> report_run(const Global& global, const OptimizeFlags& flags, store::RunStore& store,
                        const report::RunData& data, const std::string& warning) {
  report::Digest digest;
  KW_TRY(store.for_each_line(data.run.id, [&](const AttemptLine& line) { digest.add(line); }));
  KW_TRY(report::write_run_folder(store, data, digest));
  KW_TRY(store.update(data.run));
  const platform::Path folder = store.folder_of(data.run);
  if (!global.json) {
    const Look look = look_of(STDOUT_FILENO);
    std::printf("%s", folded(report::summary_table(data, digest), look).c_str());
    if (!warning.empty()) std::printf("%s", folded(warning + "\n", look).c_str());
    std::printf("%s", folded(where_to_look(data, folder), look).c_str());
  }
  std::fflush(stdout);  // Later messages go to standard error and must appear behind the table.
  Json told = optimized_json(data, folder);
  keep_sources(flags, store, data, told);
  return told;
}

/// With --mode specialised, chooses knobs and constants of the winner for each timed shape. Null
/// without a winner. A failure does not fail the run: it is reported, and is part of the result
/// object.
Json builds_of_winner(const Global& global, const engine::Surroundings& s, const Setting& setting,
                      const report::RunData& data) {
  const RunConfig& config = data.run.config;
  if (data.run.state == RunState::Interrupted || !data.is_win()) return nullptr;
  const auto builds = build_for_shapes(s, *setting.real->workbench, data.best->candidate,
                                       {.baseline = config.baseline});
  if (!builds) {
    const Error& error = builds.error();
    std::fprintf(
        stderr,
        "kw: building the kernel for each shape failed: %s\nkw: to try again: kw specialise %s\n",
        describe(error).c_str(), data.run.name.c_str());
    return {{"confirmed", false}, {"error", {{"what", error.what}, {"where", error.where}}}};
  }
  if (!global.json) std::printf("%s", shape_builds_words(*builds).c_str());
  return shape_builds_json(*builds, config.task, config.target);
}

/// The run to do: a stored run that is resumed, or a new one that the flags describe. wanted_of()
/// reports wrong flags before anything is built.
struct Wanted {
  std::optional<RunSummary> stored;
  RunConfig config;
};

Result<Wanted> wanted_of(const OptimizeFlags& flags, const store::RunStore& store) {
  Wanted wanted;
  if (flags.run.empty()) {
    wanted.config = KW_TRY(config_of(flags));
  } else {
    wanted.stored = KW_TRY(store.find(flags.run));
    wanted.config = wanted.stored->config;
    if (const auto ns = KW_TRY(flags.writing.asking.timeout_ns()); ns > 0)
      wanted.config.model_timeout_ns = ns;
  }
  return wanted;
}

/// Refuses to resume a run on a GPU whose limits differ from those at the run's start: they would
/// allow other knobs, so the run's decisions could not be repeated.
Result<> fit_to_device(const Wanted& wanted, const Setting& setting) {
  const std::vector<GpuFacts>& gpu = wanted.config.gpu;
  if (gpu.empty() || has_same_limits(gpu.front(), setting.real->gpu.front())) return {};
  return fail_input("the run began on another kind of GPU than this " + setting.facts().model,
                    wanted.stored->name);
}

Result<> fit_to_setting(Wanted& wanted, const OptimizeFlags& flags, const Setting& setting) {
  RunConfig& config = wanted.config;
  const std::string sha256 =
      setting.real ? setting.real->workbench->definition().task.sha256 : setting.sha256;
  if (wanted.stored && config.task_sha256 != sha256)
    return fail_input("the task has changed since this run began; start a new one",
                      wanted.stored->name);
  if (config.specialises && !setting.real)
    return fail_input(
        "a synthetic or recorded landscape has no shapes: --mode specialised has no effect on it");
  if (wanted.stored) return fit_to_device(wanted, setting);
  if (setting.real) {
    fit_to_task(config, flags, *setting.real);
  } else {
    config.task = setting.name;
    config.task_sha256 = setting.sha256;
    config.carrier = "synthetic";
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

Result<> take_results_of(store::RunStore& store, const std::string& file, const Aim& aim) {
  const TakenResults taken = KW_TRY(take_results(store, file, aim));
  fmt::print(stderr, "kw: {} new result{} read from {}\n", taken.news, taken.news == 1 ? "" : "s",
             file);
  for (const std::string& line : describe_judge(taken.facts, aim))
    fmt::print(stderr, "kw: {}\n", line);
  return {};
}

Result<int> optimize(const Global& outside, const OptimizeFlags& flags) {
  auto store = KW_TRY(store::RunStore::open(outside.workspace));
  Wanted wanted = KW_TRY(wanted_of(flags, store));
  // If the learned judge is wanted, fails before anything is built or timed unless there are enough
  // recorded samples to train it.
  if (!wanted.stored && (wanted.config.judges_learned || wanted.config.shortlist > 1))
    KW_TRY(engine::samples_to_learn_from(store, wanted.config.target));
  if (!flags.results.empty())
    KW_TRY(take_results_of(store, flags.results, {wanted.config.target, wanted.config.arch}));
  const platform::SignalGuard signals(2);
  const Canceller canceller(outside, signals);
  Global global = outside;
  // The first Ctrl-C lets the attempt finish; the second also ends the wait for a worker.
  global.is_interrupted = [&signals] { return signals.is_urgent(); };
  LiveView view(*global.status, global.json, [&signals] { return signals.is_interrupted(); });
  if (!store.notice().empty()) view.on_notice(store.notice());
  // The folder for the sources is created before the search, so that a long search does not end
  // with sources that cannot be written.
  if (!flags.save_attempts.empty()) KW_TRY(as_input(platform::make_dirs(flags.save_attempts)));
  const auto models = KW_TRY(open_models(global, wanted.config, store, view, canceller));
  KW_TRY(check_embedder(KW_TRY(open_data(global)), flags.embedder, flags.writing.models.base_url,
                        wanted.config, [&view](const std::string& t) { view.on_notice(t); }));
  const Setting setting = KW_TRY(open_setting(global, flags, wanted.config, store, view));
  KW_TRY(fit_to_setting(wanted, flags, setting));
  const AdmissionKnown admission = KW_TRY(admission_for(setting, wanted.config, store));
  if (admission.state == Admission::Refused && !wanted.stored)
    return fail_input("kw task check refused this task on " + admission.at + ": " +
                          admission.problem + "; mend it, and check it again",
                      wanted.config.task_path);
  const std::string warning =
      setting.real ? admission_warning(admission, wanted.config.task_path, wanted.config.target)
                   : std::string();
  if (!warning.empty()) view.on_notice(warning);
  engine::Writing writing;
  engine::Learning learning;
  if (setting.real) {
    for (const std::string& notice : setting.real->workbench->notices()) view.on_notice(notice);
    if (models) writing = models->writing();
    KW_TRY(furnish(writing, *setting.real, setting.facts(), wanted.config.uses_knowledge));
    learning = learning_of(*setting.real, setting.facts());
  }
  const engine::Surroundings surroundings{
      setting.workbench(),
      setting.carrier(),
      store,
      platform::real_clock(),
      view,
      [&] { return signals.is_interrupted(); },
      Seed::from_os().low,
      setting.judge_id({wanted.config.target, wanted.config.arch}),
      models ? &writing : nullptr,
      setting.real ? &learning : nullptr};
  auto searched = wanted.stored ? engine::resume(surroundings, *wanted.stored)
                                : engine::run(surroundings, wanted.config);
  view.end();
  if (!searched && signals.is_interrupted())
    return report_error(global, searched.error(), kInterrupted);
  report::RunData data = run_data(KW_TRY(std::move(searched)), setting.facts());
  if (setting.real) data.code = setting.real->workbench->definition().code;
  Json told = KW_TRY(report_run(global, flags, store, data, warning));
  if (setting.real) told["admission"] = word_of(admission.state);
  const bool was_interrupted = data.run.state == RunState::Interrupted;
  if (data.run.config.specialises)
    told["specialised"] = builds_of_winner(global, surroundings, setting, data);
  if (global.json) std::printf("%s\n", dump_json(told).c_str());
  const bool lacks_builds = data.run.config.specialises && told["specialised"].contains("error");
  if (was_interrupted || (lacks_builds && signals.is_interrupted()))
    return static_cast<int>(kInterrupted);
  if (told.contains("not_saved")) return static_cast<int>(kEnvironment);
  return static_cast<int>(data.is_win() ? kDone : kNotGood);
}

int run(const Global& global, const OptimizeFlags& flags) {
  const auto code = optimize(global, flags);
  return code ? *code : report_error(global, code.error(), code_of(code.error()));
}

}  // namespace

Command optimize_command() {
  auto flags = std::make_shared<OptimizeFlags>();
  Command command;
  command.name = "optimize";
  command.summary = "Search for the fastest kernel of a task and confirm it";
  command.declare = [flags](Flags& f) { flags->declare(f); };
  command.screen = optimize_screen();
  command.run = [flags](const Global& global) { return run(global, *flags); };
  return command;
}

Command resume_command() {
  auto flags = std::make_shared<OptimizeFlags>();
  Command command;
  command.name = "resume";
  command.summary = "Go on with a run that was interrupted or killed";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.text("--results", flags->results,
           "With --carrier bundle: file of results that kw-worker --bundle wrote");
    f.text("--save-attempts", flags->save_attempts,
           "Folder in which every source is kept as NNN_name.cpp or .cu");
    flags->writing.asking.declare_timeout(f);
  };
  command.run = [flags](const Global& global) { return run(global, *flags); };
  return command;
}

}  // namespace kw::cli
