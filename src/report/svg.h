// Draws axes, dots, lines and text as SVG that follows the reader's light or dark theme.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::report {

/// One axis, which maps a range of values to pixels. A logarithmic axis requires lo > 0.
struct Axis {
  double lo = 0;
  double hi = 1;
  bool is_log = false;
  double from = 0;                                      ///< Pixel of lo.
  double to = 1;                                        ///< Pixel of hi.
  std::vector<std::pair<double, std::string>> marks{};  ///< Labelled values; empty: ticks().

  double at(double value) const;
  /// Round values inside the range, at most about eight; powers of ten on a logarithmic axis of
  /// three or more decades.
  std::vector<double> ticks() const;
};

/// An axis whose range contains every value with a margin; values that are not finite, or not
/// positive on a logarithmic axis, are ignored.
Axis fit(const std::vector<double>& values, bool is_log, double from, double to);

/// Where a drawing is used. File: alone, with its own style, size and title. The others are on a
/// page, which supplies all three: Wide and Narrow are two drawings for wide and narrow windows;
/// Small serves both.
enum class SvgPlace { File, Wide, Narrow, Small };

class Svg {
 public:
  static constexpr int kInk = -1;

  Svg(double width, double height, std::string_view title, SvgPlace place = SvgPlace::File);
  /// Draws connected lines. `color` is 0–5 of the palette, or kInk for the text colour.
  void line(const std::vector<std::pair<double, double>>& points, int color,
            bool is_dashed = false);
  void dot(double x, double y, int color, std::string_view tooltip, bool is_hollow = false);
  void text(double x, double y, std::string_view text, std::string_view anchor = "start");
  /// Writes text just above the line between the two points, starting at `from`.
  void text_along(std::pair<double, double> from, std::pair<double, double> to,
                  std::string_view text);
  /// Draws the grid, ticks and labels of both axes. In a file the y label runs along its axis; on a
  /// page it is above the axis.
  void axes(const Axis& x, const Axis& y, std::string_view x_label, std::string_view y_label);
  /// Returns what was drawn since the last call, so that callers can write a large plot piece by
  /// piece.
  std::string take() { return std::exchange(body_, {}); }
  /// Returns what was drawn since the last take(), and the end of the document.
  std::string finish() &&;

 private:
  SvgPlace place_;
  std::string body_;
};

/// The style sheet of drawings, for pages that contain drawings.
std::string_view plot_style();

/// Untrusted text in a form that is safe in XML and HTML, between tags and in quoted attributes:
/// sanitise()d, so that hidden characters and invalid bytes are spelled out, and with markup
/// escaped.
std::string escape(std::string_view text);

}  // namespace kw::report
