// Plots of runs as SVG, readable on light and dark pages.
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

/// Speedup over the baseline against the number of the attempt: a dot for every attempt, failures
/// on the axis, a line for the best so far, a dashed line for the baseline. Attempts are written as
/// they come, so that memory stays flat.
class ProgressPlot {
 public:
  /// `digest` is that of the attempts that will be added; both must outlive the plot.
  ProgressPlot(const RunData& data, const Digest& digest, std::function<void(std::string_view)> out,
               SvgPlace place = SvgPlace::File);
  void add(const AttemptLine& line);
  /// Ends the drawing; to be called once, after the last attempt.
  void finish();

 private:
  const Digest& digest_;
  std::function<void(std::string_view)> out_;
  SvgPlace place_;
  Axis x_;
  Axis y_;
  Svg svg_;
};

/// Whether there is anything to draw in a roofline: a ceiling of the machine, or a rate of a
/// kernel.
bool has_roofline(const RunData& data);
/// The roofline of the device on logarithmic axes, with the timed workloads of the best attempt and
/// of the baseline.
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

/// A line plot with a legend, as for sweeps and comparisons. Points that are not finite, or not
/// positive on a logarithmic axis, are left out.
std::string line_svg(const PlotText& text, const std::vector<Series>& series);

}  // namespace kw::report
