// A small canvas for SVG: axes, dots, lines and text that follow the page's light or dark theme.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::report {

/// One axis: data range to pixels, linear or logarithmic (then lo > 0).
struct Axis {
  double lo = 0;
  double hi = 1;
  bool is_log = false;
  double from = 0;  ///< Pixel of lo.
  double to = 1;    ///< Pixel of hi.

  double at(double value) const;
  /// Round values inside the range, at most about eight.
  std::vector<double> ticks() const;
};

/// Range that holds every value with a margin; values that cannot be shown are ignored.
Axis fit(const std::vector<double>& values, bool is_log, double from, double to);

/// Where a drawing stands: alone, with its style and size, or in a page that gives it both.
enum class SvgPlace { File, Page };

class Svg {
 public:
  Svg(double width, double height, std::string_view title, SvgPlace place = SvgPlace::File);
  /// `color` 0–5 of the palette; -1 is the text colour.
  void line(const std::vector<std::pair<double, double>>& points, int color,
            bool is_dashed = false);
  void dot(double x, double y, int color, std::string_view tooltip, bool is_hollow = false);
  void text(double x, double y, std::string_view text, std::string_view anchor = "start");
  /// Just above a line that goes from one point to the other, at its beginning.
  void text_along(std::pair<double, double> from, std::pair<double, double> to,
                  std::string_view text);
  /// Grid, ticks and labels of both axes.
  void axes(const Axis& x, const Axis& y, std::string_view x_label, std::string_view y_label);
  /// What was drawn since the last call, for those who write a large plot as they go.
  std::string take() { return std::exchange(body_, {}); }
  /// What was drawn and not taken, and the end of the document.
  std::string finish() &&;

 private:
  std::string body_;
};

/// The style sheet of drawings, for pages that hold some.
std::string_view plot_style();

/// Foreign text as it may stand in XML and HTML, between tags and in quoted attributes: markup is
/// escaped, bytes that are no text become '?', and marks that reverse the order of letters are
/// spelled out, since code may hide behind them.
std::string escape(std::string_view text);

}  // namespace kw::report
