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

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interruption.h"
#include "cli/live_view.h"
#include "cli/optimize_flags.h"
#include "cli/run_view.h"
#include "cli/styled.h"
#include "report/run_folder.h"
#include "session/admission_record.h"
#include "session/optimize.h"
#include "session/shape_builds.h"

namespace kw::cli {
namespace {

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

/// Shows a search while it goes on, and its result as soon as it has ended.
class Screen final : public LiveView {
 public:
  Screen(const Global& global, std::function<bool()> is_interrupted)
      : LiveView(*global.status, global.json, std::move(is_interrupted)), is_json_(global.json) {}
  void on_end(const session::OptimizeResult& result) override {
    end();
    if (!is_json_) {
      const Look look = look_of(STDOUT_FILENO);
      std::printf("%s", folded(report::summary_table(result.data, result.digest), look).c_str());
      if (!result.warning.empty()) std::printf("%s", folded(result.warning + "\n", look).c_str());
      std::printf("%s", folded(where_to_look(result.data, result.folder), look).c_str());
    }
    std::fflush(stdout);  // Later messages go to standard error and must appear behind the table.
    if (result.not_saved)
      std::fprintf(stderr,
                   "kw: --save-attempts could not write every source: %s\nkw: the run holds all of "
                   "them: kw export %s --format jsonl\n",
                   describe(*result.not_saved).c_str(), result.data.run.name.c_str());
  }
  void on_build(const std::string& line) override { fmt::print(stderr, "kw: {}\n", line); }

 private:
  const bool is_json_;
};

Json error_json(const Error& error) { return {{"what", error.what}, {"where", error.where}}; }

/// The winner's builds for each shape as an object; reports why there are none.
Json builds_json(const Global& global, const session::OptimizeResult& result) {
  if (!result.builds) return nullptr;
  const session::ShapeBuilds* builds = *result.builds ? &**result.builds : nullptr;
  if (builds == nullptr) {
    const Error& error = result.builds->error();
    std::fprintf(
        stderr,
        "kw: building the kernel for each shape failed: %s\nkw: to try again: kw specialise %s\n",
        describe(error).c_str(), result.data.run.name.c_str());
    return {{"confirmed", false}, {"error", error_json(error)}};
  }
  if (!global.json) std::printf("%s", session::shape_builds_words(*builds).c_str());
  const RunConfig& config = result.data.run.config;
  return session::shape_builds_json(*builds, config.task, config.target);
}

Result<session::OptimizeRequest> request_of(const OptimizeFlags& flags) {
  session::OptimizeRequest request;
  if (flags.run.empty()) {
    request.config = KW_TRY(config_of(flags));
    request.has_goals = !flags.goals.empty();
  } else {
    request.resumes = flags.run;
    request.model_timeout_ns = KW_TRY(flags.writing.asking.timeout_ns());
  }
  request.embedder = flags.embedder;
  request.base_url = flags.writing.models.base_url;
  request.results = flags.results;
  request.save_attempts = flags.save_attempts;
  return request;
}

Result<int> optimize(const Global& outside, const OptimizeFlags& flags) {
  const session::OptimizeRequest request = KW_TRY(request_of(flags));
  const platform::SignalGuard signals(2);
  const Canceller canceller(outside, signals);
  Global global = outside;
  // The first Ctrl-C lets the attempt finish; the second also ends the wait for a worker.
  global.is_interrupted = [&signals] { return signals.is_urgent(); };
  const auto is_interrupted = [&signals] { return signals.is_interrupted(); };
  Screen screen(global, is_interrupted);
  const auto ended =
      session::optimize(global, request, screen, {is_interrupted, canceller.token()});
  screen.end();
  if (!ended && signals.is_interrupted()) return report_error(global, ended.error(), kInterrupted);
  const session::OptimizeResult& result = KW_TRY(ended);
  Json told = optimized_json(result.data, result.folder);
  if (result.not_saved) told["not_saved"] = error_json(*result.not_saved);
  if (result.admission) told["admission"] = session::word_of(result.admission->state);
  if (result.data.run.config.specialises) told["specialised"] = builds_json(global, result);
  if (global.json) std::printf("%s\n", dump_json(told).c_str());
  const bool lacks_builds = result.builds && !*result.builds;
  if (result.was_interrupted() || (lacks_builds && signals.is_interrupted()))
    return static_cast<int>(kInterrupted);
  if (result.not_saved) return static_cast<int>(kEnvironment);
  return static_cast<int>(result.data.is_win() ? kDone : kNotGood);
}

}  // namespace

Command optimize_command() {
  auto flags = std::make_shared<OptimizeFlags>();
  Command command;
  command.name = "optimize";
  command.summary = "Search for the fastest kernel of a task and confirm it";
  command.declare = [flags](Flags& f) { flags->declare(f); };
  command.screen = optimize_screen();
  command.run = [flags](const Global& global) {
    return end_command(global, optimize(global, *flags));
  };
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
  command.run = [flags](const Global& global) {
    return end_command(global, optimize(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
