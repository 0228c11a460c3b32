// The live view of a run: a status line at the bottom of a terminal, which is overwritten, and
// lines that stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "cli/live_text.h"
#include "cli/status.h"
#include "session/optimize.h"

namespace kw::cli {

/// Prints what happens in a run to standard error, so that standard output holds only the result.
/// `status` must outlive the view.
class LiveView : public session::OptimizeObserver {
 public:
  /// `is_quiet`: print only notices and messages about an interruption (for --json).
  /// `is_interrupted` is called from another thread until end() or the destructor.
  LiveView(Status& status, bool is_quiet, std::function<bool()> is_interrupted);
  ~LiveView() override;

  void on_timing(const std::vector<std::string>& baselines) override;
  void on_baseline(const session::BaselineStanding& baseline) override;
  void on_start(const RunSummary& run, const std::string& baseline) override;
  void on_ask(int number, const session::Ask& ask, const std::string& idea) override;
  void on_written(int number, const session::WrittenSource& source, const Spending& spent) override;
  void on_delta(const session::Delta& delta) override;
  void on_attempt(const Attempt& attempt, const session::Standing& standing) override;
  void on_order(const Order& order) override;
  void on_confirm(const Attempt& attempt) override;
  void on_notice(const std::string& text) override;
  /// Ends the view: the status line disappears.
  void end();

 private:
  enum class Phase { Before, Asking, Judging, Confirming };

  /// Prints lines that stay on the terminal.
  void say(const Lines& lines);
  LiveText text() const;
  OwnLine bottom(const Activity& activity, const Look& look);
  /// Lines for a person who has just interrupted the run; empty if nobody has, or if they were
  /// printed already.
  Lines news();
  std::string finishing() const;

  Status& status_;
  const bool is_quiet_;
  std::function<bool()> is_interrupted_;
  std::mutex mutex_;  ///< Guards the fields below; the status calls from its own thread.
  LiveState state_;
  Phase phase_ = Phase::Before;
  std::string knobs_;  ///< Knobs of the attempt in progress.
  /// The model's name if the run uses only one, else "the model".
  std::string model_ = "the model";
  std::string asking_;          ///< What a model is being asked for.
  std::size_t characters_ = 0;  ///< Characters of the current reply so far.
  std::int64_t started_ns_ = 0;
  double waited_before_s_ = 0;
  bool has_answered_ = false;  ///< Whether the message about an interruption was printed.
};

}  // namespace kw::cli
