// Draws axes, dots, lines and text as SVG that follows the reader's light or dark theme.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::report {

/// One axis, which maps a range of values to pixels. A logarithmic axis needs lo > 0.
struct Axis {
  double lo = 0;
  double hi = 1;
  bool is_log = false;
  double from = 0;                                      ///< Pixel of lo.
  double to = 1;                                        ///< Pixel of hi.
  std::vector<std::pair<double, std::string>> marks{};  ///< Labelled values; empty: ticks().

  double at(double value) const;
  /// Round values inside the range, at most about eight; on a logarithmic axis over several decades
  /// the powers of ten.
  std::vector<double> ticks() const;
};

/// The axis whose range holds every value with a margin; values that are not finite, or not
/// positive on a logarithmic axis, are ignored.
Axis fit(const std::vector<double>& values, bool is_log, double from, double to);

/// Where a drawing stands: alone, with its style, size and title, or on a page that gives it all
/// three, where one drawing is shown in a wide window and another in a narrow one, or the same
/// (Small) in both.
enum class SvgPlace { File, Wide, Narrow, Small };

class Svg {
 public:
  static constexpr int kInk = -1;

  Svg(double width, double height, std::string_view title, SvgPlace place = SvgPlace::File);
  /// `color` 0–5 of the palette; kInk is the text colour.
  void line(const std::vector<std::pair<double, double>>& points, int color,
            bool is_dashed = false);
  void dot(double x, double y, int color, std::string_view tooltip, bool is_hollow = false);
  void text(double x, double y, std::string_view text, std::string_view anchor = "start");
  /// Writes just above the line from one point to the other, at its beginning.
  void text_along(std::pair<double, double> from, std::pair<double, double> to,
                  std::string_view text);
  /// Grid, ticks and labels of both axes. In a file the label of y stands along its axis, on a page
  /// above it.
  void axes(const Axis& x, const Axis& y, std::string_view x_label, std::string_view y_label);
  /// Returns what was drawn since the last call, for callers that write a large plot piece by
  /// piece.
  std::string take() { return std::exchange(body_, {}); }
  /// Returns what was drawn and not taken, and the end of the document.
  std::string finish() &&;

 private:
  SvgPlace place_;
  std::string body_;
};

/// The style sheet of drawings, for pages that hold drawings.
std::string_view plot_style();

/// Foreign text as it may stand in XML and HTML between tags and in quoted attributes: sanitise()d,
/// so that hidden characters and bytes that are no text are spelled out, and with markup escaped.
std::string escape(std::string_view text);

}  // namespace kw::report
