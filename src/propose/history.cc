// One line for an attempt, or for a row of settings of one kernel.
// SPDX-License-Identifier: Apache-2.0
#include "propose/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"

namespace kw::propose {
namespace {

constexpr std::size_t kWordsBytes = 220;  // evidence can be long; its beginning tells

std::string head_of(const AttemptLine& a) {
  return a.parent > 0 ? fmt::format("{} (from {}), `{}`", a.number, a.parent, a.name)
                      : fmt::format("{}, `{}`", a.number, a.name);
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string single(const AttemptLine& a, const Veil& veil) {
  std::string words = first_line(veil.cover(a.words));
  if (words.empty()) words = std::string(name_of(a.outcome));
  if (a.outcome_class == OutcomeClass::NoGain && a.speedup > 0)
    words += fmt::format("; {:.3g}x the baseline", a.speedup);
  return fmt::format("{}: {}", head_of(a), sanitise(words, kWordsBytes));
}

std::string settings(std::span<const AttemptLine> row) {
  const AttemptLine& best = *std::ranges::max_element(row, {}, &AttemptLine::speedup);
  const auto failed = std::ranges::count(row, OutcomeClass::Failed, &AttemptLine::outcome_class);
  std::string text = fmt::format("{}–{}, `{}`: {} settings of its knobs", row.front().number,
                                 row.back().number, best.name, row.size());
  if (best.speedup > 0)
    text += fmt::format("; best {:.3g}x the baseline with {}", best.speedup,
                        knobs_text(best.knobs, " = ", ", "));
  if (failed > 0) text += fmt::format("; {} failed", failed);
  return text;
}

}  // namespace

std::vector<HistoryLine> history_lines(const std::vector<AttemptLine>& history, const Veil& veil) {
  std::vector<HistoryLine> lines;
  for (std::size_t i = 0; i < history.size();) {
    std::size_t end = i + 1;
    while (end < history.size() && history[end].name == history[i].name &&
           !history[end].knobs.empty())
      ++end;
    const auto row = std::span(history).subspan(i, end - i);
    const bool is_gain = std::ranges::any_of(
        row, [](const AttemptLine& a) { return a.outcome_class == OutcomeClass::NewBest; });
    lines.push_back({row.size() == 1 ? single(row[0], veil) : settings(row), is_gain});
    i = end;
  }
  return lines;
}

}  // namespace kw::propose
