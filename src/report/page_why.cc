// Writes the section with which a page without a confirmed win begins: why there is none.
// SPDX-License-Identifier: Apache-2.0
#include "report/page_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "record/interval.h"
#include "report/page_attempts.h"
#include "report/page_parts.h"

namespace kw::report {
namespace {

constexpr std::size_t kWordsKept = 300;

std::string end_of_search(const RunSummary& run) {
  const std::string why = run.stopped_by.empty() ? "" : ": " + short_text(run.stopped_by);
  const std::string go_on = " It goes on with: kw resume " + run.name;
  switch (run.state) {
    case RunState::Running:
      return "The run has not ended.";
    case RunState::Interrupted:
      return "The run was interrupted" + why + "." + go_on;
    case RunState::Stopped:
      return "The run broke off in the middle" + why + "." + go_on;
    case RunState::Finished:
      return {};
  }
  return {};
}

/// A sentence on what the confirmation found, or why there was none.
std::string confirmation_words(const RunData& data) {
  const std::string baseline = short_text(data.baseline.empty() ? "the baseline" : data.baseline);
  const Attempt& best = *data.best;
  if (!data.confirmation) {
    if (data.run.state != RunState::Finished)
      return fmt::format("Attempt {}, the best so far, was not put to a confirmation.",
                         best.number);
    const double figure = best.against_baseline.value;
    return figure > 0 ? fmt::format(
                            "No correct attempt was faster than {}: the best, attempt {}, "
                            "ran at {:.3f}× its speed in the search.",
                            baseline, best.number, figure)
                      : fmt::format("No correct attempt was timed against {}.", baseline);
  }
  const Evaluation& e = *data.confirmation;
  if (!e.verdict.is_correct())
    return fmt::format("The confirmation of attempt {} ended with: {}.", best.number,
                       verdict_words(e.verdict));
  const Speedup& s = e.speedup;
  std::string text =
      fmt::format("The confirmation of attempt {} measured {:.3f}× the speed of {}{}", best.number,
                  s.value, baseline, in_brackets(interval_text(s)));
  if (has_interval(s) && s.low <= 1)
    text += s.high < 1 ? ": slower." : ": the interval holds 1, so a gain is not shown.";
  else if (s.noise_floor)
    text += fmt::format(": not above what {} differs from itself by ({:.3f}×).", baseline,
                        *s.noise_floor);
  else
    text += ": a gain is not shown.";
  return text;
}

std::string end_words(Stage stage, Outcome outcome) {
  return outcome == Outcome::Correct ? std::string("correct") : verdict_words({stage, outcome, {}});
}

}  // namespace

void EndTally::add(const AttemptLine& line) {
  End& end = ends[{line.stage, line.outcome}];
  if (end.count++ > 0) return;
  end.first = line.number;
  end.words = sanitise(line.words, kWordsKept);
}

void set_why(PageFields& f, const RunData& data, const EndTally& tally) {
  PageList reasons, rows;
  int attempts = 0;
  if (!data.is_win()) {
    for (const auto& [kind, end] : tally.ends) attempts += end.count;
    const auto add = [&](const std::string& text) {
      if (!text.empty()) reasons.push_back({{"text", {text}}});
    };
    add(end_of_search(data.run));
    if (attempts == 0)
      add("The run made no attempt.");
    else if (!data.best)
      add(attempts == 1 ? std::string("The only attempt of the run was not correct.")
                        : fmt::format("None of the {} attempts of the run was correct.", attempts));
    else
      add(confirmation_words(data));

    std::vector<std::pair<std::pair<Stage, Outcome>, EndTally::End>> ends(tally.ends.begin(),
                                                                          tally.ends.end());
    std::ranges::stable_sort(
        ends, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
    for (const auto& [kind, end] : ends)
      rows.push_back({{"count", {std::to_string(end.count)}},
                      {"outcome", {end_words(kind.first, kind.second)}},
                      {"number", {std::to_string(end.first)}},
                      {"words", {end.words}}});
  }
  f["has_why"] = {!reasons.empty()};
  f["reasons"] = {std::move(reasons)};
  f["has_ends"] = {!rows.empty()};
  f["ends"] = {std::move(rows)};
}

}  // namespace kw::report
