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

/// Plots the speedup over the baseline against the number of the attempt: a dot for every attempt,
/// failures on the axis, a line for the best so far, a dashed line for the baseline. Attempts are
/// written out as they are added, so that memory stays constant.
class ProgressPlot {
 public:
  /// `digest` must summarise the attempts that will be added. `data` and `digest` must outlive the
  /// plot.
  ProgressPlot(const RunData& data, const Digest& digest, std::function<void(std::string_view)> out,
               SvgPlace place = SvgPlace::File);
  void add(const AttemptLine& line);
  /// Ends the drawing; must be called once, after the last attempt.
  void finish();

 private:
  const Digest& digest_;
  std::function<void(std::string_view)> out_;
  SvgPlace place_;
  Axis x_;
  Axis y_;
  Svg svg_;
};

/// Whether a roofline has anything to show: a measured ceiling of the device, or a kernel's rate.
bool has_roofline(const RunData& data);
/// The roofline of the device on logarithmic axes, with the timed workloads of the best attempt and
/// those of the baseline.
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

/// A line plot with a legend, used for sweeps and comparisons. Points that are not finite, or not
/// positive on a logarithmic axis, are left out.
std::string line_svg(const PlotText& text, const std::vector<Series>& series);

}  // namespace kw::report
