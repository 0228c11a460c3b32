// Formats the lines that a run prints while it goes on.
// SPDX-License-Identifier: Apache-2.0
#include "cli/live_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/foreign_text.h"
#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/verdict_view.h"
#include "report/run_folder.h"
#include "session/orders.h"

namespace kw::cli {
namespace {

/// The most bytes of a model's plan that the screen shows.
constexpr std::size_t kPlanBytes = 200;
/// Terminals with fewer columns show an attempt on several lines.
constexpr std::size_t kNarrow = 60;

std::string seconds_text(std::int64_t ns) { return clock_text(static_cast<double>(ns) / 1e9); }

/// How an attempt ended, in one or two words.
struct Mark {
  std::string text;
  Tone tone = Tone::Plain;
};

Mark mark_of(const Attempt& attempt) {
  if (attempt.recalled != 0) return {fmt::format("as {}", attempt.recalled), Tone::Dim};
  switch (attempt.outcome_class) {
    case OutcomeClass::NewBest:
      return {"new best", Tone::Good};
    case OutcomeClass::NoGain: {
      // The measured speedup exceeds 1, but not significantly; more pairs might have shown a gain.
      const Speedup& s = attempt.evaluation.speedup;
      if (s.value > 1 && !s.is_faster) return {"unsure", Tone::Attention};
      return {"no gain", Tone::Plain};
    }
    case OutcomeClass::Failed:
      break;
  }
  return {"failed", Tone::Bad};
}

/// What a line shows after the figures: the reason of a failure, or else the knobs.
Spans about(const Attempt& attempt) {
  const std::string name(shown_name(attempt.candidate.name));
  const std::string knobs =
      attempt.candidate.knobs.empty() ? "" : " " + knobs_text(attempt.candidate.knobs);
  if (attempt.evaluation.verdict.is_correct()) return {{name}, {knobs, Tone::Dim}};
  constexpr std::string_view kFailed = "failed at ";
  std::string_view why = attempt.words;
  if (const std::size_t at = why.find(kFailed); at != std::string_view::npos)
    why.remove_prefix(at + kFailed.size());
  return {{name + " "}, {std::string(why), Tone::Dim}};
}

Lines one(OwnLine line) {
  Lines lines;
  lines.push_back(std::move(line));
  return lines;
}

void append(Lines& to, Lines from) {
  for (OwnLine& line : from) to.push_back(std::move(line));
}

}  // namespace

bool LiveText::is_narrow() const { return look_.columns > 0 && look_.columns < kNarrow; }

Lines LiveText::timing(const std::vector<std::string>& baselines) const {
  return fold({{fmt::format("timing {} that this machine has not timed before: ",
                            baselines.size() == 1 ? "a baseline" : "baselines")},
               {join(baselines, ", ")}},
              2, look_);
}

Lines LiveText::baseline(const session::BaselineStanding& b) const {
  if (b.mean_ns <= 0)
    return fold({{"baseline "},
                 {fmt::format("{:<14} ", b.candidate.name)},
                 {"not usable: ", Tone::Attention},
                 {failure_words(b)}},
                4, look_);
  return fold(
      {{fmt::format("baseline {:<14} {:>9}{}", b.candidate.name, format_ns(b.mean_ns),
                    b.candidate.trust_class == TrustClass::HostLauncher ? "  host launcher" : "")}},
      4, look_);
}

Lines LiveText::start(const RunSummary& run, const std::string& baseline) const {
  Lines lines = fold({{"run "},
                      {run.name, Tone::Strong},
                      {fmt::format(": strategy {}, to beat: {}", run.config.strategy, baseline)}},
                     4, look_);
  if (look_.columns > 0)
    append(
        lines,
        fold({{fmt::format(
                   "Ctrl-C ends the run with its best so far; from another terminal: kw steer {}",
                   run.name),
               Tone::Dim}},
             4, look_));
  return lines;
}

Lines LiveText::written(int number, const session::WrittenSource& source,
                        const Spending& spent) const {
  const Proposal& p = source.proposal;
  const std::string calls = p.exchanges.size() == 1 ? "one call" : "several calls";
  const std::string words =
      fmt::format("{} tokens in {}; {}", p.usage.total(), calls, report::spending_text(spent));
  if (look_.columns == 0) {
    Lines lines =
        one({fmt::format("{:>4} {:>6.1f} s  model: {}", number, source.wait_ns / 1e9, words), 0});
    if (!p.plan.empty()) lines.push_back({"                 " + sanitise(p.plan, kPlanBytes), 0});
    return lines;
  }
  Lines lines = fold({{fmt::format("{:>4} ", number)},
                      {fmt::format("{:>7}  ", clock_text(source.wait_ns / 1e9)), Tone::Dim},
                      {"written ", Tone::Plain},
                      {words, Tone::Dim}},
                     is_narrow() ? 5 : 14, look_);
  if (!p.plan.empty()) {
    // A model's plan may be long, so only its first two lines are shown.
    const std::string indent(is_narrow() ? 5 : 14, ' ');
    Lines plan =
        fold({{indent + sanitise_line(p.plan, kPlanBytes), Tone::Dim}}, indent.size(), look_);
    if (plan.size() > 2) plan.resize(2);
    append(lines, std::move(plan));
  }
  return lines;
}

Lines LiveText::short_attempt(const Attempt& attempt) const {
  const Mark mark = mark_of(attempt);
  const double value = attempt.against_baseline.value;
  const std::string figure = attempt.evaluation.verdict.is_correct() && value > 0
                                 ? fmt::format("{:.3f}x", value)
                                 : std::string();
  Spans spans{{fmt::format("{:>4} ", attempt.number)},
              {fmt::format("{:>7}  ", seconds_text(attempt.at_ns)), Tone::Dim},
              {fmt::format("{:<9}", mark.text), mark.tone},
              {fmt::format("{:>8}  ", figure),
               attempt.outcome_class == OutcomeClass::NewBest ? Tone::Strong : Tone::Plain}};
  Spans rest = about(attempt);
  if (!is_narrow()) {
    spans.insert(spans.end(), rest.begin(), rest.end());
    return one(cut(spans, look_));
  }
  Lines lines = one(cut(spans, look_));
  rest.insert(rest.begin(), {"     "});
  Lines folded = fold(rest, 5, look_);
  // A failure's message may be long, so only its first lines are shown; kw explain shows all of it.
  constexpr std::size_t kMost = 3;
  if (folded.size() > kMost) folded.resize(kMost);
  append(lines, std::move(folded));
  return lines;
}

Lines LiveText::attempt(const Attempt& attempt, double best) const {
  if (look_.columns > 0) return short_attempt(attempt);
  return one({fmt::format("{:>4} {:>6.1f} s  best {:6.3f}x  {} {}  {}", attempt.number,
                          static_cast<double>(attempt.at_ns) / 1e9, best,
                          shown_name(attempt.candidate.name), shown_knobs(attempt.candidate.knobs),
                          attempt.words),
              0});
}

Lines LiveText::order(const Order& order) const {
  return fold({{fmt::format("{:>4} ", order.from_attempt)},
               {fmt::format("order {}", order.number), Tone::Strong},
               {fmt::format(" of {}: {}", order.who, session::words_of(order))}},
              5, look_);
}

Lines LiveText::confirm(const Attempt& attempt) const {
  return fold({{fmt::format("confirming attempt {} with fresh processes, seeds and samples",
                            attempt.number)}},
              4, look_);
}

Lines LiveText::notice(const std::string& text) const {
  return fold({{"note: ", Tone::Attention}, {text}}, 6, look_);
}

Lines LiveText::interrupted(const std::string& what) const {
  return fold({{what, Tone::Attention}, {"; Ctrl-C again to stop now"}}, 4, look_);
}

OwnLine LiveText::status(const LiveState& s) const {
  std::string number = s.attempt > 0 ? fmt::format("{:>4} ", s.attempt) : std::string();
  if (s.attempt > 0 && s.attempts > 0) number += fmt::format("of {}: ", s.attempts);
  const std::string what = (s.is_finishing ? "finishing: " : "") + short_wait(s.what, look_);
  // A step of less than a second is shown without its duration.
  const std::string since = s.what_s >= 1 ? ", " + clock_text(s.what_s) : std::string();
  const std::string time = s.elapsed_s >= 0 ? " · " + clock_text(s.elapsed_s) : std::string();
  std::string left;
  if (s.elapsed_s >= 0 && s.budget_s > 0) left = clock_text(s.budget_s - s.elapsed_s) + " left";
  const std::string best = s.best > 0 ? fmt::format(" · best {:.3f}x", s.best) : std::string();
  const std::string both = left.empty() ? time : time + ", " + left;
  // Candidates for the end of the status line, from the most complete to none; the first that
  // leaves enough of the line for the current step is used.
  const std::string tails[] = {both + best, both, left.empty() ? time : " · " + left, ""};
  const std::size_t all = look_.columns == 0 ? std::string::npos : look_.columns;
  // While the run waits, the line names who uses the device, which matters more than the run's
  // duration.
  const std::size_t share = s.is_waiting ? all / 4 * 3 : all / 3;
  const std::size_t wanted =
      columns_of(number) + columns_of(since) + std::min(columns_of(what), share);
  const auto* tail = std::ranges::find_if(
      tails, [&](const std::string& t) { return t.empty() || wanted + columns_of(t) <= all; });
  const std::size_t behind = columns_of(since) + columns_of(*tail);
  Look look = look_;
  if (all != std::string::npos) look.columns = all > behind ? all - behind : all;
  OwnLine line = cut({{number, Tone::Strong},
                      {what, s.is_waiting || s.is_finishing ? Tone::Attention : Tone::Plain}},
                     look);
  if (line.columns + behind > all) return line;
  look.columns = 0;
  const OwnLine end = cut({{since}, {*tail, Tone::Dim}}, look);
  return {line.bytes + end.bytes, line.columns + end.columns};
}

}  // namespace kw::cli
