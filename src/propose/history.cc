// Words the lines of a history: one for each attempt, or for several settings of one kernel in a
// row.
// SPDX-License-Identifier: Apache-2.0
#include "propose/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/foreign_text.h"
#include "base/text.h"
#include "propose/markdown.h"

namespace kw::propose {
namespace {

constexpr std::size_t kWordsBytes = 220;  // limit of the evidence shown, which may be long

std::string head_of(const AttemptLine& a) {
  return a.parent > 0 ? fmt::format("{} (from {}), {}", a.number, a.parent, as_code(a.name))
                      : fmt::format("{}, {}", a.number, as_code(a.name));
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string single(const AttemptLine& a, const Veil& veil) {
  std::string words = first_line(veil.cover(a.words));
  if (words.empty()) words = std::string(name_of(a.outcome));
  if (a.outcome_class == OutcomeClass::NoGain && a.speedup > 0)
    words += fmt::format("; {:.3g}x the baseline", a.speedup);
  return fmt::format("{}: {}", head_of(a), sanitise_line(words, kWordsBytes));
}

std::string settings(int first, int last, const AttemptLine& best, std::size_t size,
                     std::size_t failed) {
  std::string text =
      fmt::format("{}–{}, {}: {} settings of its knobs", first, last, as_code(best.name), size);
  if (best.speedup > 0)
    text += fmt::format("; best {:.3g}x the baseline with {}", best.speedup,
                        knobs_text(best.knobs, " = ", ", "));
  if (failed > 0) text += fmt::format("; {} failed", failed);
  return text;
}

}  // namespace

void History::add(const AttemptLine& line, const Veil& veil) {
  const bool is_gain = line.outcome_class == OutcomeClass::NewBest;
  const std::size_t failed = line.outcome_class == OutcomeClass::Failed ? 1 : 0;
  if (!lines_.empty() && line.name == row_.best.name && !line.knobs.empty()) {
    HistoryLine& row = lines_.back();
    row.last = line.number;
    row.is_gain = row.is_gain || is_gain;
    if (line.speedup > row_.best.speedup) row_.best = line;
    ++row_.size, row_.failed += failed;
    row.text = settings(row.first, row.last, row_.best, row_.size, row_.failed);
    return;
  }
  if (!lines_.empty()) count_oldest(lines_.back().is_gain);
  lines_.push_back({single(line, veil), is_gain, line.number, line.number});
  row_ = {line, 1, failed};
}

void History::count_oldest(bool is_gain) {
  // A prompt that must be shortened keeps the last six attempts without a gain longer than the
  // others, so these are never only counted.
  constexpr std::size_t kBehind = 6;
  const auto is_alike = [&](const HistoryLine& line) { return line.is_gain == is_gain; };
  std::size_t bytes = 0, count = 0;
  for (const HistoryLine& line : lines_)
    if (is_alike(line)) bytes += line.text.size(), ++count;
  while (count > kBehind + 1) {
    const auto oldest = std::ranges::find_if(lines_, is_alike);
    bytes -= oldest->text.size();
    if (bytes <= most_bytes_) return;
    ++counted_[is_gain].lines;
    counted_[is_gain].bytes += shown_bytes(*oldest);
    lines_.erase(oldest), --count;
  }
}

}  // namespace kw::propose
