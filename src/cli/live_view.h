// The live view of a run: a line at the bottom of a terminal that says what is going on, and lines
// that stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "cli/live_text.h"
#include "cli/status.h"
#include "engine/run.h"

namespace kw::cli {

/// Writes to standard error, so that standard output stays the result. `status` must outlive it.
class LiveView final : public engine::Observer {
 public:
  /// Quiet: notices and what concerns an interruption only (for --json). `is_interrupted` is asked
  /// from another thread until the view has ended.
  LiveView(Status& status, bool is_quiet, std::function<bool()> is_interrupted);
  ~LiveView() override;

  void on_timing(const std::vector<std::string>& baselines) override;
  void on_baseline(const engine::BaselineStanding& baseline) override;
  void on_start(const RunSummary& run, const std::string& baseline) override;
  void on_ask(int number, const search::Ask& ask, const std::string& idea) override;
  void on_written(int number, const engine::WrittenSource& source, const Spending& spent) override;
  /// A piece of a model's reply.
  void on_delta(const llm::Delta& delta);
  void on_attempt(const Attempt& attempt, const engine::Standing& standing) override;
  void on_order(const Order& order) override;
  void on_confirm(const Attempt& attempt) override;
  void on_notice(const std::string& text) override;
  /// Nothing is going on any more.
  void end();

 private:
  enum class Phase { Before, Asking, Judging, Confirming };

  /// Lines that stay.
  void say(const Lines& lines);
  LiveText text() const;
  OwnLine bottom(const Activity& activity, const Look& look);
  /// What a person who interrupts is told at once.
  Lines news();
  std::string finishing() const;

  Status& status_;
  const bool is_quiet_;
  std::function<bool()> is_interrupted_;
  std::mutex mutex_;  ///< Of what follows; the status asks from its own thread.
  LiveState state_;
  Phase phase_ = Phase::Before;
  std::string knobs_;                ///< Of the attempt in progress.
  std::string model_ = "the model";  ///< Or its name, where one alone takes part.
  std::string asking_;               ///< What a model is asked for now.
  std::size_t characters_ = 0;       ///< Of its reply so far.
  std::int64_t started_ns_ = 0;
  double waited_before_s_ = 0;
  bool has_answered_ = false;  ///< An interruption.
};

}  // namespace kw::cli
