// Prints the lines of a run while it goes on.
// SPDX-License-Identifier: Apache-2.0
#include "cli/live_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"

namespace kw::cli {

LiveView::LiveView(Status& status, bool is_quiet, std::function<bool()> is_interrupted)
    : status_(status), is_quiet_(is_quiet), is_interrupted_(std::move(is_interrupted)) {
  status_.compose_by([this](const Activity& now, const Look& look) { return bottom(now, look); });
  status_.ask_for_news([this] { return news(); });
}

LiveView::~LiveView() { end(); }

void LiveView::end() {
  status_.ask_for_news({});
  status_.compose_by({});
  status_.doing("");
}

LiveText LiveView::text() const { return LiveText(look_of(STDERR_FILENO)); }

void LiveView::say(const Lines& lines) {
  for (const OwnLine& line : lines) print_own(line);
  status_.told();
}

OwnLine LiveView::bottom(const Activity& now, const Look& look) {
  const std::lock_guard guard(mutex_);
  LiveState state = state_;
  state.what = now.words;
  if (!now.is_waiting && phase_ == Phase::Judging) state.what += knobs_;
  if (!now.is_waiting && phase_ == Phase::Confirming) state.what = "confirming: " + state.what;
  state.what_s = now.seconds;
  state.is_waiting = now.is_waiting;
  state.is_finishing = has_answered_;
  if (started_ns_ != 0)
    state.elapsed_s = static_cast<double>(platform::real_clock().now_ns() - started_ns_) / 1e9 -
                      (now.waited_s - waited_before_s_);
  return LiveText(look).status(state);
}

std::string LiveView::finishing() const {
  switch (phase_) {
    case Phase::Before:
      return "interrupted: ending after the step in progress";
    case Phase::Asking:
      return fmt::format("interrupted: the reply for attempt {} is not waited for", state_.attempt);
    case Phase::Confirming:
      return fmt::format("interrupted: ending the confirmation of attempt {}", state_.attempt);
    case Phase::Judging:
      break;
  }
  return state_.attempt > 0 ? fmt::format("interrupted: finishing attempt {}", state_.attempt)
                            : "interrupted: ending";
}

Lines LiveView::news() {
  const std::lock_guard guard(mutex_);
  if (has_answered_ || !is_interrupted_()) return {};
  has_answered_ = true;
  return text().interrupted(finishing());
}

void LiveView::on_notice(const std::string& words) { say(text().notice(words)); }

void LiveView::on_timing(const std::vector<std::string>& baselines) {
  if (!is_quiet_) say(text().timing(baselines));
  status_.doing("timing " + baselines.front());
}

void LiveView::on_baseline(const session::BaselineStanding& baseline) {
  if (!is_quiet_) say(text().baseline(baseline));
}

void LiveView::on_start(const RunSummary& run, const std::string& baseline) {
  {
    const std::lock_guard guard(mutex_);
    // A resumed run has already spent some of its time budget, so its start is set back by that
    // time.
    started_ns_ = platform::real_clock().now_ns() - static_cast<std::int64_t>(run.spent_ns);
    waited_before_s_ = status_.activity().waited_s;
    state_.budget_s = static_cast<double>(run.config.max_time_ns) / 1e9;
    state_.attempts = run.config.max_attempts;
    state_.best = run.best_speedup;
    if (run.config.models.size() == 1) model_ = run.config.models.front();
    phase_ = Phase::Judging;
  }
  if (!is_quiet_) say(text().start(run, baseline));
}

void LiveView::on_ask(int number, const session::Ask& ask, const std::string& idea) {
  std::string words = idea;
  {
    const std::lock_guard guard(mutex_);
    state_.attempt = number;
    phase_ = Phase::Judging;
    knobs_ = ask.knobs.empty() ? "" : " " + knobs_text(ask.knobs);
    if (ask.role == session::Role::Write) {
      phase_ = Phase::Asking;
      characters_ = 0;
      asking_ = ask.why;
      words = "waiting for " + model_ + ": " + ask.why;
      knobs_.clear();
    }
  }
  status_.doing(words);
}

void LiveView::on_delta(const session::Delta& delta) {
  std::string words;
  {
    const std::lock_guard guard(mutex_);
    if (delta.kind == session::Delta::Kind::Restart) characters_ = 0;
    characters_ += delta.text.size();
    words = fmt::format("{} replies, {} characters: {}", model_, characters_, asking_);
  }
  status_.still_doing(words);
}

void LiveView::on_written(int number, const session::WrittenSource& source, const Spending& spent) {
  {
    const std::lock_guard guard(mutex_);
    phase_ = Phase::Judging;
  }
  if (!is_quiet_) say(text().written(number, source, spent));
}

void LiveView::on_attempt(const Attempt& attempt, const session::Standing& standing) {
  const double best = standing.incumbent().against_baseline.value;
  {
    const std::lock_guard guard(mutex_);
    state_.best = best;
  }
  if (!is_quiet_) say(text().attempt(attempt, best));
}

void LiveView::on_order(const Order& order) {
  {
    const std::lock_guard guard(mutex_);
    if (order.budget.max_time_ns > 0)
      state_.budget_s = static_cast<double>(order.budget.max_time_ns) / 1e9;
    if (order.budget.max_attempts > 0) state_.attempts = order.budget.max_attempts;
  }
  if (!is_quiet_) say(text().order(order));
}

void LiveView::on_confirm(const Attempt& attempt) {
  {
    const std::lock_guard guard(mutex_);
    state_.attempt = attempt.number;
    phase_ = Phase::Confirming;
  }
  if (!is_quiet_) say(text().confirm(attempt));
  status_.doing("fresh processes, seeds and samples");
}

}  // namespace kw::cli
