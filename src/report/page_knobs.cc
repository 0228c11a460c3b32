// Draws one plot for each knob of a run.
// SPDX-License-Identifier: Apache-2.0
#include "report/page_knobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/svg.h"

namespace kw::report {
namespace {

constexpr std::size_t kMostKnobs = 12;
constexpr std::size_t kMostDots = 200;  // most dots in one plot
constexpr std::size_t kMostLabels = 8;
constexpr std::size_t kNameBytes = 60;
constexpr std::size_t kNamesBytes = 600;
constexpr double kWidth = 340, kHeight = 220;
constexpr double kLeft = 52, kRight = 328, kTop = 30, kBottom = 176;
constexpr int kBestColor = 2, kOwnColor = 0, kFailedColor = 1;

/// An axis with the values in order and at equal distances, since values of knobs are mostly powers
/// of two.
Axis axis_of_values(const std::vector<std::int64_t>& values) {
  Axis axis{-0.5, static_cast<double>(values.size()) - 0.5, false, kLeft, kRight};
  const std::size_t every = (values.size() + kMostLabels - 1) / kMostLabels;
  for (std::size_t i = 0; i < values.size(); i += every)
    axis.marks.emplace_back(static_cast<double>(i), std::to_string(values[i]));
  return axis;
}

}  // namespace

void KnobTally::add(const AttemptLine& line) {
  const bool is_own = kernel_.empty() || line.name == kernel_;
  const bool is_correct = line.speedup > 0;
  if (is_correct && !line.knobs.empty()) {
    slowest_ = has_range_ ? std::min(slowest_, line.speedup) : line.speedup;
    fastest_ = has_range_ ? std::max(fastest_, line.speedup) : line.speedup;
    has_range_ = true;
  }
  for (const auto& [name, number] : line.knobs) {
    OneKnob& knob = knobs_[name];
    knob.is_own = knob.is_own || (is_own && !kernel_.empty());
    Value& value = knob.values[number];
    ++value.attempts;
    if (line.outcome_class == OutcomeClass::Failed) ++value.failed;
    if (!is_correct) continue;
    const Best best{line.speedup, line.number};
    if (best.speedup > value.any.speedup) value.any = best;
    if (is_own && best.speedup > value.own.speedup) value.own = best;
    add_dot(knob, {number, line.speedup, line.number, is_own});
  }
}

void KnobTally::add_dot(OneKnob& knob, const Dot& dot) {
  if (knob.correct++ % knob.stride != 0) return;
  knob.dots.push_back(dot);
  if (knob.dots.size() <= kMostDots) return;
  // Every second dot is removed, so that the remaining dots are spread over the whole run.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < knob.dots.size(); i += 2) knob.dots[kept++] = knob.dots[i];
  knob.dots.resize(kept);
  knob.stride *= 2;
}

bool KnobTally::shows_own(const OneKnob& knob) {
  return std::ranges::count_if(knob.values,
                               [](const auto& v) { return v.second.own.speedup > 0; }) > 1;
}

std::string KnobTally::plot(const std::string& name, const OneKnob& knob) const {
  std::vector<std::int64_t> values;
  for (const auto& [number, value] : knob.values) values.push_back(number);
  const auto place_of = [&](std::int64_t number) {
    return static_cast<double>(std::ranges::lower_bound(values, number) - values.begin());
  };
  const Axis x = axis_of_values(values);
  const Axis y = fit({slowest_, fastest_}, true, kBottom, kTop);
  Svg svg(kWidth, kHeight, "speedup by " + sanitise(name, kNameBytes), SvgPlace::Small);
  svg.axes(x, y, sanitise(name, kNameBytes), "speedup");
  const bool is_own = shows_own(knob);
  for (const Dot& dot : knob.dots) {
    const bool is_bright = dot.is_own || !is_own;
    svg.dot(x.at(place_of(dot.value)), y.at(dot.speedup), is_bright ? kOwnColor : Svg::kInk,
            fmt::format("attempt {}, {}: {}", dot.attempt, dot.value, times(dot.speedup)),
            !is_bright);
  }
  std::vector<std::pair<double, double>> line;
  for (const auto& [number, value] : knob.values) {
    const Best& best = best_of(value, is_own);
    if (best.speedup > 0) line.emplace_back(x.at(place_of(number)), y.at(best.speedup));
  }
  svg.line(line, kBestColor);
  for (const auto& [number, value] : knob.values) {
    const double at = x.at(place_of(number));
    if (const Best& best = best_of(value, is_own); best.speedup > 0)
      svg.dot(at, y.at(best.speedup), kBestColor,
              fmt::format("{}: best {}, attempt {} ({} of {} failed)", number, times(best.speedup),
                          best.attempt, value.failed, value.attempts));
    else if (value.failed > 0)
      svg.dot(at, kBottom, kFailedColor,
              fmt::format("{}: {} of {} attempts failed", number, value.failed, value.attempts),
              true);
  }
  return std::move(svg).finish();
}

std::string KnobTally::words(const OneKnob& knob) {
  const bool is_own = shows_own(knob);
  const std::pair<const std::int64_t, Value>*best = nullptr, *worst = nullptr;
  for (const auto& entry : knob.values) {
    const double speedup = best_of(entry.second, is_own).speedup;
    if (speedup <= 0) continue;
    if (best == nullptr || speedup > best_of(best->second, is_own).speedup) best = &entry;
    if (worst == nullptr || speedup < best_of(worst->second, is_own).speedup) worst = &entry;
  }
  if (best == nullptr) return "no attempt with the knob was correct";
  std::string text =
      fmt::format("best at {} ({})", best->first, times(best_of(best->second, is_own).speedup));
  if (worst != best)
    text += fmt::format(", at {} no more than {}", worst->first,
                        times(best_of(worst->second, is_own).speedup));
  return text;
}

void KnobTally::set_fields(PageFields& fields) const {
  std::vector<const std::pair<const std::string, OneKnob>*> varied;
  std::vector<std::string> fixed, left_out;
  for (const auto& entry : knobs_) {
    const std::string name = sanitise(entry.first, kNameBytes);
    if (entry.second.values.size() > 1)
      varied.push_back(&entry);
    else
      fixed.push_back(fmt::format("{} = {}", name, entry.second.values.begin()->first));
  }
  std::ranges::stable_sort(
      varied, [](const auto* a, const auto* b) { return a->second.is_own > b->second.is_own; });
  PageList plots;
  for (const auto* entry : varied) {
    const std::string name = sanitise(entry->first, kNameBytes);
    if (plots.size() == kMostKnobs)
      left_out.push_back(name);
    else
      plots.push_back({{"name", {name}},
                       {"plot", {plot(entry->first, entry->second)}},
                       {"words", {words(entry->second)}}});
  }
  const auto list = [](const char* lead, const std::vector<std::string>& names) {
    return names.empty() ? std::string() : sanitise(lead + join(names, ", "), kNamesBytes) + ".";
  };
  fields["has_knobs"] = {!plots.empty()};
  fields["has_other_kernels"] = {
      !kernel_.empty() && std::ranges::any_of(varied, [](const auto* entry) {
        return shows_own(entry->second) &&
               std::ranges::any_of(entry->second.dots, [](const Dot& d) { return !d.is_own; });
      })};
  fields["knob_plots"] = {std::move(plots)};
  PageList notes = optional_text(list("Tried at one value alone: ", fixed));
  for (PageFields& note : optional_text(list("Without a plot: ", left_out)))
    notes.push_back(std::move(note));
  fields["knob_notes"] = {std::move(notes)};
}

}  // namespace kw::report
