// Writes SVG that needs no script, no font and no other file.
// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"

namespace kw::report {
namespace {

constexpr std::string_view kStyle =
    "svg{background:#fff;color:#222;font:12px system-ui,sans-serif}"
    ".g{stroke:currentColor;stroke-opacity:.15}"
    ".t{fill:currentColor;stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}"
    "path,circle{fill:none;stroke:currentColor;stroke-width:1.6}"
    ".c0{color:#0b62a4}.c1{color:#c2410c}.c2{color:#15803d}.c3{color:#7e22ce}.c4{color:#b45309}.c5{"
    "color:#0e7490}"
    ".f{fill:currentColor}.d{stroke-dasharray:5 4}"
    "@media(prefers-color-scheme:dark){svg{background:#161616;color:#ddd}.t{stroke:#161616}"
    ".c0{color:#6cb6ff}.c1{color:#ff9e64}.c2{color:#7ee787}.c3{color:#d2a8ff}.c4{color:#f0c674}.c5{"
    "color:#76e3ea}}";

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size >= 1e4 || size < 1e-2)) {
    const std::string text = format_si(value, "");
    return std::string(trim(text));
  }
  return fmt::format("{:g}", value);
}

}  // namespace

std::string_view plot_style() { return kStyle; }

std::string escape(std::string_view foreign) {
  constexpr std::size_t kLongestEscape = 4;  // for each byte of the text
  const std::string text = sanitise(foreign, kLongestEscape * foreign.size() + 1);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += c;
    }
  }
  return out;
}

double Axis::at(double value) const {
  const double share = is_log ? (std::log(value) - std::log(lo)) / (std::log(hi) - std::log(lo))
                              : (value - lo) / (hi - lo);
  return from + share * (to - from);
}

std::vector<double> Axis::ticks() const {
  constexpr std::size_t kFewest = 3;
  std::vector<double> ticks;
  if (is_log) {
    const double decades = std::log10(hi / lo);
    for (double decade = std::floor(std::log10(lo)); decade <= std::log10(hi); ++decade)
      for (const double step : {1.0, 2.0, 5.0}) {
        const double value = step * std::pow(10.0, decade);
        const bool is_wanted = step == 1 || decades < 3;
        if (is_wanted && value >= lo * 0.999 && value <= hi * 1.001) ticks.push_back(value);
      }
    // A range of less than a decade may contain too few of these values; then evenly spaced ticks
    // are used.
    if (ticks.size() >= kFewest) return ticks;
    ticks.clear();
  }
  const double raw = (hi - lo) / 6;
  const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  double step = magnitude * 10;
  for (const double nice : {1.0, 2.0, 5.0})
    if (nice * magnitude >= raw) {
      step = nice * magnitude;
      break;
    }
  for (double value = std::ceil(lo / step) * step; value <= hi + step * 1e-9; value += step)
    ticks.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  return ticks;
}

Axis fit(const std::vector<double>& values, bool is_log, double from, double to) {
  double lo = INFINITY;
  double hi = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v) || (is_log && v <= 0)) continue;
    lo = std::min(lo, v);
    hi = std::max(hi, v);
  }
  if (lo > hi) lo = is_log ? 0.1 : 0, hi = 1;
  if (is_log) return {lo / 1.3, hi * 1.3, true, from, to};
  const double margin = hi > lo ? (hi - lo) * 0.08 : std::max(std::abs(hi) * 0.1, 0.1);
  return {lo - margin, hi + margin, false, from, to};
}

namespace {

std::string_view css_class_of(SvgPlace place) {
  if (place == SvgPlace::Wide) return "plot wide";
  return place == SvgPlace::Narrow ? "plot narrow" : "plot small";
}

std::string css_color(int color) {
  return color == Svg::kInk ? std::string("ink") : fmt::format("c{}", color);
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, SvgPlace place) : place_(place) {
  body_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\"", width,
                      height);
  if (place != SvgPlace::File) {
    body_ += fmt::format(" class=\"{}\" role=\"img\" aria-label=\"{}\">\n", css_class_of(place),
                         escape(title));
    return;
  }
  body_ += fmt::format(
      " width=\"{0:g}\" height=\"{1:g}\"><style>{2}</style>\n<title>{3}</title>\n<text class=\"t\" "
      "x=\"{4:g}\" y=\"20\" text-anchor=\"middle\" font-weight=\"600\">{3}</text>\n",
      width, height, kStyle, escape(title), width / 2);
}

void Svg::line(const std::vector<std::pair<double, double>>& points, int color, bool is_dashed) {
  if (points.empty()) return;
  std::string path;
  for (const auto& [x, y] : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
  body_ += fmt::format("<path class=\"{}{}\" d=\"{}\"/>\n", css_color(color), is_dashed ? " d" : "",
                       path);
}

void Svg::dot(double x, double y, int color, std::string_view tooltip, bool is_hollow) {
  body_ += fmt::format(
      "<circle class=\"{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}</title></circle>\n",
      css_color(color), is_hollow ? "" : " f", x, y, escape(tooltip));
}

void Svg::text(double x, double y, std::string_view text, std::string_view anchor) {
  body_ += fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                       x, y, anchor, escape(text));
}

void Svg::text_along(std::pair<double, double> from, std::pair<double, double> to,
                     std::string_view text) {
  const double degrees =
      std::atan2(to.second - from.second, to.first - from.first) * 180 / std::numbers::pi;
  body_ += fmt::format(
      "<text class=\"t\" x=\"6\" y=\"-5\" transform=\"translate({:.1f} {:.1f}) "
      "rotate({:.1f})\">{}</text>\n",
      from.first, from.second, degrees, escape(text));
}

namespace {

std::vector<std::pair<double, std::string>> marks_of(const Axis& axis) {
  if (!axis.marks.empty()) return axis.marks;
  std::vector<std::pair<double, std::string>> marks;
  for (const double value : axis.ticks()) marks.emplace_back(value, tick_label(value));
  return marks;
}

}  // namespace

void Svg::axes(const Axis& x, const Axis& y, std::string_view x_label, std::string_view y_label) {
  for (const auto& [value, label] : marks_of(x)) {
    body_ += fmt::format("<path class=\"g\" d=\"M{0:.1f} {1:.1f}L{0:.1f} {2:.1f}\"/>\n",
                         x.at(value), y.from, y.to);
    text(x.at(value), y.from + 16, label, "middle");
  }
  for (const auto& [value, label] : marks_of(y)) {
    body_ += fmt::format("<path class=\"g\" d=\"M{1:.1f} {0:.1f}L{2:.1f} {0:.1f}\"/>\n",
                         y.at(value), x.from, x.to);
    text(x.from - 6, y.at(value) + 4, label, "end");
  }
  text((x.from + x.to) / 2, y.from + 36, x_label, "middle");
  if (place_ != SvgPlace::File) return text(4, y.to - 10, y_label);
  body_ += fmt::format(
      "<text class=\"t\" text-anchor=\"middle\" transform=\"translate(16 {:.1f}) "
      "rotate(-90)\">{}</text>\n",
      (y.from + y.to) / 2, escape(y_label));
}

std::string Svg::finish() && { return std::move(body_) + "</svg>\n"; }

}  // namespace kw::report
