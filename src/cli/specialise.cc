// kw specialise FILE|RUN: writes one kernel that has its own knobs and constants for each timed
// shape.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/status.h"
#include "cli/target_flags.h"
#include "platform/signals.h"
#include "session/specialise.h"

namespace kw::cli {
namespace {

struct SpecialiseFlags {
  std::string kernel;
  std::string task;
  TargetFlags target;
  std::vector<std::string> settings;
  std::string baseline;
  std::int64_t points = session::SpecialiseRequest().points;
};

Result<session::SpecialiseRequest> request_of(const SpecialiseFlags& flags) {
  session::SpecialiseRequest request;
  if (session::is_kernel_file(flags.kernel)) {
    if (flags.task.empty())
      return fail_input(ErrorCode::Missing, About{"--task"},
                        "a kernel's file needs --task, which names the task that it computes");
    request.aim = KW_TRY(flags.target.aim(flags.kernel));
  } else if (!flags.target.target.empty()) {
    request.aim = KW_TRY(flags.target.aim());
  }
  request.kernel = flags.kernel;
  request.task = flags.task;
  request.settings = flags.settings;
  request.baseline = flags.baseline;
  request.points = static_cast<int>(flags.points);
  return request;
}

/// Tells the builds line by line. From the first one on, an interruption lets the step in progress
/// end.
class Teller final : public session::SpecialiseObserver {
 public:
  explicit Teller(Status& status) : status_(status) {}
  void on_begin() override {
    signals_.emplace();
    status_.answer_interruption(
        [this] { return is_interrupted(); },
        "interrupted: ending after the step in progress; Ctrl-C again to stop now");
  }
  void on_build(const std::string& line) override {
    std::fprintf(stderr, "kw: %s\n", line.c_str());
  }
  bool is_interrupted() const { return signals_ && signals_->is_interrupted(); }

 private:
  Status& status_;
  std::optional<platform::SignalGuard> signals_;
};

Result<int> specialise(const Global& global, const SpecialiseFlags& flags) {
  const auto request = KW_TRY(request_of(flags));
  Teller teller(*global.status);
  const auto built =
      session::specialise(global, request, teller, [&teller] { return teller.is_interrupted(); });
  global.status->ask_for_news({});
  if (!built && teller.is_interrupted()) return report_error(global, built.error(), kInterrupted);
  const auto& [task, target, builds] = KW_TRY(built);
  if (global.json)
    std::printf("%s\n", dump_json(session::shape_builds_json(builds, task, target)).c_str());
  else
    std::printf("%s", session::shape_builds_words(builds).c_str());
  return builds.result.is_kept() ? kDone : kNotGood;
}

}  // namespace

Command specialise_command() {
  auto flags = std::make_shared<SpecialiseFlags>();
  Command command;
  command.name = "specialise";
  command.summary = "Choose knobs for each timed shape and put them into one kernel";
  command.declare = [flags](Flags& f) {
    f.positional("kernel", flags->kernel,
                 "Source file of a kernel, or a run whose best kernel is taken");
    f.text("--task", flags->task, "Task that a source file computes");
    flags->target.declare(f, true);
    f.texts("--set", flags->settings, "Knob value K=V for all other shapes; repeatable");
    f.text("--baseline", flags->baseline, "Baseline to confirm against; default: the fastest");
    f.integer("--points", flags->points, "Settings of the knobs to try for each shape", {1, 1000});
  };
  command.run = [flags](const Global& global) {
    return end_command(global, specialise(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
