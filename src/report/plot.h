// Plots as self-contained SVG, readable on light and dark pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/digest.h"
#include "report/run_data.h"
#include "report/svg.h"

namespace kw::report {

/// Speedup over the baseline against attempts: every attempt a dot, failures on the axis, the best
/// so far a line. Written as the attempts come, so that memory stays flat.
class ProgressPlot {
 public:
  /// `digest` is that of the attempts that will be added; both must outlive the plot.
  ProgressPlot(const RunData& data, const Digest& digest, std::function<void(std::string_view)> out,
               SvgPlace place = SvgPlace::File);
  void add(const AttemptLine& line);
  /// Call once, last.
  void finish();

 private:
  const Digest& digest_;
  std::function<void(std::string_view)> out_;
  Axis x_;
  Axis y_;
  Svg svg_;
};

/// Whether there is anything to draw in a roofline: a ceiling of the machine, or a rate of a
/// kernel.
bool has_roofline(const RunData& data);
/// Log-log roofline of the device with the timed workloads of the best attempt and of the
/// baselines.
std::string roofline_svg(const RunData& data, SvgPlace place = SvgPlace::File);

struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
};

struct PlotText {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
};

/// A line plot with a legend (sweeps, comparisons). Points that are not finite, or not positive on
/// a log axis, are left out.
std::string line_svg(const PlotText& text, const std::vector<Series>& series);

}  // namespace kw::report
