// Draws the plots of a run.
// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/svg.h"

namespace kw::report {
namespace {

/// The size of a drawing in pixels, and the rectangle between its axes.
struct Canvas {
  double width;
  double height;
  double left;
  double right;
  double top;
  double bottom;
};

constexpr Canvas kFile{760, 440, 76, 736, 36, 384};
constexpr Canvas kWide{960, 380, 64, 944, 30, 336};
constexpr Canvas kNarrow{360, 300, 52, 350, 30, 256};

constexpr Canvas canvas_of(SvgPlace place) {
  if (place == SvgPlace::File) return kFile;
  return place == SvgPlace::Wide ? kWide : kNarrow;
}

constexpr int kColors = 6;
constexpr std::size_t kTipBytes = 200;
constexpr double kHeadroom = 3;  // factor above the highest roof that leaves room for the legend

void legend(Svg& svg, int row, int color, const std::string& name) {
  const double y = kFile.top + 14 + 18 * row;
  svg.dot(kFile.left + 14, y - 4, color, name);
  svg.text(kFile.left + 24, y, name);
}

/// Height in pixels of a legend of one row, which is reserved above the axes so that no line
/// crosses the legend.
constexpr double kLegendRow = 20;

void legend_row(Svg& svg, const std::vector<std::pair<int, std::string>>& items) {
  constexpr double kCharacter = 6.5, kGap = 48;  // about a character's width; dot and blanks
  double x = kFile.left + 4;
  for (const auto& [color, name] : items) {
    svg.dot(x, kFile.top + 2, color, name);
    svg.text(x + 10, kFile.top + 6, name);
    x += kCharacter * static_cast<double>(name.size()) + kGap;
  }
}

/// The device's best measured rate of float32 operations, or of bytes at one level of the memory; 0
/// if it was not measured.
double ceiling_of(const DeviceFacts& device, std::string_view level, bool is_flops) {
  double best = 0;
  for (const Ceiling& c : device.ceilings) {
    const bool is_fma = c.kind.starts_with("fma");
    if (is_fma != is_flops) continue;
    if (!is_flops && c.level != level) continue;
    if (is_flops && !c.kind.ends_with("f32")) continue;
    best = std::max(best, c.per_second);
  }
  return best;
}

struct Point {
  std::string name;
  double intensity = 0;
  double flops_per_s = 0;
  int color = 0;
};

std::vector<Point> timed_points(const RunData& data) {
  std::vector<Point> points;
  if (!data.best) return points;
  const Evaluation& e = data.confirmation ? *data.confirmation : data.best->evaluation;
  for (const WorkloadResult& w : e.workloads) {
    if (w.group != Group::Time || w.flops_per_s <= 0) continue;
    points.push_back({w.name + ", best", w.arithmetic_intensity, w.flops_per_s, 0});
    if (w.opponent_ns > 0)
      points.push_back({w.name + ", " + data.baseline, w.arithmetic_intensity,
                        w.flops_per_s * w.median_ns / w.opponent_ns, 1});
  }
  return points;
}

}  // namespace

ProgressPlot::ProgressPlot(const RunData& data, const Digest& digest,
                           std::function<void(std::string_view)> out, SvgPlace place)
    : digest_(digest),
      out_(std::move(out)),
      place_(place),
      x_(fit({0, static_cast<double>(digest.attempts)}, false, canvas_of(place).left,
             canvas_of(place).right)),
      y_(fit({digest.slowest, digest.fastest}, true, canvas_of(place).bottom,
             canvas_of(place).top + (place == SvgPlace::File ? kLegendRow : 0))),
      svg_(canvas_of(place).width, canvas_of(place).height,
           data.run.name + ": speedup over " + data.baseline, place) {
  constexpr int kFew = 6;  // attempts, below which round steps would be fractions
  if (digest.attempts < kFew)
    for (int n = 0; n <= digest.attempts; ++n) x_.marks.emplace_back(n, std::to_string(n));
  svg_.axes(x_, y_, "attempt", "speedup");
  svg_.line({{x_.from, y_.at(1)}, {x_.to, y_.at(1)}}, Svg::kInk, true);
}

void ProgressPlot::add(const AttemptLine& line) {
  const double at = x_.at(line.number);
  const std::string tip = fmt::format("attempt {} {}: {}", line.number, shown_name(line.name),
                                      sanitise(line.words, kTipBytes));
  if (line.outcome_class == OutcomeClass::Failed)
    svg_.dot(at, y_.from, 1, tip, true);
  else if (line.speedup > 0)
    svg_.dot(at, y_.at(line.speedup), line.outcome_class == OutcomeClass::NewBest ? 2 : 0, tip);
  out_(svg_.take());
}

void ProgressPlot::finish() {
  std::vector<std::pair<double, double>> best{{x_.at(0), y_.at(1)}};
  for (const Digest::Best& step : digest_.bests) {
    best.emplace_back(x_.at(step.attempt), best.back().second);
    best.emplace_back(x_.at(step.attempt), y_.at(step.speedup));
  }
  best.emplace_back(x_.at(digest_.attempts), best.back().second);
  svg_.line(best, 2);
  if (place_ == SvgPlace::File)
    legend_row(svg_, {{2, "new best (search figure)"}, {0, "correct, no gain"}, {1, "failed"}});
  out_(std::move(svg_).finish());
}

bool has_roofline(const RunData& data) {
  return !data.device.ceilings.empty() || !timed_points(data).empty();
}

std::string roofline_svg(const RunData& data, SvgPlace place) {
  const std::vector<Point> points = timed_points(data);
  const double peak = ceiling_of(data.device, "", true);
  std::vector<std::pair<std::string, double>> roofs;
  for (const char* level : {"L1", "L2", "L3", "DRAM"})
    if (const double rate = ceiling_of(data.device, level, false); rate > 0)
      roofs.emplace_back(level, rate);
  std::vector<double> xs{0.05, 50};
  std::vector<double> ys;
  for (const Point& p : points) xs.push_back(p.intensity), ys.push_back(p.flops_per_s);
  if (peak > 0) ys.push_back(place == SvgPlace::File ? peak * kHeadroom : peak);
  for (const auto& [level, rate] : roofs) ys.push_back(rate * 0.05);
  const Canvas canvas = canvas_of(place);
  const Axis x = fit(xs, true, canvas.left, canvas.right);
  const Axis y = fit(ys, true, canvas.bottom, canvas.top);
  Svg svg(canvas.width, canvas.height, data.run.name + ": roofline of " + data.device.model, place);
  svg.axes(x, y, "arithmetic intensity, flop per byte (nominal)", "flop/s");
  const double top = peak > 0 ? peak : y.hi;
  // If a roof is below the plot's range at the left edge, its line starts where it crosses the
  // bottom edge.
  const auto start_of = [&](double rate) { return std::max(x.lo, y.lo / rate); };
  for (const bool is_text : {false, true})  // names are drawn last, above the lines of roofs
    for (const auto& [level, rate] : roofs) {
      const double start = start_of(rate), ridge = std::min(top / rate, x.hi);
      if (ridge <= start) continue;
      const std::pair from{x.at(start), y.at(rate * start)}, to{x.at(ridge), y.at(rate * ridge)};
      if (is_text)
        svg.text_along(from, to, level + " " + format_si(rate, "B/s"));
      else
        svg.line({from, to}, 5, level != "DRAM");
    }
  if (peak > 0) {
    svg.line({{x.at(x.lo), y.at(peak)}, {x.at(x.hi), y.at(peak)}}, 4);
    svg.text(canvas.right - 4, y.at(peak) - 6, "fma f32 " + format_si(peak, "flop/s"), "end");
  }
  for (const Point& p : points)
    if (p.intensity > 0)
      svg.dot(x.at(p.intensity), y.at(p.flops_per_s), p.color,
              p.name + ": " + format_si(p.flops_per_s, "flop/s"), p.color == 1);
  if (place == SvgPlace::File) {
    legend(svg, 0, 0, "best kernel");
    legend(svg, 1, 1, data.baseline.empty() ? "baseline" : data.baseline);
  }
  return std::move(svg).finish();
}

std::string line_svg(const PlotText& text, const std::vector<Series>& series) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Series& s : series) {
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    ys.insert(ys.end(), s.y.begin(), s.y.end());
  }
  const Axis x = fit(xs, text.log_x, kFile.left, kFile.right);
  const Axis y = fit(ys, text.log_y, kFile.bottom, kFile.top);
  Svg svg(kFile.width, kFile.height, text.title);
  svg.axes(x, y, text.x_label, text.y_label);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Series& s = series[i];
    const int color = static_cast<int>(i % kColors);
    std::vector<std::pair<double, double>> line;
    for (std::size_t k = 0; k < std::min(s.x.size(), s.y.size()); ++k) {
      const bool is_shown = std::isfinite(s.x[k]) && std::isfinite(s.y[k]) &&
                            (!text.log_x || s.x[k] > 0) && (!text.log_y || s.y[k] > 0);
      if (!is_shown) continue;
      line.emplace_back(x.at(s.x[k]), y.at(s.y[k]));
      svg.dot(line.back().first, line.back().second, color,
              fmt::format("{}: {:g}, {:g}", s.name, s.x[k], s.y[k]));
    }
    svg.line(line, color);
    legend(svg, static_cast<int>(i), color, s.name);
  }
  return std::move(svg).finish();
}

}  // namespace kw::report
