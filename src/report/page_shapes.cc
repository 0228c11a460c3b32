// Writes the table of timed shapes, and the list of other checked shapes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "record/interval.h"
#include "report/page_parts.h"
#include "report/svg.h"
#include "report/workload_table.h"

namespace kw::report {
namespace {

/// Draws the speedup interval of each shape on one logarithmic scale, with a line at 1, which
/// stands for the opponent. The drawing contains only numbers, so no untrusted text can enter it
/// unescaped.
class Bars {
 public:
  explicit Bars(const Evaluation& e) {
    for (const WorkloadResult& w : e.workloads) {
      if (!has_interval(w.speedup)) continue;
      lo_ = std::min(lo_, w.speedup.low);
      hi_ = std::max(hi_, w.speedup.high);
    }
  }
  std::string of(const Speedup& s) const {
    if (!has_interval(s)) return {};
    const Axis axis{lo_ / 1.05, hi_ * 1.05, true, 4, 140};
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 144 16\" class=\"bar\" "
        "role=\"img\"><title>{:.3f}–{:.3f}</title><path class=\"g\" d=\"M{:.1f} 0V16\"/>"
        "<path class=\"c2\" d=\"M{:.1f} 8H{:.1f}\"/><circle class=\"c2 f\" cx=\"{:.1f}\" cy=\"8\" "
        "r=\"3\"/></svg>",
        s.low, s.high, axis.at(1), axis.at(s.low), axis.at(s.high), axis.at(s.value));
  }

 private:
  double lo_ = 1;
  double hi_ = 1;
};

PageFields fields_of(const std::vector<WorkloadCell>& cells) {
  PageFields fields;
  for (const WorkloadCell& cell : cells) fields[std::string(cell.name)] = {cell.text};
  return fields;
}

PageFields shape_fields(const WorkloadResult& w, const Bars& bars) {
  PageFields fields = fields_of(page_cells(w));
  const bool is_paired = w.median_ns > 0 && w.speedup.value > 0;
  fields["bar"] = {is_paired ? bars.of(w.speedup) : std::string()};
  return fields;
}

}  // namespace

void set_shapes(PageFields& f, const RunData& data) {
  PageList shapes, checks, advice;
  if (const Evaluation* e = shown_evaluation(data)) {
    const Bars bars(*e);
    for (const WorkloadResult& w : e->workloads) {
      (w.group == Group::Time ? shapes : checks)
          .push_back(w.group == Group::Time ? shape_fields(w, bars)
                                            : fields_of(page_check_cells(w)));
      if (!w.roofline.advice.empty())
        advice.push_back({{"text", {short_text(w.name + ": " + w.roofline.advice)}}});
    }
    for (const SkippedWorkload& s : e->skipped)
      advice.push_back({{"text", {short_text(s.name + " was skipped: " + s.reason)}}});
  }
  const char* where = data.confirmation
                          ? "From the confirmation, with fresh processes, seeds and samples."
                          : "From the search: the best of many is flattered by having been picked.";
  f["shapes_caption"] = {std::string(
      shapes.empty()
          ? "Nothing was timed."
          : fmt::format("{} Medians of paired calls; intervals of their ratio.", where))};
  f["checks_summary"] = {checks.size() == 1
                             ? std::string("1 further shape was checked")
                             : fmt::format("{} further shapes were checked", checks.size())};
  f["has_shapes"] = {!shapes.empty()};
  f["has_checks"] = {!checks.empty()};
  f["shapes"] = {std::move(shapes)};
  f["checks"] = {std::move(checks)};
  f["has_advice"] = {!advice.empty()};
  f["advice_summary"] = {
      fmt::format("{} note{} on single shapes", advice.size(), advice.size() == 1 ? "" : "s")};
  f["advice"] = {std::move(advice)};
  f["opponent"] = {short_text(opponent_of(data))};
}

}  // namespace kw::report
