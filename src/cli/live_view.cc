// Lines of a run as it goes.
// SPDX-License-Identifier: Apache-2.0
#include "cli/live_view.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/foreign_text.h"
#include "base/shown_output.h"
#include "base/text.h"
#include "engine/orders.h"
#include "report/run_folder.h"

namespace kw::cli {

/// Of a plan, on the screen.
constexpr std::size_t kPlanBytes = 200;

namespace {

constexpr std::string_view kClearLine = "\r\033[K";

/// A terminal that can go back to the start of a line and clear it.
bool can_rewrite() {
  const char* kind = std::getenv("TERM");
  return ::isatty(2) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// What fits on a line of the terminal as wide as it is now. The last column stays free: a cursor
/// behind it may be on the next line already, where going back finds another start.
std::size_t columns() {
  constexpr std::size_t kUsual = 80;  // of a terminal that does not tell
  winsize size{};
  const bool is_told = ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (is_told ? size.ws_col : kUsual) - 1;
}

/// The first `limit` code points at most, the last of them an ellipsis where something was cut.
std::string first_columns(const std::string& text, std::size_t limit) {
  if (position_of(text, text.size()).column <= limit + 1) return text;
  return text.substr(0, offset_of(text, {1, limit})) + "…";
}

}  // namespace

LiveView::LiveView(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(can_rewrite()) {}

void LiveView::say(const std::string& text) {
  if (is_open_) write_to_terminal(kClearLine);
  std::fprintf(stderr, "%s\n", text.c_str());
  is_open_ = false;
}

void LiveView::show(const std::string& text) {
  if (!is_terminal_ || is_quiet_) return;
  write_to_terminal(kClearLine);
  std::fputs(first_columns(sanitise_line(text), columns()).c_str(), stderr);
  is_open_ = true;
}

void LiveView::end() {
  if (is_open_) write_to_terminal(kClearLine);
  is_open_ = false;
}

void LiveView::on_notice(const std::string& text) { say("note: " + text); }

void LiveView::on_baseline(const engine::BaselineStanding& b) {
  if (is_quiet_) return;
  if (b.mean_ns > 0)
    say(fmt::format("baseline {:<14} {:>9}{}", b.candidate.name, format_ns(b.mean_ns),
                    b.candidate.trust_class == TrustClass::HostLauncher ? "  host launcher" : ""));
  else
    say(fmt::format("baseline {:<14} not usable: {}", b.candidate.name, engine::failure_words(b)));
}

void LiveView::on_start(const RunSummary& run, const std::string& baseline) {
  if (is_quiet_) return;
  say(fmt::format("run {}: strategy {}, to beat: {}", run.name, run.config.strategy, baseline));
}

void LiveView::on_ask(int number, const search::Ask& ask, const std::string& idea) {
  if (ask.role == search::Role::Write) {
    characters_ = 0;
    asking_ = fmt::format("{:>4} model: {}", number, ask.why);
    show(asking_ + " …");
    return;
  }
  show(fmt::format("{:>4} {} {} …", number, idea, search::to_text(ask.knobs)));
}

void LiveView::on_delta(const llm::Delta& delta) {
  if (delta.kind == llm::Delta::Kind::Restart) characters_ = 0;
  characters_ += delta.text.size();
  show(fmt::format("{} … {} characters", asking_, characters_));
}

void LiveView::on_written(int number, const engine::WrittenSource& source, const Spending& spent) {
  if (is_quiet_) return;
  const Proposal& p = source.proposal;
  say(fmt::format("{:>4} {:>6.1f} s  model: {} tokens in {}; {}{}", number, source.wait_ns / 1e9,
                  p.usage.total(), p.exchanges.size() == 1 ? "one call" : "several calls",
                  report::spending_text(spent),
                  p.plan.empty() ? "" : "\n                 " + sanitise(p.plan, kPlanBytes)));
}

void LiveView::on_attempt(const Attempt& attempt, const engine::Standing& standing) {
  if (is_quiet_) return;
  const double best = standing.incumbent().against_baseline.value;
  say(fmt::format("{:>4} {:>6.1f} s  best {:6.3f}x  {} {}  {}", attempt.number,
                  static_cast<double>(attempt.at_ns) / 1e9, best,
                  shown_name(attempt.candidate.name), search::to_text(attempt.candidate.knobs),
                  attempt.words));
}

void LiveView::on_order(const Order& order) {
  if (!is_quiet_)
    say(fmt::format("{:>4} order {} of {}: {}", order.from_attempt, order.number, order.who,
                    engine::words_of(order)));
}

void LiveView::on_confirm(const Attempt& attempt) {
  if (!is_quiet_)
    say(fmt::format("confirming attempt {} with fresh players, seeds and samples", attempt.number));
}

}  // namespace kw::cli
