// Plots as self-contained SVG, readable on light and dark pages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/run_data.h"

namespace kw::report {

/// Speedup over the baseline against attempts: every attempt a dot, failures on the axis, the best
/// so far a line.
std::string progress_svg(const RunData& data);

/// Log-log roofline of the device with the timed workloads of the best attempt and of the
/// baselines.
std::string roofline_svg(const RunData& data);

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
